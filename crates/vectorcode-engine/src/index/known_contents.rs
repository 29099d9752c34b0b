//! Finds files that need not be read because another worktree or a commit already has their content in the index.
//!
//! Contents are first identified by the entries of git's index (the staging area), so that a new worktree is not even read,
//! and then by their hash.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_history::{IndexEntry, Repository};
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
        let entries = index_entries(root);
        let (mut links, mut has_words_only) = (Vec::new(), false);
        let (contents, known) = (&self.contents, &self.known);
        self.candidates.retain(|file| {
            let Some(content) = content_by_git(file, &entries, contents, wanted) else { return true };
            links.push((content.file, file.mtime_ns));
            has_words_only |= !Detail::Structure.is_in(&content.state);
            self.reused.changed += 1;
            self.reused.added += u64::from(!known.contains_key(&file.path));
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
fn index_entries(root: &Path) -> HashMap<String, IndexEntry> {
    let repository = Repository::open(root).ok().flatten();
    repository.and_then(|repository| repository.index_entries().ok()).unwrap_or_default()
}

fn content_by_git<'c>(
    file: &FoundFile,
    entries: &HashMap<String, IndexEntry>,
    contents: &'c HashMap<String, Vec<StoredContent>>,
    wanted: Detail,
) -> Option<&'c StoredContent> {
    let entries = entries.get(&file.path)?;
    let is_as_noted = entries.mtime_ns == file.mtime_ns
        && u64::from(entries.size) == file.size
        // Windows has no change time (ctime).
        && (cfg!(windows) || entries.changed_ns == file.changed_ns);
    let wanted = if file.language.has_grammar() { wanted } else { Detail::Structure };
    let is_content = |content: &&StoredContent| {
        // The size is compared too: git may store other line endings in its repository than on disk.
        content.state.blob == Some(entries.blob)
            && content.state.size == file.size
            && wanted.is_in(&content.state)
    };
    contents.get(&file.path)?.iter().filter(|_| is_as_noted).find(is_content)
}
