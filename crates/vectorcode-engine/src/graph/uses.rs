//! Every line of the project that contains a name, and what the name refers to there.
//!
//! The text shows where a name occurs, so no response has to say "none" because a resolution rule is missing. The
//! files that contain it are parsed again to find all kinds of uses: few files contain one name, and their current
//! text is better than what the index holds.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use vectorcode_core::api::{ExactRequest, PatternSyntax};
use vectorcode_core::{Definition, Reference, lock};
use vectorcode_graph::{Facts, FileId, SymbolUse};
use vectorcode_source::{FileUses, Parsers};

use super::GraphContext;
use super::facts::IndexFacts;
use crate::error::EngineError;
use crate::search::ExactSearch;

/// How many files are parsed for one request. For further ones the index has the calls, types and bases.
const MAX_FILES: usize = 800;
/// How many matching lines of one file are considered.
const MAX_LINES: usize = 10_000;

/// The occurrences of a name and its aliases.
pub(super) struct Scan {
    /// The name first, then its aliases.
    pub names: Vec<String>,
    /// The lines that contain one of the names, by file.
    pub lines: BTreeMap<FileId, Vec<u32>>,
    /// False if the search ran out of time.
    pub complete: bool,
    parsed: HashMap<FileId, FileUses>,
}

impl Scan {
    pub fn of(context: &GraphContext<'_>, name: &str) -> Result<Self, EngineError> {
        let aliases = context.snapshot.files.aliases(name).iter().filter(|alias| *alias != "*");
        let names: Vec<String> =
            std::iter::once(name).chain(aliases.map(String::as_str)).map(str::to_owned).collect();
        let request = ExactRequest {
            syntax: PatternSyntax::Regex,
            limit: MAX_LINES,
            ..ExactRequest::literal(pattern(&names))
        };
        let search = ExactSearch {
            source: context.source,
            scope: context.scope,
            request: &request,
            cancel: context.cancel,
        };
        let files = context.reader.source_files()?;
        let (found, complete) = search.matches_by_file(&files)?;
        let tree = context.snapshot.files.tree();
        let lines: BTreeMap<FileId, Vec<u32>> = found
            .into_iter()
            .filter_map(|matches| Some((tree.get(&files[matches.place].path)?, matches.lines)))
            .collect();
        let parsed = parse(context, &lines, &names);
        Ok(Self { names, lines, complete, parsed })
    }

    /// Replaces the indexed uses of the names by those found in the parsed files.
    pub fn put_into(&self, facts: &IndexFacts<'_>) -> Result<(), EngineError> {
        let mut by_name: HashMap<&str, Vec<SymbolUse>> = HashMap::new();
        for (file, uses) in &self.parsed {
            let known = facts.definitions_of(*file)?;
            let known: Vec<&Definition> = known.iter().map(|defined| &defined.definition).collect();
            for reference in &uses.references {
                let enclosing =
                    reference.enclosing.and_then(|at| place_of(&known, uses.definitions.get(at as usize)?));
                let reference = Reference { enclosing, ..reference.clone() };
                let name = self.names.iter().find(|name| **name == reference.name);
                by_name
                    .entry(name.map_or("", String::as_str))
                    .or_default()
                    .push(SymbolUse { file: *file, reference });
            }
        }
        for name in &self.names {
            let mut uses = by_name.remove(name.as_str()).unwrap_or_default();
            let indexed = facts.references_named(name)?;
            uses.extend(indexed.iter().filter(|used| !self.parsed.contains_key(&used.file)).cloned());
            uses.sort_by_key(|used| (used.file, used.reference.line));
            facts.set_references(name, uses);
        }
        Ok(())
    }

    /// The uses of the names in a file that was parsed.
    pub fn uses(&self, file: FileId) -> &[Reference] {
        self.parsed.get(&file).map_or(&[], |uses| &uses.references)
    }

    /// The lines of a file on which one of the names is defined.
    pub fn definitions(&self, file: FileId) -> impl Iterator<Item = u32> {
        let definitions = self.parsed.get(&file).into_iter().flat_map(|uses| &uses.definitions);
        definitions
            .filter(|definition| self.names.contains(&definition.name))
            .map(|definition| definition.name_line)
    }
}

/// The index of a definition from the current text among those in the index.
fn place_of(known: &[&Definition], wanted: &Definition) -> Option<u32> {
    let same = known.iter().enumerate().filter(|(_, other)| other.qualified == wanted.qualified);
    let nearest = same.min_by_key(|(_, other)| other.name_line.abs_diff(wanted.name_line));
    nearest.map(|(place, _)| place as u32)
}

/// A pattern that matches the names as whole words.
fn pattern(names: &[String]) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let word = |name: &String| {
        let (start, end) = (is_word(name.chars().next()), is_word(name.chars().next_back()));
        let edge = |is_word: bool| if is_word { r"\b" } else { "" };
        format!("{}{}{}", edge(start), escaped(name), edge(end))
    };
    names.iter().map(word).collect::<Vec<_>>().join("|")
}

fn escaped(name: &str) -> String {
    let escape = |c: char| {
        let is_special = c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_';
        is_special.then_some('\\').into_iter().chain([c])
    };
    name.chars().flat_map(escape).collect()
}

/// Parses the files that contain one of the names, on all cores.
fn parse(
    context: &GraphContext<'_>,
    lines: &BTreeMap<FileId, Vec<u32>>,
    names: &[String],
) -> HashMap<FileId, FileUses> {
    let files: Vec<FileId> = lines.keys().copied().take(MAX_FILES).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(HashMap::new()));
    let (tree, scope, cancel) = (context.snapshot.files.tree(), context.scope, context.cancel);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if cancel.is_cancelled() {
                return;
            }
            let Ok(judged) = scope.classify(Path::new(tree.path(*file))) else { continue };
            let Ok(file_read) = scope.read(&judged) else { continue };
            let uses = Parsers::of(scope.root()).uses(judged.language, &file_read.source, names);
            // A file without a parser has no definitions either.
            if let Some(uses) = uses.ok().filter(|uses| *uses != FileUses::default()) {
                lock(&found).insert(*file, uses);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, parsing takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}
