//! Finds which names in a file link to a definition in the project, and where.

use std::collections::{BTreeSet, HashMap};

use vectorcode_core::api::{FileLinks, LinkTarget, LinkedName};
use vectorcode_core::{ParsedFile, Reference, ReferenceKind};
use vectorcode_graph::{Facts, FileId, SymbolDefinition, Symbols};

use super::GraphContext;
use super::facts::IndexFacts;
use crate::error::EngineError;

/// References beyond this number stay plain text. No file that people read has that many.
const MAX_REFERENCES: usize = 20_000;
/// An expression may start some lines before the name that it calls, as in a chain of methods.
const MAX_LINES_TO_NAME: usize = 40;

/// The links in a file whose text is unchanged since it was indexed.
pub(crate) fn links(
    context: &GraphContext<'_>,
    parsed: &ParsedFile,
    text: &str,
) -> Result<FileLinks, EngineError> {
    let Some(file) = context.snapshot.files.tree().get(&parsed.path) else { return Ok(FileLinks::default()) };
    let facts = IndexFacts::new(context.reader, context.snapshot.files.tree(), context.cancel);
    let symbols = Symbols::new(&context.snapshot.files, &facts);
    let mut linker = Linker {
        context,
        facts: &facts,
        parsed,
        lines: text.lines().collect(),
        found: FoundLinks::default(),
    };
    linker.add_references(file, &symbols)?;
    linker.add_imports(file)?;
    Ok(linker.found.finish())
}

struct Linker<'a> {
    context: &'a GraphContext<'a>,
    facts: &'a IndexFacts<'a>,
    parsed: &'a ParsedFile,
    lines: Vec<&'a str>,
    found: FoundLinks,
}

impl Linker<'_> {
    fn add_references(
        &mut self,
        file: FileId,
        symbols: &Symbols<'_, IndexFacts<'_>>,
    ) -> Result<(), EngineError> {
        let references = &self.parsed.references[..self.parsed.references.len().min(MAX_REFERENCES)];
        let names: Vec<&str> = references.iter().map(|reference| reference.name.as_str()).collect();
        self.facts.prefetch_definitions(&names)?;
        for reference in references {
            let Some((start_line, end_line)) = self.lines_of(reference) else { continue };
            let mut targets = Vec::new();
            for id in symbols.targets(file, reference)? {
                targets.extend(symbols.defined(id)?.map(|defined| self.target(&defined)));
            }
            self.found.add(&reference.name, (start_line, end_line), targets);
        }
        Ok(())
    }

    /// The lines on which a reference applies. A call is on one line. A type is recorded once per enclosing
    /// definition, and applies to all of it.
    fn lines_of(&self, reference: &Reference) -> Option<(u32, u32)> {
        match reference.kind {
            ReferenceKind::Type | ReferenceKind::Base => {
                let around = reference.enclosing.and_then(|at| self.parsed.definitions.get(at as usize));
                let whole = (1, self.lines.len() as u32);
                Some(around.map_or(whole, |around| (around.span.start_line, around.span.end_line)))
            }
            _ => self.line_of_name(reference).map(|line| (line, line)),
        }
    }

    fn line_of_name(&self, reference: &Reference) -> Option<u32> {
        let first = reference.line.saturating_sub(1) as usize;
        let lines = self.lines.iter().enumerate().skip(first).take(MAX_LINES_TO_NAME);
        lines.filter(|(_, line)| line.contains(&reference.name)).map(|(at, _)| at as u32 + 1).next()
    }

    /// Links in import statements: the module links to its file, an imported name to its definition there.
    fn add_imports(&mut self, file: FileId) -> Result<(), EngineError> {
        let edges = self.context.snapshot.files.imports(file);
        for import in &self.parsed.imports {
            let mut imported = edges.iter().filter(|edge| edge.line == import.line);
            let (Some(edge), None) = (imported.next(), imported.next()) else { continue };
            let lines = (import.line, import.line);
            let path = self.context.snapshot.files.tree().path(edge.file).to_owned();
            let start = LinkTarget { path, start_line: 1, end_line: 1, symbol: None, signature: None };
            self.found.add(&import.specifier, lines, vec![start]);
            let definitions = self.facts.definitions_of(edge.file)?;
            for (here, there) in import.bindings() {
                let named = definitions.iter().filter(|defined| defined.definition.qualified == there);
                let targets: Vec<LinkTarget> = named.map(|defined| self.target(defined)).collect();
                self.found.add(here, lines, targets.clone());
                if here != there {
                    self.found.add(there, lines, targets);
                }
            }
        }
        Ok(())
    }

    fn target(&self, defined: &SymbolDefinition) -> LinkTarget {
        let definition = &defined.definition;
        LinkTarget {
            path: self.context.snapshot.files.tree().path(defined.id.file).to_owned(),
            start_line: definition.span.start_line,
            end_line: definition.span.end_line,
            symbol: Some(definition.qualified.clone()),
            signature: Some(definition.signature.clone()),
        }
    }
}

#[derive(Default)]
struct FoundLinks {
    places: HashMap<LinkTarget, usize>,
    targets: Vec<LinkTarget>,
    /// By lines, name and targets.
    names: BTreeSet<(u32, u32, String, Vec<usize>)>,
}

impl FoundLinks {
    fn add(&mut self, name: &str, (start_line, end_line): (u32, u32), targets: Vec<LinkTarget>) {
        if targets.is_empty() || name.is_empty() {
            return;
        }
        let places = targets.into_iter().map(|target| self.place(target)).collect();
        self.names.insert((start_line, end_line, name.to_owned(), places));
    }

    fn place(&mut self, target: LinkTarget) -> usize {
        let next = self.targets.len();
        *self.places.entry(target).or_insert_with_key(|target| {
            self.targets.push(target.clone());
            next
        })
    }

    fn finish(self) -> FileLinks {
        let name = |(start_line, end_line, name, targets)| LinkedName { name, start_line, end_line, targets };
        FileLinks { targets: self.targets, names: self.names.into_iter().map(name).collect() }
    }
}
