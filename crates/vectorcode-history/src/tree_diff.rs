//! Compares two trees, up to given limits.
//!
//! Only entries with different ids are opened, so comparing two neighbouring commits only reads the trees above the changed
//! files. A tree can be crafted that expands to more entries than fit on any disk, or that contains itself. So the number of
//! trees and entries that are read is limited, as is the length of a path.

use std::collections::HashMap;

use gix_hash::ObjectId;
use gix_object::tree::EntryMode;

use crate::Repository;

/// The usual limits of file systems.
const MAX_NAME_BYTES: usize = 255;
const MAX_PATH_BYTES: usize = 4_096;

/// The limits of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub files: usize,
    /// The number of trees that are read.
    pub trees: usize,
    /// The number of entries in these trees.
    pub entries: usize,
}

/// The comparison exceeds its limits, or a tree cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incomplete {
    TooMany,
    Missing,
}

/// A file that differs, with its id on either side, or `None` if it does not exist there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedFile {
    /// Relative to the compared trees, with `/`.
    pub path: String,
    pub old: Option<ObjectId>,
    pub new: Option<ObjectId>,
}

/// A file or folder in a tree. Links and submodules are left out, because they are not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    id: ObjectId,
    is_tree: bool,
}

pub(crate) struct TreeDiff<'r> {
    repository: &'r Repository,
    bounds: Bounds,
    trees_read: usize,
    entries_read: usize,
    changed: Vec<ChangedFile>,
}

impl<'r> TreeDiff<'r> {
    pub fn new(repository: &'r Repository, bounds: Bounds) -> Self {
        Self { repository, bounds, trees_read: 0, entries_read: 0, changed: Vec::new() }
    }

    /// The files that differ between two trees; `None` is an empty tree.
    pub fn compare(
        mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Vec<ChangedFile>, Incomplete> {
        // An explicit stack, because the author of a tree controls its depth.
        let mut open = vec![(String::new(), old, new)];
        while let Some((folder, old, new)) = open.pop() {
            if old == new {
                continue;
            }
            let (old, new) = (self.entries(old)?, self.entries(new)?);
            let mut names: Vec<&String> =
                old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))).collect();
            names.sort_unstable();
            for name in names {
                let (old, new) = (old.get(name).copied(), new.get(name).copied());
                if old == new || folder.len() + name.len() > MAX_PATH_BYTES {
                    continue;
                }
                let path = format!("{folder}{name}");
                self.add_file(&path, old, new)?;
                let tree = |entry: Option<Entry>| entry.filter(|entry| entry.is_tree).map(|entry| entry.id);
                if tree(old).is_some() || tree(new).is_some() {
                    open.push((format!("{path}/"), tree(old), tree(new)));
                }
            }
        }
        self.changed.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(self.changed)
    }

    fn add_file(&mut self, path: &str, old: Option<Entry>, new: Option<Entry>) -> Result<(), Incomplete> {
        let file = |entry: Option<Entry>| entry.filter(|entry| !entry.is_tree).map(|entry| entry.id);
        let (old, new) = (file(old), file(new));
        if old == new {
            return Ok(());
        }
        if self.changed.len() >= self.bounds.files {
            return Err(Incomplete::TooMany);
        }
        self.changed.push(ChangedFile { path: path.to_owned(), old, new });
        Ok(())
    }

    fn entries(&mut self, tree: Option<ObjectId>) -> Result<HashMap<String, Entry>, Incomplete> {
        let Some(tree) = tree else { return Ok(HashMap::new()) };
        self.trees_read += 1;
        if self.trees_read > self.bounds.trees || self.entries_read > self.bounds.entries {
            return Err(Incomplete::TooMany);
        }
        let entries = entries(self.repository, tree).ok_or(Incomplete::Missing)?;
        self.entries_read += entries.len();
        Ok(entries)
    }
}

/// The tree of a folder below another tree; `None` if there is none. A missing tree object is an error.
pub(crate) fn folder(
    repository: &Repository,
    tree: ObjectId,
    names: &[String],
) -> Result<Option<ObjectId>, Incomplete> {
    let mut tree = tree;
    for name in names {
        let entries = entries(repository, tree).ok_or(Incomplete::Missing)?;
        match entries.get(name) {
            Some(entry) if entry.is_tree => tree = entry.id,
            _ => return Ok(None),
        }
    }
    Ok(Some(tree))
}

/// The id of a file below a tree; `None` if there is none.
pub(crate) fn file_at(
    repository: &Repository,
    tree: ObjectId,
    path: &str,
) -> Result<Option<ObjectId>, Incomplete> {
    let mut folders: Vec<String> = path.split('/').map(str::to_owned).collect();
    let Some(name) = folders.pop() else { return Ok(None) };
    let Some(tree) = folder(repository, tree, &folders)? else { return Ok(None) };
    let entries = entries(repository, tree).ok_or(Incomplete::Missing)?;
    Ok(entries.get(&name).filter(|entry| !entry.is_tree).map(|entry| entry.id))
}

/// The files and folders of one tree. Names that are not UTF-8 are left out, because they are not indexed.
fn entries(repository: &Repository, tree: ObjectId) -> Option<HashMap<String, Entry>> {
    let data = repository.object(tree, gix_object::Kind::Tree)?;
    let mut entries = HashMap::new();
    for entry in gix_object::TreeRefIter::from_bytes(&data, tree.kind()) {
        let entry = entry.ok()?;
        if !(entry.mode.is_tree() || is_file(entry.mode)) {
            continue;
        }
        // No disk can store a longer name. In a crafted tree, names of megabytes would add up to a path of gigabytes.
        if entry.filename.len() > MAX_NAME_BYTES {
            continue;
        }
        let Ok(name) = std::str::from_utf8(entry.filename) else { continue };
        entries.insert(name.to_owned(), Entry { id: entry.oid.into(), is_tree: entry.mode.is_tree() });
    }
    Some(entries)
}

fn is_file(mode: EntryMode) -> bool {
    mode.is_blob()
}
