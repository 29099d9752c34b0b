//! The part of the history that results are based on: what the last finished pass has read.

use std::cmp::Reverse;

use vectorcode_core::CommitId;
use vectorcode_store::{IndexReader, StoredHistory};

use super::ancestry::keep_ancestors_of_head;
use crate::error::EngineError;

/// What was read, in the `meta` table: the version of the words, then the commit and the number of commits of the
/// last complete pass.
pub(crate) const HISTORY_STATE: &str = "history_state";
/// What results are based on, in the `meta` table: the commit and the number of commits of the last finished pass.
pub(crate) const ACTIVE_HISTORY: &str = "history_in_effect";
/// How many new commits a search waits for.
pub(crate) const NEWEST: usize = 256;

/// The part of the history that results are based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActiveHistory {
    /// The id of the commit that was checked out.
    pub head: String,
    /// How many of its ancestors are used, the newest first.
    pub commits: usize,
}

impl ActiveHistory {
    /// `None` if no pass has finished.
    pub(crate) fn of(reader: &dyn IndexReader) -> Result<Option<Self>, EngineError> {
        let parse = |text: &str| {
            let (head, commits) = text.rsplit_once(' ')?;
            Some(Self { head: head.to_owned(), commits: commits.parse().ok()? })
        };
        if let Some(stored) = reader.meta(ACTIVE_HISTORY)? {
            return Ok(parse(&stored));
        }
        // An index of an earlier version has only this key.
        let state = reader.meta(HISTORY_STATE)?.unwrap_or_default();
        Ok(state.split_once(' ').and_then(|(_, complete)| parse(complete)))
    }

    /// How many commits are in use, if that is not all that are wanted and available; otherwise `None`.
    pub(crate) fn missing(reader: &dyn IndexReader) -> Result<Option<usize>, EngineError> {
        let state = reader.meta(HISTORY_STATE)?.unwrap_or_default();
        let commits = Self::of(reader)?.map_or(0, |active| active.commits);
        let is_whole = state.is_empty() || (state.contains(' ') && commits != NEWEST);
        Ok((!is_whole).then_some(commits))
    }
}

/// The commits that results are based on. Others were written by an unfinished pass.
pub(super) fn commits(
    reader: &dyn IndexReader,
    active: Option<ActiveHistory>,
) -> Result<StoredHistory, EngineError> {
    let mut history = reader.history()?;
    let is_head = |id: &CommitId| active.as_ref().is_some_and(|known| id.to_string() == known.head);
    history.head = history.commits.iter().map(|commit| commit.id).find(is_head);
    keep_ancestors_of_head(&mut history);
    history.commits.sort_by_key(|commit| (Reverse(commit.time_secs), commit.id));
    history.commits.truncate(active.map_or(0, |known| known.commits));
    Ok(history)
}
