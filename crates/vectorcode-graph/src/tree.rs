//! The files of a project, as the index knows them.

use rustc_hash::FxHashMap;
use vectorcode_core::{LanguageTraits, ModuleSystem};

/// The place of a file in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the project root, with `/`.
    pub path: String,
    pub language: String,
    /// What `language` means for the names in the file; from the language registry.
    pub traits: LanguageTraits,
    pub is_test: bool,
}

impl TreeFile {
    pub(crate) fn uses(&self, modules: ModuleSystem) -> bool {
        self.traits.module_system == Some(modules)
    }

    /// Whether code of this file can use what `other` defines.
    pub(crate) fn can_use(&self, other: &Self) -> bool {
        let same_modules = self.traits.module_system == other.traits.module_system;
        self.language == other.language || (self.traits.shares_definitions && same_modules)
    }
}

/// All files of a project, in the order of their paths.
#[derive(Debug, Default)]
pub struct Tree {
    files: Vec<TreeFile>,
    by_path: FxHashMap<String, FileId>,
}

impl Tree {
    pub fn new(mut files: Vec<TreeFile>) -> Self {
        files.sort_by(|left, right| left.path.cmp(&right.path));
        let by_path = (0..).map(FileId).zip(&files).map(|(id, file)| (file.path.clone(), id)).collect();
        Self { files, by_path }
    }

    pub fn get(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    pub fn file(&self, id: FileId) -> &TreeFile {
        &self.files[id.0 as usize]
    }

    pub(crate) fn traits(&self, id: FileId) -> LanguageTraits {
        self.file(id).traits
    }

    pub fn path(&self, id: FileId) -> &str {
        &self.file(id).path
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &TreeFile)> {
        (0..).map(FileId).zip(&self.files)
    }
}
