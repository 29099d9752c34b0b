//! Every line at which code uses what was asked about.
//!
//! The index stores a use that repeats within one definition once. The other lines come from the file itself, which is parsed
//! again: few files use one symbol, and their present text is better than what the index remembers.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use vectorcode_core::api::{GraphNode, GraphResponse};
use vectorcode_core::{ParsedFile, Reference};
use vectorcode_graph::{FileId, Node, SymbolId, Symbols};
use vectorcode_source::Parsers;

use super::GraphContext;
use super::facts::IndexFacts;
use crate::EngineError;

/// Files that are parsed for one answer. Of further ones the first line of each use is known.
const MAX_FILES: usize = 200;

/// Adds all their lines to the edges that lead to `asked`.
pub(super) fn add_lines(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    asked: &[SymbolId],
    response: &mut GraphResponse,
) -> Result<(), EngineError> {
    let mut files = ParsedFiles { context, parsed: HashMap::new() };
    let mut lines: HashMap<(Place, Place), BTreeSet<u32>> = HashMap::new();
    for target in asked {
        let Some(to) = Place::of(context, symbols, Node::Symbol(*target))? else { continue };
        for used in symbols.uses(*target)? {
            let Some(from) = Place::of(context, symbols, used.from)? else { continue };
            let at = lines.entry((from, to.clone())).or_default();
            at.insert(used.line);
            at.extend(files.repeated(used.from.file(), used.line, &to.name));
        }
    }
    let GraphResponse { nodes, edges, .. } = response;
    for edge in edges {
        let ends = (Place::of_node(&nodes[edge.from]), Place::of_node(&nodes[edge.to]));
        if let Some(found) = lines.remove(&ends) {
            edge.lines = found.into_iter().collect();
        }
    }
    Ok(())
}

/// A definition or a file, as nodes of a response name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Place {
    path: String,
    /// Without its scopes; empty for a file.
    name: String,
    line: Option<u32>,
}

impl Place {
    fn of_node(node: &GraphNode) -> Self {
        match &node.path {
            Some(path) => Self { path: path.clone(), name: bare(&node.name).to_owned(), line: node.line },
            None => Self { path: node.name.clone(), name: String::new(), line: None },
        }
    }

    fn of(
        context: &GraphContext<'_>,
        symbols: &Symbols<'_, IndexFacts<'_>>,
        node: Node,
    ) -> Result<Option<Self>, EngineError> {
        let path = context.snapshot.files.tree().path(node.file()).to_owned();
        let Node::Symbol(id) = node else { return Ok(Some(Self { path, name: String::new(), line: None })) };
        Ok(symbols.defined(id)?.map(|defined| Self {
            path,
            name: bare(&defined.definition.qualified).to_owned(),
            line: Some(defined.definition.name_line),
        }))
    }
}

fn bare(qualified: &str) -> &str {
    qualified.rsplit('.').next().unwrap_or(qualified)
}

/// The files that use the symbol, each parsed once.
struct ParsedFiles<'a> {
    context: &'a GraphContext<'a>,
    parsed: HashMap<FileId, Option<ParsedFile>>,
}

impl ParsedFiles<'_> {
    /// The lines of the uses that the index stores as one with the use of `name` at `line`.
    fn repeated(&mut self, file: FileId, line: u32, name: &str) -> Vec<u32> {
        let Some(parsed) = self.parse(file) else { return Vec::new() };
        let is_it = |used: &&Reference| used.line == line && used.name == name;
        let Some(first) = parsed.references.iter().find(is_it) else { return Vec::new() };
        let same = |used: &&Reference| {
            (&used.name, &used.receiver, used.kind, used.enclosing)
                == (&first.name, &first.receiver, first.kind, first.enclosing)
        };
        parsed.references.iter().filter(same).map(|used| used.line).collect()
    }

    fn parse(&mut self, file: FileId) -> Option<&ParsedFile> {
        if !self.parsed.contains_key(&file) {
            if self.parsed.len() >= MAX_FILES || self.context.cancel.is_cancelled() {
                return None;
            }
            let parsed = parsed(self.context, self.context.snapshot.files.tree().path(file));
            self.parsed.insert(file, parsed);
        }
        self.parsed.get(&file)?.as_ref()
    }
}

/// A file as it is now; `None` where it may no longer be read.
fn parsed(context: &GraphContext<'_>, path: &str) -> Option<ParsedFile> {
    let found = context.scope.judge(Path::new(path)).ok()?;
    let read = context.scope.read(&found).ok()?;
    Parsers::of(context.scope.root()).parse(path, found.language, &read.source).ok()
}
