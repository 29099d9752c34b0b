//! Reads the repository's history into the index: only what is new, newest first, as far as the time allows.
//!
//! A pass walks from the commit that is checked out. Commits that the index knows are stepped over; new ones are written
//! in batches, so an interrupted pass is taken up where it ended. A pass that reaches the end deletes the commits that
//! are not part of this history any more.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use vectorcode_core::{CancelToken, Commit, CommitId};
use vectorcode_history::{KnownCommit, Repository, Step};
use vectorcode_store::{CommitUpdate, IndexWriter};

use crate::EngineError;
use crate::index::WriteLock;
use crate::project::Project;
use crate::search::history::{WORDS_VERSION, question_vector, spoken, word_counts};

/// What was read, in the `meta` table: the version of the words, then the commit and the number of commits of the last
/// pass that was complete.
const HISTORY_STATE: &str = "history_state";
/// A batch is written when it has so many commits, or when the pass ends.
const BATCH: usize = 256;

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryPass {
    /// The index has the whole history, as far as it is wanted.
    Complete,
    /// There was no time for all of it.
    Partial,
}

/// One pass over the history.
pub(crate) struct HistoryReading<'a> {
    pub project: &'a Project,
    /// How many commits are wanted; 0: no history.
    pub commits: usize,
    /// `None`: until it is done.
    pub budget: Option<Duration>,
    /// Held for each write, not while the repository is read.
    pub write_lock: WriteLock<'a>,
    pub cancel: &'a CancelToken,
}

impl HistoryReading<'_> {
    pub fn run(&self, writer: &mut dyn IndexWriter) -> Result<HistoryPass, EngineError> {
        let deadline = self.budget.map(|budget| Instant::now() + budget);
        let repository = if self.commits == 0 { None } else { Repository::open(self.project.root())? };
        let head = repository.as_ref().map(Repository::head).transpose()?.flatten();
        let (Some(repository), Some(head)) = (repository, head) else { return self.forget(writer) };
        let state = format!("{WORDS_VERSION} {head} {}", self.commits);
        let before = writer.reader().meta(HISTORY_STATE)?.unwrap_or_default();
        if before == state {
            return Ok(HistoryPass::Complete);
        }
        if before.split(' ').next() != Some(&WORDS_VERSION.to_string()) {
            let _lock = (self.write_lock)()?;
            writer.keep_commits(&HashSet::new())?;
            writer.set_meta(HISTORY_STATE, &WORDS_VERSION.to_string())?;
        }
        let Some(seen) = self.walk(&repository, head, deadline, writer)? else {
            return Ok(HistoryPass::Partial);
        };
        let _lock = (self.write_lock)()?;
        writer.keep_commits(&seen)?;
        writer.set_meta(HISTORY_STATE, &state)?;
        Ok(HistoryPass::Complete)
    }

    /// Writes what is new and returns all that the history has; `None` when the time was over before that.
    fn walk(
        &self,
        repository: &Repository,
        head: CommitId,
        deadline: Option<Instant>,
        writer: &mut dyn IndexWriter,
    ) -> Result<Option<HashSet<CommitId>>, EngineError> {
        let known = known_commits(writer)?;
        let is_over =
            || self.cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut seen = HashSet::new();
        let mut batch = Vec::new();
        for step in repository.walk(head, |id| known.get(id).cloned()).take(self.commits) {
            let commit = match step? {
                // Stepping over what is known is cheap and not counted, so that each pass gets further than the last.
                Step::Known(id) => {
                    seen.insert(id);
                    continue;
                }
                Step::New(commit) => commit,
            };
            seen.insert(commit.id);
            batch.push(update(commit));
            let is_over = is_over();
            if is_over || batch.len() >= BATCH {
                self.write(head, &mut batch, writer)?;
            }
            if is_over {
                return Ok(None);
            }
        }
        self.write(head, &mut batch, writer)?;
        Ok(Some(seen))
    }

    /// Writes what has gathered. An empty batch still tells which commit is checked out.
    fn write(
        &self,
        head: CommitId,
        batch: &mut Vec<CommitUpdate>,
        writer: &mut dyn IndexWriter,
    ) -> Result<(), EngineError> {
        let _lock = (self.write_lock)()?;
        Ok(writer.write_commits(&head, &std::mem::take(batch))?)
    }

    /// Without a repository, or where no history is wanted, the index has none.
    fn forget(&self, writer: &mut dyn IndexWriter) -> Result<HistoryPass, EngineError> {
        if writer.reader().meta(HISTORY_STATE)?.is_some_and(|state| !state.is_empty()) {
            let _lock = (self.write_lock)()?;
            writer.keep_commits(&HashSet::new())?;
            writer.set_meta(HISTORY_STATE, "")?;
        }
        Ok(HistoryPass::Complete)
    }
}

fn known_commits(writer: &dyn IndexWriter) -> Result<HashMap<CommitId, KnownCommit>, EngineError> {
    let commits = writer.reader().history()?.commits.into_iter();
    let known = commits
        .map(|commit| (commit.id, KnownCommit { parents: commit.parents, time_secs: commit.time_secs }));
    Ok(known.collect())
}

/// The commit with what questions are compared with.
fn update(commit: Commit) -> CommitUpdate {
    // A subject says in one line what a question says in its title; the mean over the words of a long body says little.
    let vector = question_vector(&spoken(commit.subject()));
    CommitUpdate { words: word_counts(&spoken(&commit.message)), vector, commit }
}
