//! Finds the files and lines that differ between two commits, or between a commit and the files on disk: for
//! `Engine::changes`, and for searches in a diff.

mod changed_code;
mod changed_lines;
mod renames;

use std::collections::BTreeMap;

use vectorcode_core::api::{ChangeKind, ChangesRequest};
use vectorcode_core::{BlobId, CommitId, Links, read_bounded_regular_file};
use vectorcode_history::{FileDiff, Repository};
use vectorcode_store::IndexReader;

pub(crate) use self::changed_code::ChangedCode;
pub(crate) use self::changed_lines::ChangedLines;
use self::renames::renames;
use crate::error::EngineError;
use crate::project::{FileSource, Project};

/// A larger file is listed without its symbols.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// What a comparison needs.
pub(crate) struct Comparing<'a> {
    pub project: &'a Project,
    /// Where files are read from if the request names no commit.
    pub source: FileSource<'a>,
    pub reader: &'a dyn IndexReader,
}

/// The difference between two versions of a project.
pub(crate) struct Comparison {
    /// `None`: an empty tree, before the first commit.
    pub from: Option<CommitId>,
    /// `None`: the files on disk.
    pub to: Option<CommitId>,
    pub files: Vec<ComparedFile>,
}

/// A changed file with both texts; an added or deleted file has only one.
pub(crate) struct ComparedFile {
    pub path: String,
    /// The previous path of a renamed file.
    pub old_path: Option<String>,
    pub old: Option<String>,
    pub new: Option<String>,
    /// Whether the index has the new text.
    pub is_indexed: bool,
}

impl Comparing<'_> {
    pub fn compare(&self, request: &ChangesRequest) -> Result<Comparison, EngineError> {
        let repository = Repository::open(self.project.root())?.ok_or(EngineError::NoRepository)?;
        let resolve =
            |revision: &Option<String>| revision.as_deref().map(|name| repository.resolve(name)).transpose();
        let to = resolve(&request.commit)?.or_else(|| self.source.commit());
        let from = match (resolve(&request.base)?, to) {
            (Some(base), _) => Some(base),
            (None, Some(commit)) => repository.parent(commit)?,
            (None, None) => Some(repository.head()?.ok_or(EngineError::NoRepository)?),
        };
        let files = match (to, from) {
            (Some(to), from) => self.committed(&repository, repository.differing(from, to)?)?,
            (None, Some(from)) => self.on_disk(&repository, repository.differing(None, from)?)?,
            (None, None) => Vec::new(),
        };
        Ok(Comparison { from, to, files: join_renamed(files) })
    }

    /// The files that differ between two commits.
    fn committed(
        &self,
        repository: &Repository,
        differing: Vec<FileDiff>,
    ) -> Result<Vec<ComparedFile>, EngineError> {
        let mut changes = Vec::new();
        for FileDiff { path, old, new } in differing {
            let bytes = |id: Option<BlobId>| id.and_then(|id| repository.blob(id));
            let new = bytes(new);
            let is_indexed = self.holds(&path, new.as_deref())?;
            let (old, new) = (bytes(old).and_then(text), new.and_then(text));
            changes.push(ComparedFile { path, old_path: None, old, new, is_indexed });
        }
        Ok(changes)
    }

    /// The indexed files that differ from those of a commit, and files of the commit that no longer exist.
    fn on_disk(
        &self,
        repository: &Repository,
        committed: Vec<FileDiff>,
    ) -> Result<Vec<ComparedFile>, EngineError> {
        let mut committed: BTreeMap<String, Option<BlobId>> =
            committed.into_iter().map(|file| (file.path, file.new)).collect();
        let mut changes = Vec::new();
        for file in self.reader.source_files()? {
            let old = committed.remove(&file.path).flatten();
            let disk = self.project.absolute(&file.path);
            let Ok(bytes) = read_bounded_regular_file(&disk, MAX_FILE_BYTES, Links::Refuse) else {
                if old.is_some() && !disk.exists() {
                    committed.insert(file.path, old);
                }
                continue;
            };
            if old.is_some_and(|old| old.is_of(&bytes)) {
                continue;
            }
            let is_indexed = self.holds(&file.path, Some(&bytes))?;
            let old = old.and_then(|id| repository.blob(id)).and_then(text);
            changes.push(ComparedFile { path: file.path, old_path: None, old, new: text(bytes), is_indexed });
        }
        for (path, old) in committed {
            // Files that exist but are not indexed are skipped: pictures, ignored files.
            if self.project.absolute(&path).symlink_metadata().is_err() {
                let is_indexed = self.holds(&path, None)?;
                let old = old.and_then(|id| repository.blob(id)).and_then(text);
                changes.push(ComparedFile { path, old_path: None, old, new: None, is_indexed });
            }
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changes)
    }

    /// Whether the index has the file with this content, or lacks it if `bytes` is `None`.
    fn holds(&self, path: &str, bytes: Option<&[u8]>) -> Result<bool, EngineError> {
        let known = self.reader.file(path)?.map(|state| state.hash);
        Ok(known == bytes.map(|bytes| blake3::hash(bytes).into()))
    }
}

/// Combines a deleted file and an added file with similar text into one rename.
fn join_renamed(changes: Vec<ComparedFile>) -> Vec<ComparedFile> {
    let (deleted, changes): (Vec<ComparedFile>, Vec<ComparedFile>) =
        changes.into_iter().partition(|change| change.old.is_some() && change.new.is_none());
    let (added, mut changes): (Vec<ComparedFile>, Vec<ComparedFile>) =
        changes.into_iter().partition(|change| change.old.is_none() && change.new.is_some());
    let old_texts: Vec<&str> = deleted.iter().filter_map(|change| change.old.as_deref()).collect();
    let new_texts: Vec<&str> = added.iter().filter_map(|change| change.new.as_deref()).collect();
    let pairs = renames(&old_texts, &new_texts);
    let (mut deleted, mut added) = (options(deleted), options(added));
    for (old, new) in pairs {
        if let (Some(old), Some(new)) = (deleted[old].take(), added[new].take()) {
            let is_indexed = old.is_indexed && new.is_indexed;
            changes.push(ComparedFile { old_path: Some(old.path), old: old.old, is_indexed, ..new });
        }
    }
    changes.extend(deleted.into_iter().chain(added).flatten());
    changes.sort_by(|one, other| one.path.cmp(&other.path));
    changes
}

fn options<T>(all: Vec<T>) -> Vec<Option<T>> {
    all.into_iter().map(Some).collect()
}

/// `None` for a binary file.
fn text(bytes: Vec<u8>) -> Option<String> {
    let decoded = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    (!decoded.contains('\0')).then_some(decoded)
}

impl ComparedFile {
    pub fn kind(&self) -> ChangeKind {
        match (&self.old, &self.new) {
            _ if self.old_path.is_some() => ChangeKind::Renamed,
            (None, _) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(_), Some(_)) => ChangeKind::Modified,
        }
    }

    /// Its path in the older version.
    pub fn before(&self) -> &str {
        self.old_path.as_deref().unwrap_or(&self.path)
    }

    pub fn old_text(&self) -> &str {
        self.old.as_deref().unwrap_or_default()
    }

    pub fn new_text(&self) -> &str {
        self.new.as_deref().unwrap_or_default()
    }
}
