//! The files of a project, indexed the ways that resolvers look them up, and its manifests.

use rustc_hash::FxHashMap;

use super::Import;
use super::paths::{file_name, join, parent};
use crate::tree::{FileId, Tree};

pub(super) struct Project<'a> {
    pub tree: &'a Tree,
    pub imports: &'a [Import],
    manifest: &'a dyn Fn(&str) -> Option<String>,
    by_folder: FxHashMap<&'a str, Vec<FileId>>,
    by_name: FxHashMap<&'a str, Vec<FileId>>,
}

impl<'a> Project<'a> {
    pub fn new(tree: &'a Tree, imports: &'a [Import], manifest: &'a dyn Fn(&str) -> Option<String>) -> Self {
        let mut by_folder: FxHashMap<_, Vec<_>> = FxHashMap::default();
        let mut by_name: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (id, file) in tree.iter() {
            by_folder.entry(parent(&file.path)).or_default().push(id);
            by_name.entry(file_name(&file.path)).or_default().push(id);
        }
        Self { tree, imports, manifest, by_folder, by_name }
    }

    pub fn at(&self, path: &str) -> Option<FileId> {
        self.tree.get(path)
    }

    /// The file at the path `relative` to `folder`.
    pub fn below(&self, folder: &str, relative: &str) -> Option<FileId> {
        self.at(&join(folder, relative)?)
    }

    pub fn path(&self, id: FileId) -> &'a str {
        self.tree.path(id)
    }

    pub fn folder_of(&self, id: FileId) -> &'a str {
        parent(self.path(id))
    }

    /// The files directly in a folder.
    pub fn in_folder(&self, folder: &str) -> &[FileId] {
        self.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// The files with this name, in any folder.
    pub fn named(&self, name: &str) -> &[FileId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The files whose path ends with `suffix`, at a component boundary.
    pub fn ending(&self, suffix: &str) -> impl Iterator<Item = FileId> {
        let is_end = move |id: &FileId| {
            let before = self.path(*id).strip_suffix(suffix);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.named(file_name(suffix)).iter().copied().filter(is_end)
    }

    /// Every manifest with this name, with the folder that it applies to.
    pub fn manifests(&self, name: &str) -> impl Iterator<Item = (&'a str, String)> {
        self.named(name).iter().filter_map(|id| Some((self.folder_of(*id), self.read(self.path(*id))?)))
    }

    pub fn read(&self, path: &str) -> Option<String> {
        (self.manifest)(path)
    }

    /// Whether code in `from` can depend on `to`: only tests depend on tests.
    pub fn is_visible(&self, from: FileId, to: FileId) -> bool {
        self.tree.file(from).is_test || !self.tree.file(to).is_test
    }

    /// Of several candidates for one name, those that share the longest path with `from`.
    pub fn nearest(&self, from: FileId, mut candidates: Vec<FileId>) -> Vec<FileId> {
        if candidates.len() > 1 {
            let shared = |id: &FileId| shared_folders(self.path(from), self.path(*id));
            let most = candidates.iter().map(shared).max().unwrap_or_default();
            candidates.retain(|id| shared(id) == most);
        }
        candidates
    }

    /// Like [`Project::nearest`], but `None` if several remain.
    pub fn only_nearest(&self, from: FileId, candidates: Vec<FileId>) -> Option<FileId> {
        match self.nearest(from, candidates)[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// The number of folders that two paths share, starting at the root.
fn shared_folders(left: &str, right: &str) -> usize {
    let folders = parent(left).split('/').zip(parent(right).split('/'));
    folders.take_while(|(left, right)| left == right).count()
}
