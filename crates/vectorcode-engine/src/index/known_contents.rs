//! Finds files that need not be read because another worktree or a commit already has their content in the index.
//!
//! Contents are first identified by the entries of git's index (the staging area), so that a new worktree is not even read,
//! and then by their hash.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_history::{Repository, StagedFile};
use vectorcode_source::FoundFile;
use vectorcode_store::{FileRow, IndexWriter, StoredContent};

use super::plan::{Detail, Plan};
use crate::error::EngineError;

/// For fewer candidates, reading git's index takes longer than reading the files.
const WORTH_ASKING_GIT: usize = 64;

impl Plan {
    /// Looks up what the index has at the paths of the candidates. If there are many candidates, those whose content
    /// is known from git's index are linked to this worktree without reading them. Returns whether only the words of
    /// some of them were read.
    pub(crate) fn use_known_contents(
        &mut self,
        root: &Path,
        wanted: Detail,
        writer: &mut dyn IndexWriter,
    ) -> Result<bool, EngineError> {
        let paths: Vec<&str> = self.candidates.iter().map(|file| file.path.as_str()).collect();
        self.contents = writer.reader().contents_at(&paths)?;
        if self.contents.is_empty() || self.candidates.len() < WORTH_ASKING_GIT {
            return Ok(false);
        }
        let staged = staged_files(root);
        let (mut links, mut has_words_only) = (Vec::new(), false);
        let (contents, known) = (&self.contents, &self.known);
        self.candidates.retain(|file| {
            let Some(content) = content_by_git(file, &staged, contents, wanted) else { return true };
            links.push((content.file, file.mtime_ns));
            has_words_only |= !Detail::Structure.is_in(&content.state);
            self.linked.changed += 1;
            self.linked.added += u64::from(!known.contains_key(&file.path));
            false
        });
        writer.link_files(&links)?;
        Ok(has_words_only)
    }

    /// The row of this content, if the index has it at this path.
    pub(crate) fn row_of(&self, path: &str, hash: [u8; 32], detail: Detail) -> Option<FileRow> {
        let mut contents = self.contents.get(path)?.iter();
        contents
            .find(|content| content.state.hash == hash && detail.is_in(&content.state))
            .map(|content| content.file)
    }
}

/// The entries of git's index (staging area); empty if it cannot be read.
fn staged_files(root: &Path) -> HashMap<String, StagedFile> {
    let repository = Repository::open(root).ok().flatten();
    repository.and_then(|repository| repository.staged_files().ok()).unwrap_or_default()
}

fn content_by_git<'c>(
    file: &FoundFile,
    staged: &HashMap<String, StagedFile>,
    contents: &'c HashMap<String, Vec<StoredContent>>,
    wanted: Detail,
) -> Option<&'c StoredContent> {
    let staged = staged.get(&file.path)?;
    let is_as_noted = staged.mtime_ns == file.mtime_ns
        && u64::from(staged.size) == file.size
        // Windows has no change time (ctime).
        && (cfg!(windows) || staged.changed_ns == file.changed_ns);
    let wanted = if file.language.has_grammar() { wanted } else { Detail::Structure };
    let is_content = |content: &&StoredContent| {
        // The size is compared too: git may store other line endings in its repository than on disk.
        content.state.blob == Some(staged.blob)
            && content.state.size == file.size
            && wanted.is_in(&content.state)
    };
    contents.get(&file.path)?.iter().filter(|_| is_as_noted).find(is_content)
}
