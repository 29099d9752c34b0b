//! Which file depends on which: all imports of a project, resolved in one pass.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::Import as Statement;
use vectorcode_core::api::EdgeKind;

use crate::resolve::{Import, Target, resolve};
use crate::tree::{FileId, Tree};

/// An edge from or to a file, seen from its other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileEdge {
    pub file: FileId,
    /// The line of the first statement that makes the edge, in the file that imports.
    pub line: u32,
    /// Of all statements that make the edge, the most ordinary.
    pub kind: EdgeKind,
    /// Only a declaration of a part (`mod x;`), which says nothing about who uses whom.
    pub declares: bool,
}

/// An import statement with the places that it leads to.
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

    /// Brings in everything that its target has.
    pub fn is_glob(&self) -> bool {
        self.statement.names.iter().any(|name| name == "*")
    }
}

/// The files of a project and the edges between them.
#[derive(Debug, Default)]
pub struct FileGraph {
    tree: Tree,
    statements: Vec<ResolvedImport>,
    /// Where in `statements` those of each file are.
    of_file: Vec<Range<usize>>,
    imports: Vec<Vec<FileEdge>>,
    importers: Vec<Vec<FileEdge>>,
    /// Names that some import gives to a definition which is called otherwise where it comes from.
    aliases: FxHashMap<String, Vec<String>>,
}

impl FileGraph {
    /// `manifest` reads a file of the project that tells how modules are found.
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
                // Looked up only then: a file may have very many importers.
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

    /// What a file imports.
    pub fn imports(&self, file: FileId) -> &[FileEdge] {
        &self.imports[file.0 as usize]
    }

    /// Who imports a file.
    pub fn importers(&self, file: FileId) -> &[FileEdge] {
        &self.importers[file.0 as usize]
    }

    /// The modules outside the project that a file imports, each with its first line.
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

    /// What else imports call the definition `name`.
    pub fn aliases(&self, name: &str) -> &[String] {
        self.aliases.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The kind of edge that a kind of statement makes.
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

/// Adds an edge. Where there is one to the same file, it becomes the more ordinary of the two.
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
