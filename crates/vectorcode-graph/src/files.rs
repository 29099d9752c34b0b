//! The file graph: all imports of a project, resolved in one pass.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::Import as Statement;
use vectorcode_core::api::EdgeKind;

use crate::resolve::{Import, Target, resolve};
use crate::tree::{FileId, Tree};

/// An edge from or to a file, as seen from that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileEdge {
    pub file: FileId,
    /// The line of the first statement that creates the edge, in the importing file.
    pub line: u32,
    /// The lowest [`EdgeKind`] of all statements that create the edge.
    pub kind: EdgeKind,
    /// Only declares a module (`mod x;`), which does not say who uses whom.
    pub declares: bool,
}

/// An import statement with its resolved targets.
#[derive(Debug)]
pub(crate) struct ResolvedImport {
    pub statement: Statement,
    pub targets: Vec<Target>,
}

impl ResolvedImport {
    pub fn files(&self) -> impl Iterator<Item = FileId> {
        self.targets.iter().filter_map(|target| match target {
            Target::File(file) => Some(*file),
            Target::External(_) => None,
        })
    }

    /// Whether it imports everything that its target defines.
    pub fn is_glob(&self) -> bool {
        self.statement.names.iter().any(|name| name == "*")
    }
}

/// The files of a project and the edges between them.
#[derive(Debug, Default)]
pub struct FileGraph {
    tree: Tree,
    statements: Vec<ResolvedImport>,
    /// For each file, the range of its statements in `statements`.
    of_file: Vec<Range<usize>>,
    imports: Vec<Vec<FileEdge>>,
    importers: Vec<Vec<FileEdge>>,
    /// For a definition's name, the other names that imports give to it.
    aliases: FxHashMap<String, Vec<String>>,
}

impl FileGraph {
    /// Resolves the imports. `manifest` reads a file of the project that configures module resolution, such as `package.json`.
    pub fn new(tree: Tree, mut imports: Vec<Import>, manifest: &dyn Fn(&str) -> Option<String>) -> Self {
        imports.sort_by_key(|import| import.from);
        let targets = resolve(&tree, &imports, manifest);
        let mut graph = Self {
            of_file: ranges(tree.len(), &imports),
            imports: vec![Vec::new(); tree.len()],
            importers: vec![Vec::new(); tree.len()],
            aliases: aliases(&imports),
            statements: Vec::with_capacity(imports.len()),
            tree,
        };
        for (import, targets) in imports.into_iter().zip(targets) {
            let resolved = ResolvedImport { statement: import.statement, targets };
            graph.add_edges(import.from, &resolved);
            graph.statements.push(resolved);
        }
        graph
    }

    fn add_edges(&mut self, from: FileId, resolved: &ResolvedImport) {
        let Statement { line, kind, .. } = &resolved.statement;
        for to in resolved.files().filter(|to| *to != from) {
            let edge = FileEdge { file: to, line: *line, kind: edge_kind(kind), declares: kind == "mod" };
            match merge(&mut self.imports[from.0 as usize], edge) {
                Merged::New => self.importers[to.0 as usize].push(FileEdge { file: from, ..edge }),
                // Only looked up if the edge changed: a file may have very many importers.
                Merged::Changed => {
                    merge(&mut self.importers[to.0 as usize], FileEdge { file: from, ..edge });
                }
                Merged::Same => {}
            }
        }
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The files that a file imports.
    pub fn imports(&self, file: FileId) -> &[FileEdge] {
        &self.imports[file.0 as usize]
    }

    /// The files that import a file.
    pub fn importers(&self, file: FileId) -> &[FileEdge] {
        &self.importers[file.0 as usize]
    }

    /// Whether a file imports another or is imported.
    pub fn is_linked(&self, file: FileId) -> bool {
        !self.imports(file).is_empty() || !self.importers(file).is_empty()
    }

    /// The external modules that a file imports, each with the line of its first import.
    pub fn externals(&self, file: FileId) -> Vec<(&str, u32)> {
        let mut seen = FxHashSet::default();
        let statements = self.statements(file).iter();
        let externals = statements.flat_map(|resolved| {
            resolved.targets.iter().filter_map(|target| match target {
                Target::External(name) => Some((name.as_str(), resolved.statement.line)),
                Target::File(_) => None,
            })
        });
        externals.filter(|(name, _)| seen.insert(*name)).collect()
    }

    pub(crate) fn statements(&self, file: FileId) -> &[ResolvedImport] {
        &self.statements[self.of_file[file.0 as usize].clone()]
    }

    /// The other names that imports give to the definition `name`.
    pub fn aliases(&self, name: &str) -> &[String] {
        self.aliases.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The kind of edge for a kind of statement.
fn edge_kind(statement: &str) -> EdgeKind {
    match statement {
        "export" | "sass_forward" => EdgeKind::Reexports,
        "dynamic" => EdgeKind::Dynamic,
        _ => EdgeKind::Imports,
    }
}

enum Merged {
    New,
    Changed,
    Same,
}

/// Adds an edge, or merges it with the existing edge to the same file: the lower kind wins.
fn merge(edges: &mut Vec<FileEdge>, edge: FileEdge) -> Merged {
    let Some(known) = edges.iter_mut().find(|known| known.file == edge.file) else {
        edges.push(edge);
        return Merged::New;
    };
    let both =
        FileEdge { kind: known.kind.min(edge.kind), declares: known.declares && edge.declares, ..*known };
    if both == *known {
        return Merged::Same;
    }
    *known = both;
    Merged::Changed
}

fn ranges(files: usize, imports: &[Import]) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |file: u32| {
        let end = start + imports[start..].partition_point(|import| import.from.0 <= file);
        std::mem::replace(&mut start, end)..end
    };
    (0..files as u32).map(range).collect()
}

fn aliases(imports: &[Import]) -> FxHashMap<String, Vec<String>> {
    let mut aliases: FxHashMap<String, Vec<String>> = FxHashMap::default();
    for import in imports {
        for (here, there) in import.statement.bindings().filter(|(here, there)| here != there) {
            let known = aliases.entry(there.to_owned()).or_default();
            if !known.iter().any(|alias| alias == here) {
                known.push(here.to_owned());
            }
        }
    }
    aliases
}
