//! Determines which files are visible from a file: those that it imports, and those whose names come with them.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::parent_folder;

use crate::files::{FileGraph, ResolvedImport};
use crate::resolve::PACKAGE;
use crate::tree::FileId;

/// How many wildcard imports in a row are followed (an include in an included file, `export *`).
const MAX_HOPS: u32 = 5;

/// How near a definition is to the file that uses its name; lower is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    SameFile,
    Imported,
    /// In the same folder or declared package, in languages where this makes its names visible.
    SameFolder,
    /// Imported by an imported file.
    TwoSteps,
    NotVisible,
}

/// Caches the wildcard imports of each file.
#[derive(Debug, Default)]
pub(super) struct Visibility {
    wildcard: RefCell<FxHashMap<FileId, Rc<FxHashSet<FileId>>>>,
}

impl Visibility {
    /// The files whose names are all usable without a qualifier: through `#include` or `import *`, directly or indirectly.
    pub fn wildcard_imports(&self, files: &FileGraph, file: FileId) -> Rc<FxHashSet<FileId>> {
        if let Some(known) = self.wildcard.borrow().get(&file) {
            return known.clone();
        }
        let mut seen = FxHashSet::default();
        let mut frontier = vec![file];
        for _ in 0..MAX_HOPS {
            let mut next = Vec::new();
            for file in frontier {
                next.extend(direct_wildcard_imports(files, file).filter(|target| seen.insert(*target)));
            }
            frontier = next;
        }
        seen.remove(&file);
        let seen = Rc::new(seen);
        self.wildcard.borrow_mut().insert(file, seen.clone());
        seen
    }

    pub fn nearness(&self, files: &FileGraph, from: FileId, to: FileId) -> Nearness {
        let imports = |file: FileId, other: FileId| files.imports(file).iter().any(|edge| edge.file == other);
        if from == to {
            Nearness::SameFile
        } else if imports(from, to) || self.wildcard_imports(files, from).contains(&to) {
            Nearness::Imported
        } else if files.tree().traits(from).shares_folder
            && (same_folder(files, from, to) || same_package(files, from, to))
        {
            Nearness::SameFolder
        } else if files.imports(from).iter().any(|edge| imports(edge.file, to)) {
            Nearness::TwoSteps
        } else {
            Nearness::NotVisible
        }
    }
}

fn direct_wildcard_imports(files: &FileGraph, file: FileId) -> impl Iterator<Item = FileId> {
    let imports_all = files.tree().traits(file).imports_all;
    let statements = files.statements(file).iter();
    statements
        .filter(move |resolved| resolved.is_glob() || (imports_all && resolved.statement.names.is_empty()))
        .flat_map(ResolvedImport::files)
}

fn same_folder(files: &FileGraph, one: FileId, other: FileId) -> bool {
    let folder = |file| parent_folder(files.tree().path(file));
    folder(one) == folder(other)
}

/// Whether two files declare the same package: `src/main/java/shop` and `src/test/java/shop` are one package. Clauses without
/// names, like those of Go, do not count, because many folders have the same.
fn same_package(files: &FileGraph, one: FileId, other: FileId) -> bool {
    let declared = |file| {
        let mut statements = files.statements(file).iter().map(|resolved| &resolved.statement);
        let clause = statements.find(|statement| statement.kind == PACKAGE && !statement.names.is_empty());
        clause.map(|clause| clause.specifier.as_str()).filter(|package| !package.is_empty())
    };
    let (one, other) = (declared(one), declared(other));
    one.is_some() && one == other
}
