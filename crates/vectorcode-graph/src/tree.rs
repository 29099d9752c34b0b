//! The files of a project, as they are in the index.

use rustc_hash::FxHashMap;
use vectorcode_core::{LanguageTraits, ModuleSystem};

/// The index of a file in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// Relative to the project root, with `/`.
    pub path: String,
    pub language: String,
    /// The rules of `language` for names, from the language registry.
    pub traits: LanguageTraits,
    pub is_test: bool,
}

impl TreeFile {
    pub(crate) fn uses(&self, modules: ModuleSystem) -> bool {
        self.traits.module_system == Some(modules)
    }

    /// Whether code in this file can use the definitions of `other`.
    pub(crate) fn can_use(&self, other: &Self) -> bool {
        let same_modules = self.traits.module_system == other.traits.module_system;
        self.language == other.language || (self.traits.shares_definitions && same_modules)
    }
}

/// All files of a project, ordered by path.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn file(language: &str, traits: LanguageTraits) -> TreeFile {
        TreeFile { path: String::new(), language: language.into(), traits, is_test: false }
    }

    #[test]
    fn code_uses_definitions_of_its_own_language_and_of_those_it_shares_modules_with() {
        let modules = |module_system, shares_definitions| LanguageTraits {
            module_system: Some(module_system),
            shares_definitions,
            ..LanguageTraits::PERMISSIVE
        };
        let java = file("java", modules(ModuleSystem::Jvm, true));
        let kotlin = file("kotlin", modules(ModuleSystem::Jvm, true));
        let bash = file("bash", modules(ModuleSystem::Shell, false));
        let r = file("r", modules(ModuleSystem::Shell, false));
        assert!(java.can_use(&kotlin) && java.can_use(&java) && bash.can_use(&bash));
        assert!(!java.can_use(&bash) && !bash.can_use(&r));
        let unknown = file("cobol", LanguageTraits::PERMISSIVE);
        assert!(unknown.can_use(&unknown) && !unknown.can_use(&file("fortran", LanguageTraits::PERMISSIVE)));
    }
}
