//! Prints the edges of a directory, to compare them with other tools.
//!
//! Usage: `cargo run --release -p vectorcode-graph --example edges -- DIRECTORY [--externals | --calls | --uses]`
//!
//! By default it prints which file imports which, one `from<TAB>to` per line, and the time of resolution on stderr. With
//! `--externals`, it prints imports from outside the project: `from<TAB>name<TAB>specifier`. With `--calls`, it prints which line
//! calls which definition: `path:line<TAB>path:line<TAB>confidence`. With `--uses`, it reads a definition's `path:line` from each
//! line of standard input and prints all uses of it: `definition<TAB>use<TAB>kind<TAB>confidence`. There, the confidence `text`
//! is a line that contains the name but that no rule resolves, and `family` is a use of a method that overrides the queried one
//! or is overridden by it.

#![allow(clippy::print_stdout, reason = "printing is what this program is for")]

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::error::Error;
use std::hash::Hash;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use vectorcode_core::api::{Confidence, EdgeKind};
use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{CancelToken, ParsedFile, Reference};
use vectorcode_graph::{
    Facts, FileGraph, FileId, Import, SymbolDefinition, SymbolEdge, SymbolId, SymbolUse, Symbols, Target,
    Tree, TreeFile, resolve,
};
use vectorcode_source::{FoundFile, Language, Scope, SourceText, parse_source, traits_of, uses_in};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("usage: edges DIRECTORY [--externals | --calls | --uses]")?;
    let directory = Path::new(&directory);
    let sources = read(directory)?;
    let manifest = |path: &str| std::fs::read_to_string(directory.join(path)).ok();
    let lines = match arguments.next().as_deref() {
        None => imports(&sources, &manifest, false),
        Some("--externals") => imports(&sources, &manifest, true),
        Some("--calls") => calls(&sources, &manifest),
        Some("--uses") => uses(directory, &sources, &manifest)?,
        Some(other) => return Err(format!("unknown option {other}").into()),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

fn read(directory: &Path) -> Result<Vec<ParsedFile>, Box<dyn Error>> {
    let scope = Scope::new(directory, &IndexingConfig::default())?;
    let found = scope.discover(&CancelToken::default())?;
    let parsed = found.files.iter().filter_map(|file| {
        let content = scope.read(file).ok()?;
        Some(parse_source(&file.path, file.language, &content.source))
    });
    Ok(parsed.collect())
}

fn tree(sources: &[ParsedFile]) -> Tree {
    let file = |source: &ParsedFile| TreeFile {
        path: source.path.clone(),
        language: source.language.clone(),
        traits: traits_of(&source.language),
        is_test: source.flags.test,
    };
    Tree::new(sources.iter().map(file).collect())
}

fn statements(tree: &Tree, sources: &[ParsedFile]) -> Vec<Import> {
    let of_source = |source: &ParsedFile| {
        let from = tree.get(&source.path);
        let imports = source.imports.clone().into_iter();
        from.into_iter()
            .flat_map(move |from| imports.clone().map(move |statement| Import { from, statement }))
    };
    sources.iter().flat_map(of_source).collect()
}

type Manifest<'a> = &'a dyn Fn(&str) -> Option<String>;

fn imports(sources: &[ParsedFile], manifest: Manifest<'_>, externals: bool) -> BTreeSet<String> {
    let tree = tree(sources);
    let imports = statements(&tree, sources);
    let start = Instant::now();
    let resolved = resolve(&tree, &imports, manifest);
    eprintln!("{} files, {} imports resolved in {:?}", tree.len(), imports.len(), start.elapsed());
    let mut lines = BTreeSet::new();
    for (import, targets) in imports.iter().zip(resolved) {
        let from = tree.path(import.from);
        for target in targets {
            match target {
                Target::File(to) if !externals => lines.insert(format!("{from}\t{}", tree.path(to))),
                Target::External(name) if externals => {
                    lines.insert(format!("{from}\t{name}\t{}", import.statement.specifier))
                }
                _ => false,
            };
        }
    }
    lines
}

fn calls(sources: &[ParsedFile], manifest: Manifest<'_>) -> BTreeSet<String> {
    let tree = tree(sources);
    let facts = InMemory::new(&tree, sources);
    let imports = statements(&tree, sources);
    let files = FileGraph::new(tree, imports, manifest);
    let symbols = Symbols::new(&files, &facts);
    let at = |file: FileId, line: u32| format!("{}:{line}", files.tree().path(file));
    let mut lines = BTreeSet::new();
    for defined in facts.definitions_of.values().flat_map(|definitions| definitions.iter()) {
        let Ok(edges) = symbols.callers(defined.id);
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Calls && edge.to == defined.id) {
            let (from, to) =
                (at(edge.from.file(), edge.line), at(edge.to.file, defined.definition.name_line));
            lines.insert(format!("{from}\t{to}\t{}", edge.confidence.as_str()));
        }
    }
    lines
}

/// The uses of some definitions, as a query for callers reports them.
fn uses(
    directory: &Path,
    sources: &[ParsedFile],
    manifest: Manifest<'_>,
) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let tree = tree(sources);
    let mut facts = InMemory::new(&tree, sources);
    let imports = statements(&tree, sources);
    let files = FileGraph::new(tree, imports, manifest);
    let texts = texts(directory)?;
    let mut lines = BTreeSet::new();
    for place in io::stdin().lines() {
        let place = place?;
        let Some((path, line)) = place.rsplit_once(':') else { continue };
        let Some(file) = files.tree().get(path) else { continue };
        let is_it = |defined: &&SymbolDefinition| Ok(defined.definition.name_line) == line.parse();
        let definitions = facts.definitions_of[&file].clone();
        let Some(asked) = definitions.iter().find(is_it) else {
            lines.insert(format!("{place}\t-\t-\tunknown"));
            continue;
        };
        let name = &asked.definition.name;
        let names: Vec<String> = std::iter::once(name).chain(files.aliases(name)).cloned().collect();
        let mut unresolved = BTreeSet::new();
        let mut found: HashMap<String, Vec<SymbolUse>> = HashMap::new();
        for (path, language, source) in &texts {
            let Some(file) = files
                .tree()
                .get(path)
                .filter(|_| names.iter().any(|name| source.text.contains(name.as_str())))
            else {
                continue;
            };
            for reference in uses_in(language, source, &names).references {
                unresolved.insert((file, reference.line));
                found.entry(reference.name.clone()).or_default().push(SymbolUse { file, reference });
            }
        }
        for (name, uses) in found {
            facts.references_named.insert(name, uses.into());
        }
        let symbols = Symbols::new(&files, &facts);
        let Ok(id) = symbols.canonical(asked.id);
        let Ok(used) = symbols.uses(id);
        let at = |edge: &SymbolEdge| format!("{}:{}", files.tree().path(edge.from.file()), edge.line);
        for edge in used {
            unresolved.remove(&(edge.from.file(), edge.line));
            lines.insert(format!(
                "{place}\t{}\t{}\t{}",
                at(&edge),
                edge.used.as_str(),
                edge.confidence.as_str()
            ));
        }
        let Ok(family) = symbols.family(id);
        for member in family {
            let Ok(used) = symbols.uses(member);
            for edge in used.iter().filter(|edge| edge.confidence < Confidence::Guess) {
                unresolved.remove(&(edge.from.file(), edge.line));
                lines.insert(format!("{place}\t{}\t{}\tfamily", at(edge), edge.used.as_str()));
            }
        }
        for (file, line) in unresolved {
            lines.insert(format!("{place}\t{}:{line}\t-\ttext", files.tree().path(file)));
        }
    }
    Ok(lines)
}

type Text = (String, &'static Language, SourceText);

fn texts(directory: &Path) -> Result<Vec<Text>, Box<dyn Error>> {
    let scope = Scope::new(directory, &IndexingConfig::default())?;
    let found = scope.discover(&CancelToken::default())?;
    let read = |file: &FoundFile| Some((file.path.clone(), file.language, scope.read(file).ok()?.source));
    Ok(found.files.iter().filter_map(read).collect())
}

/// The facts of sources, without an index.
#[derive(Default)]
struct InMemory {
    definitions_named: HashMap<String, Rc<[SymbolDefinition]>>,
    definitions_of: HashMap<FileId, Rc<[SymbolDefinition]>>,
    references_named: HashMap<String, Rc<[SymbolUse]>>,
    references_of: HashMap<FileId, Rc<[Reference]>>,
}

impl InMemory {
    fn new(tree: &Tree, sources: &[ParsedFile]) -> Self {
        let mut facts = Self::default();
        let mut definitions: HashMap<String, Vec<SymbolDefinition>> = HashMap::new();
        let mut references: HashMap<String, Vec<SymbolUse>> = HashMap::new();
        for source in sources {
            let Some(file) = tree.get(&source.path) else { continue };
            let defined: Rc<[SymbolDefinition]> = defined(file, source).collect();
            for one in defined.iter() {
                definitions.entry(one.definition.name.clone()).or_default().push(one.clone());
            }
            for reference in &source.references {
                let used = SymbolUse { file, reference: reference.clone() };
                references.entry(reference.name.clone()).or_default().push(used);
            }
            facts.definitions_of.insert(file, defined);
            facts.references_of.insert(file, source.references.clone().into());
        }
        facts.definitions_named = definitions.into_iter().map(|(name, all)| (name, all.into())).collect();
        facts.references_named = references.into_iter().map(|(name, all)| (name, all.into())).collect();
        facts
    }
}

fn defined(file: FileId, source: &ParsedFile) -> impl Iterator<Item = SymbolDefinition> {
    source.definitions.iter().enumerate().map(move |(ordinal, definition)| SymbolDefinition {
        id: SymbolId { file, ordinal: ordinal as u32 },
        definition: definition.clone(),
        is_test: source.flags.test,
    })
}

fn known<K: Hash + Eq, T>(map: &HashMap<K, Rc<[T]>>, key: &K) -> Rc<[T]> {
    map.get(key).cloned().unwrap_or_default()
}

impl Facts for InMemory {
    type Error = Infallible;

    fn definitions_named(&self, name: &str) -> Result<Rc<[SymbolDefinition]>, Infallible> {
        Ok(known(&self.definitions_named, &name.to_owned()))
    }

    fn definitions_of(&self, file: FileId) -> Result<Rc<[SymbolDefinition]>, Infallible> {
        Ok(known(&self.definitions_of, &file))
    }

    fn references_named(&self, name: &str) -> Result<Rc<[SymbolUse]>, Infallible> {
        Ok(known(&self.references_named, &name.to_owned()))
    }

    fn references_of(&self, file: FileId) -> Result<Rc<[Reference]>, Infallible> {
        Ok(known(&self.references_of, &file))
    }
}
