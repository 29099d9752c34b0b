//! Returns one definition with its context: its text, its callers, and the tests that reach it.

use std::cmp::Reverse;

use vectorcode_core::api::{FileDefinition, FileRequest, FileResponse, Neighbour, ReadRequest, ReadResponse};
use vectorcode_core::{Definition, DefinitionKind, Location};
use vectorcode_graph::queries::{self, Direction, Extent};
use vectorcode_graph::{Node, SymbolDefinition, SymbolEdge, SymbolId, Symbols};

use super::GraphContext;
use super::call_sites::other_lines;
use super::facts::IndexFacts;
use super::neighbours::{most_certain, neighbour};
use super::target::{FoundSymbols, Subject, Targets};
use super::tests_to_run::tests_to_run;
use super::uses::Scan;
use crate::error::EngineError;
use crate::project::file;

/// How many users of a definition are named. The rest is counted; the `callers` graph query lists all.
const MAX_CALLERS: usize = 8;
const MAX_TESTS: usize = 5;
/// Maximum distance of tests from the definition.
const TEST_DEPTH: u32 = 3;
/// How many other definitions of the same name are listed.
const MAX_OTHERS: usize = 5;
/// How many lines are shown around a line that is in no definition.
const LINES_AROUND: u32 = 20;

pub(crate) fn read(context: &GraphContext<'_>, request: &ReadRequest) -> Result<ReadResponse, EngineError> {
    let files = &context.snapshot.files;
    let facts = IndexFacts::new(context.reader, files.tree(), context.cancel);
    let symbols = Symbols::new(files, &facts);
    let reader = DefinitionReader { context, targets: Targets::new(context, &symbols), symbols: &symbols };
    reader.read(request.target.trim())
}

pub(super) struct DefinitionReader<'a> {
    pub context: &'a GraphContext<'a>,
    pub targets: Targets<'a>,
    pub symbols: &'a Symbols<'a, IndexFacts<'a>>,
}

/// The current text of a definition.
struct DefinitionText {
    response: ReadResponse,
    /// `None` if the file no longer has it.
    definition: Option<FileDefinition>,
    /// The line ranges of other definitions with the same name and kind in this file, such as a prototype.
    variants: Vec<String>,
}

impl DefinitionReader<'_> {
    fn read(&self, target: &str) -> Result<ReadResponse, EngineError> {
        if let Some((file, location)) = self.targets.location(target)? {
            let path = self.context.snapshot.files.tree().path(file);
            return self.lines(path, &location);
        }
        match self.targets.any(target)? {
            Subject::File(file) => {
                let path = self.context.snapshot.files.tree().path(file);
                Ok(plain(self.file(path, None)?))
            }
            Subject::Symbols(found) => self.definition(&found, None),
        }
    }

    fn file(&self, path: &str, lines: Option<(u32, u32)>) -> Result<FileResponse, EngineError> {
        let (start_line, end_line) = (lines.map(|lines| lines.0), lines.map(|lines| lines.1));
        let request = FileRequest { path: path.to_owned(), start_line, end_line };
        file::read(self.context.scope, self.context.reader, &request)
    }

    /// The requested lines; for a single line the definition that contains it.
    fn lines(&self, path: &str, location: &Location) -> Result<ReadResponse, EngineError> {
        let (start, end) = (location.start_line, location.end_line);
        if end > start {
            return Ok(noted_end(start, plain(self.file(path, Some((start, end)))?)));
        }
        match self.targets.symbols(&format!("{path}:{start}")) {
            Ok(found) => self.definition(&found, Some((path, start))),
            Err(EngineError::NoSuchLocation { .. }) => {
                let around = (start.saturating_sub(LINES_AROUND).max(1), start.saturating_add(LINES_AROUND));
                Ok(noted_end(start, plain(self.file(path, Some(around))?)))
            }
            Err(error) => Err(error),
        }
    }

    /// The code of the first of some symbols.
    pub fn code(&self, found: &FoundSymbols) -> Result<ReadResponse, EngineError> {
        let defined = self.defined(found)?;
        let first = defined.first().ok_or_else(|| unknown(found))?;
        Ok(self.text(first, None)?.response)
    }

    fn defined(&self, found: &FoundSymbols) -> Result<Vec<SymbolDefinition>, EngineError> {
        let mut defined = Vec::new();
        for id in &found.ids {
            defined.extend(self.symbols.defined(*id)?);
        }
        Ok(defined)
    }

    /// The first definition with its context; the others are only listed. `at` is the requested line.
    fn definition(&self, found: &FoundSymbols, at: Option<(&str, u32)>) -> Result<ReadResponse, EngineError> {
        let defined = self.defined(found)?;
        let first = defined.first().ok_or_else(|| unknown(found))?;
        let DefinitionText { mut response, definition, variants } = self.text(first, at)?;
        let Some(now) = definition else { return Ok(response) };
        response.symbol = Some(now.qualified.clone());
        response.kind = Some(now.kind);
        self.add_users(first.id, &now, &mut response)?;
        let tree = self.context.snapshot.files.tree();
        let elsewhere =
            |other: &SymbolDefinition| format!("{}#{}", tree.path(other.id.file), other.definition.qualified);
        let mut others: Vec<String> =
            variants.into_iter().chain(defined.iter().skip(1).map(elsewhere)).collect();
        response.others_total = others.len() as u64;
        others.truncate(MAX_OTHERS);
        response.others = others;
        Ok(response)
    }

    fn text(&self, first: &SymbolDefinition, at: Option<(&str, u32)>) -> Result<DefinitionText, EngineError> {
        let path = self.context.snapshot.files.tree().path(first.id.file);
        let whole = self.file(path, None)?;
        let wanted = &first.definition;
        let line = at.filter(|(asked, _)| *asked == path).map(|(_, line)| line);
        let variants: Vec<&FileDefinition> = variants(&whole, wanted).collect();
        let now = variant_to_show(&variants, line, wanted).cloned();
        let Some(now) = now else {
            let mut response = plain(self.file(path, Some((wanted.span.start_line, wanted.span.end_line)))?);
            let gone = "The file no longer has this definition; these lines are where it was.";
            response.notes.push(gone.into());
            return Ok(DefinitionText { response, definition: None, variants: Vec::new() });
        };
        // The span of a definition includes the comments and attributes above it.
        let response = plain(self.file(path, Some((now.start_line, now.end_line)))?);
        let here = |other: &&&FileDefinition| other.start_line != now.start_line;
        let lines = |other: &&FileDefinition| format!("{path}:{}-{}", other.start_line, other.end_line);
        let variants = variants.iter().filter(here).map(lines).collect();
        Ok(DefinitionText { response, definition: Some(now), variants })
    }

    fn add_users(
        &self,
        id: SymbolId,
        definition: &FileDefinition,
        response: &mut ReadResponse,
    ) -> Result<(), EngineError> {
        if matches!(definition.kind, DefinitionKind::Section | DefinitionKind::Field) {
            return Ok(());
        }
        let mut users = most_certain(self.symbols.callers(id)?);
        if users.is_empty() {
            users = self.users_in_text(id, &definition.name, response)?;
        }
        for edge in users {
            let user = neighbour(self.context, self.symbols, edge.from, Some(edge.line))?;
            let is_test = self.is_test(edge.from)?;
            if !is_test {
                response.callers_total += 1;
                if response.callers.len() < MAX_CALLERS {
                    response.callers.push(user);
                }
            }
        }
        let tests = self.tests(id)?;
        response.tests_total = tests.len() as u64;
        response.tests = tests.into_iter().take(MAX_TESTS).collect();
        Ok(())
    }

    /// Finds uses of all kinds, for a definition without calls in the index. If there are none, adds the lines that
    /// contain the name.
    fn users_in_text(
        &self,
        id: SymbolId,
        name: &str,
        response: &mut ReadResponse,
    ) -> Result<Vec<SymbolEdge>, EngineError> {
        let files = &self.context.snapshot.files;
        let facts = IndexFacts::new(self.context.reader, files.tree(), self.context.cancel);
        let scan = Scan::of(self.context, name)?;
        scan.put_into(&facts)?;
        let symbols = Symbols::new(files, &facts);
        let users = most_certain(symbols.callers(id)?);
        if users.is_empty() {
            response.other_lines = Some(other_lines(self.context, &symbols, &[id], &scan)?);
        }
        Ok(users)
    }

    /// The tests that reach the definition by a chain of calls, nearest first.
    fn tests(&self, id: SymbolId) -> Result<Vec<Neighbour>, EngineError> {
        let extent = Extent { direction: Direction::Backward, depth: TEST_DEPTH, limit: usize::MAX };
        let files = &self.context.snapshot.files;
        let reached = queries::symbol_surroundings(files, self.symbols, &[id], &extent)?;
        let tests = tests_to_run(self.context, &reached)?.into_iter().filter(|test| test.distance > 0);
        Ok(tests
            .map(|test| Neighbour { name: test.name, path: test.path, line: test.line.unwrap_or(1) })
            .collect())
    }

    fn is_test(&self, node: Node) -> Result<bool, EngineError> {
        let tree = self.context.snapshot.files.tree();
        let by_symbol = match node {
            Node::Symbol(symbol) => self.symbols.defined(symbol)?.is_some_and(|defined| defined.is_test),
            Node::File(_) => false,
        };
        Ok(by_symbol || tree.file(node.file()).is_test)
    }
}

fn unknown(found: &FoundSymbols) -> EngineError {
    EngineError::UnknownSymbol { name: found.bare_name.clone(), nearest: Vec::new() }
}

/// The definitions in a file with the same qualified name and kind: a prototype and its body, overloads, a getter and
/// its setter.
fn variants<'f>(
    file: &'f FileResponse,
    wanted: &Definition,
) -> impl Iterator<Item = &'f FileDefinition> + use<'f> {
    let (name, kind) = (wanted.qualified.clone(), wanted.kind);
    let is_same_kind =
        move |other: DefinitionKind| other == kind || (other.is_callable() && kind.is_callable());
    file.definitions.iter().filter(move |other| other.qualified == name && is_same_kind(other.kind))
}

/// The variant that contains the requested line; otherwise the longest, which is the one with a body.
fn variant_to_show<'f>(
    variants: &[&'f FileDefinition],
    line: Option<u32>,
    wanted: &Definition,
) -> Option<&'f FileDefinition> {
    let holds = |variant: &&&FileDefinition| {
        line.is_some_and(|line| (variant.start_line..=variant.end_line).contains(&line))
    };
    let length = |variant: &FileDefinition| variant.end_line - variant.start_line;
    let nearest = |variant: &FileDefinition| variant.start_line.abs_diff(wanted.span.start_line);
    let asked = variants.iter().filter(holds).min_by_key(|variant| length(variant));
    let longest = || variants.iter().min_by_key(|variant| (Reverse(length(variant)), nearest(variant)));
    asked.or_else(longest).copied()
}

/// Adds a note if the requested line is beyond the end of the file.
fn noted_end(asked: u32, mut response: ReadResponse) -> ReadResponse {
    if asked > response.file_lines {
        let lines = response.file_lines;
        response
            .notes
            .push(format!("The file has only {lines} lines, so there is no line {asked}; this is its end."));
    }
    response
}

/// Lines of a file without any context.
fn plain(file: FileResponse) -> ReadResponse {
    ReadResponse {
        path: file.path,
        language: file.language,
        file_lines: file.lines,
        start_line: file.start_line,
        end_line: file.end_line,
        content: file.content,
        symbol: None,
        kind: None,
        callers: Vec::new(),
        callers_total: 0,
        tests: Vec::new(),
        tests_total: 0,
        others: Vec::new(),
        others_total: 0,
        other_lines: None,
        freshness: file.freshness,
        notes: Vec::new(),
    }
}
