//! Computes the size of the parts of a project, and the languages they are written in.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use vectorcode_core::api::{EntryKind, LanguageSize, ProjectPart};
use vectorcode_graph::FileId;

use crate::error::EngineError;
use crate::graph::{Folder, FolderChild, GraphContext};

/// How often a part may be replaced by its children.
const MAX_OPENED: usize = 3;
/// A part with fewer subfolders is not a mere container.
const MIN_FOLDERS: usize = 3;

/// The size of each file of the index, by [`FileId`].
pub(super) struct Sizes<'a> {
    context: &'a GraphContext<'a>,
    bytes: Vec<u64>,
}

impl<'a> Sizes<'a> {
    pub fn read(context: &'a GraphContext<'a>) -> Result<Self, EngineError> {
        let states = context.reader.files()?;
        let size = |path: &str| states.get(path).map_or(0, |state| state.size);
        let files = context.snapshot.files.tree().iter();
        Ok(Self { bytes: files.map(|(_, file)| size(&file.path)).collect(), context })
    }

    pub fn of(&self, file: FileId) -> u64 {
        self.bytes.get(file.0 as usize).copied().unwrap_or_default()
    }

    /// The parts of a folder: code before documents and settings, tests last, largest first.
    pub fn parts(&self, folder: &Folder<'_>) -> Vec<ProjectPart> {
        let is_hidden = |child: &FolderChild| folder.name_of(child).starts_with('.');
        let is_minor = |child: &FolderChild| is_hidden(child) || self.code(&child.files).is_empty();
        let mut parts: Vec<(bool, ProjectPart)> = self
            .children(folder)
            .into_iter()
            .map(|child| (is_minor(&child), self.part(folder, child)))
            .collect();
        parts.sort_by_key(|(is_minor, part)| (part.is_test, *is_minor, Reverse(part.bytes)));
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// The children of a folder. A child that holds most of the code and consists of folders itself is replaced by
    /// its own children: `packages` says nothing, the packages do.
    fn children(&self, folder: &Folder<'_>) -> Vec<FolderChild> {
        let mut children = folder.children();
        for _ in 0..MAX_OPENED {
            let bytes: Vec<u64> = children.iter().map(|child| self.bytes_of_code(&child.files)).collect();
            let total: u64 = bytes.iter().sum();
            let is_most = |at: &usize| children[*at].kind == EntryKind::Folder && 2 * bytes[*at] > total;
            let Some(largest) = (0..children.len()).find(is_most) else { break };
            let inside = folder.opened(&children[largest]).children();
            if inside.iter().filter(|child| child.kind == EntryKind::Folder).count() < MIN_FOLDERS {
                break;
            }
            children.splice(largest..=largest, inside);
        }
        children
    }

    fn bytes_of_code(&self, files: &[FileId]) -> u64 {
        self.code(files).into_iter().map(|file| self.of(file)).sum()
    }

    fn part(&self, folder: &Folder<'_>, child: FolderChild) -> ProjectPart {
        let languages = self.languages(&child.files);
        ProjectPart {
            kind: child.kind,
            files: child.files.len() as u64,
            bytes: languages.iter().map(|language| language.bytes).sum(),
            language: languages.into_iter().next().map(|language| language.name).unwrap_or_default(),
            is_test: folder.is_test(&child),
            path: child.path,
        }
    }

    /// The languages of the code among these files, or of all files if there is no code; largest first.
    pub fn languages(&self, files: &[FileId]) -> Vec<LanguageSize> {
        let tree = self.context.snapshot.files.tree();
        let code = self.code(files);
        let counted = if code.is_empty() { files } else { &code };
        let mut languages: BTreeMap<&str, LanguageSize> = BTreeMap::new();
        for file in counted {
            let name = tree.file(*file).language.as_str();
            let language = languages.entry(name).or_insert_with(|| LanguageSize {
                name: name.to_owned(),
                files: 0,
                bytes: 0,
            });
            language.files += 1;
            language.bytes += self.of(*file);
        }
        let mut languages: Vec<LanguageSize> = languages.into_values().collect();
        languages.sort_by_key(|language| Reverse(language.bytes));
        languages
    }

    fn code(&self, files: &[FileId]) -> Vec<FileId> {
        files.iter().copied().filter(|file| self.context.snapshot.is_code(*file)).collect()
    }
}
