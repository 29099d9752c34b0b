//! Which files a file sees: those that it imports, and those whose names come in with them.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::files::{FileGraph, Resolved};
use crate::tree::FileId;

/// How many includes or re-exports of everything are followed.
const MAX_HOPS: u32 = 5;

/// How near a definition is to a file that uses its name; lower is nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    SameFile,
    Imported,
    SameFolder,
    /// Imported by something that is imported.
    TwoSteps,
    OutOfSight,
}

/// Remembers what each file brings in whole.
#[derive(Debug, Default)]
pub(super) struct Sight {
    whole: RefCell<FxHashMap<FileId, Rc<FxHashSet<FileId>>>>,
}

impl Sight {
    /// The files all of whose names a file can use as if they were its own: `#include`, `import *`.
    pub fn whole(&self, files: &FileGraph, file: FileId) -> Rc<FxHashSet<FileId>> {
        if let Some(known) = self.whole.borrow().get(&file) {
            return known.clone();
        }
        let mut seen = FxHashSet::default();
        let mut edge = vec![file];
        for _ in 0..MAX_HOPS {
            let mut next = Vec::new();
            for file in edge {
                next.extend(brought_in_whole(files, file).filter(|target| seen.insert(*target)));
            }
            edge = next;
        }
        seen.remove(&file);
        let seen = Rc::new(seen);
        self.whole.borrow_mut().insert(file, seen.clone());
        seen
    }

    pub fn nearness(&self, files: &FileGraph, from: FileId, to: FileId) -> Nearness {
        let imports = |file: FileId, other: FileId| files.imports(file).iter().any(|edge| edge.file == other);
        if from == to {
            Nearness::SameFile
        } else if imports(from, to) || self.whole(files, from).contains(&to) {
            Nearness::Imported
        } else if files.tree().traits(from).shares_folder && same_folder(files, from, to) {
            Nearness::SameFolder
        } else if files.imports(from).iter().any(|edge| imports(edge.file, to)) {
            Nearness::TwoSteps
        } else {
            Nearness::OutOfSight
        }
    }
}

fn brought_in_whole(files: &FileGraph, file: FileId) -> impl Iterator<Item = FileId> {
    let imports_all = files.tree().traits(file).imports_all;
    let statements = files.statements(file).iter();
    statements
        .filter(move |resolved| resolved.is_glob() || (imports_all && resolved.statement.names.is_empty()))
        .flat_map(Resolved::files)
}

fn same_folder(files: &FileGraph, one: FileId, other: FileId) -> bool {
    let folder = |file| files.tree().path(file).rsplit_once('/').map_or("", |(folder, _)| folder);
    folder(one) == folder(other)
}
