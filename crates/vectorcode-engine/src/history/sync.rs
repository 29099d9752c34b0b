//! Reads the repository's history into the index: only new commits, newest first, as far as the time allows.
//!
//! A pass walks back from the checked-out commit. It skips commits that the index has and writes new ones in batches,
//! so that an interrupted pass resumes where it stopped. A pass that reaches the end deletes the commits that are no
//! longer part of this history.
//!
//! Several processes may do so at once, even for different commits while branches are being switched. Each write
//! holds the write lock and first marks the history as incomplete. A process that reaches the end checks that
//! everything is there, because another one may have deleted commits that it relied on.
//!
//! Results are based on what the last finished pass has read ([`crate::history::ActiveHistory`]), so they do not
//! change with every batch. Before a search a fixed number of new commits is read, however long that takes: the load
//! of the machine must not change the result.

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use vectorcode_core::{CancelToken, Commit, CommitId};
use vectorcode_history::{HistoryError, KnownCommit, Repository, Step};
use vectorcode_store::{CommitUpdate, IndexReader, IndexWriter};

use crate::error::EngineError;
use crate::history::{
    ACTIVE_HISTORY, HISTORY_STATE, NEWEST, WORDS_VERSION, message_text, question_vector, word_counts,
};
use crate::index::WriteLock;
use crate::project::Project;

/// A batch is written when it has this many commits, or when the pass ends.
const BATCH: usize = 256;
/// How often a pass starts over because other processes deleted commits it relied on.
const ATTEMPTS: usize = 5;
/// How many batches may wait until the files are written: all commits of the default settings, some kilobytes each.
const BATCHES_AHEAD: usize = 12;
/// Time limit of a pass. All commits of the default settings take seconds; a deliberately slow repository must not
/// hold up the index. The next pass continues from there.
const LONGEST_PASS: Duration = Duration::from_mins(2);

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryPass {
    /// The index has as much of the history as the settings ask for.
    Complete,
    /// There was not enough time for all of it.
    Partial,
}

/// One pass over the history.
#[derive(Clone, Copy)]
pub(crate) struct HistoryReading<'a> {
    pub project: &'a Project,
    /// How many commits are wanted; 0: no history.
    pub commits: usize,
    /// Held for each write, but not while the repository is read.
    pub write_lock: WriteLock<'a>,
    pub cancel: &'a CancelToken,
}

/// What a pass has to do.
enum Task {
    Nothing,
    /// Delete the history, because there is no repository or no history is wanted.
    Forget,
    /// The repository is not trusted: report the error, and delete what was read from it before.
    Refuse(HistoryError),
    Walk(Walk),
}

/// How far a pass goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    All,
    /// Only [`NEWEST`] new commits.
    Newest,
}

/// What a walk has seen.
enum Seen {
    All(HashSet<CommitId>),
    /// There are more commits than [`Extent::Newest`] asks for.
    Newest,
    /// The time was up.
    Partly,
}

/// A walk over the commits of a repository, starting at the checked-out one.
struct Walk {
    head: CommitId,
    extent: Extent,
    /// The value of [`HISTORY_STATE`] after the walk has reached the end.
    state: String,
    /// The commits in the index have words of another version.
    replaces_all: bool,
    known: HashMap<CommitId, KnownCommit>,
}

impl HistoryReading<'_> {
    /// Reads and writes until done or `budget` is spent.
    pub fn run(&self, budget: Duration, writer: &mut dyn IndexWriter) -> Result<HistoryPass, EngineError> {
        self.run_until(Extent::All, Instant::now() + budget, writer)
    }

    /// Reads and writes the newest commits. `budget` is a limit for very slow repositories.
    pub fn run_newest(
        &self,
        budget: Duration,
        writer: &mut dyn IndexWriter,
    ) -> Result<HistoryPass, EngineError> {
        self.run_until(Extent::Newest, Instant::now() + budget, writer)
    }

    fn run_until(
        &self,
        extent: Extent,
        deadline: Instant,
        writer: &mut dyn IndexWriter,
    ) -> Result<HistoryPass, EngineError> {
        for _ in 0..ATTEMPTS {
            let walk = match self.task(extent, writer.reader())? {
                Task::Nothing => return Ok(HistoryPass::Complete),
                Task::Forget => return self.forget(writer),
                Task::Refuse(error) => return self.refuse(error, writer),
                Task::Walk(walk) => walk,
            };
            self.begin(&walk, writer)?;
            let seen = self.read(&walk, deadline, |batch| self.write(&walk, &batch, writer))?;
            if matches!(seen, Seen::Partly) {
                break;
            }
            if self.finish(&walk, &seen, writer)? {
                return Ok(HistoryPass::Complete);
            }
        }
        Ok(HistoryPass::Partial)
    }

    /// Reads on a separate thread while `files` works with the writer, then writes. An error of `files` ends the
    /// pass; an error of the history is returned as the second value.
    pub fn run_beside<T>(
        &self,
        writer: &mut dyn IndexWriter,
        files: impl FnOnce(&mut dyn IndexWriter) -> Result<T, EngineError>,
    ) -> Result<(T, Result<HistoryPass, EngineError>), EngineError> {
        let walk = match self.task(Extent::All, writer.reader()) {
            Ok(Task::Walk(walk)) => walk,
            Ok(Task::Nothing) => return Ok((files(writer)?, Ok(HistoryPass::Complete))),
            Ok(Task::Forget) => return Ok((files(writer)?, self.forget(writer))),
            Ok(Task::Refuse(error)) => return Ok((files(writer)?, self.refuse(error, writer))),
            Err(error) => return Ok((files(writer)?, Err(error))),
        };
        let deadline = Instant::now() + LONGEST_PASS;
        let (sender, receiver) = bounded(BATCHES_AHEAD);
        thread::scope(|scope| {
            let read = || {
                // If the receiver is gone, the walk can stop.
                let send = |batch| sender.send(batch).map_err(|_| EngineError::Cancelled);
                let seen = self.read(&walk, deadline, send);
                drop(sender);
                seen
            };
            let reading = thread::Builder::new().spawn_scoped(scope, read).map_err(EngineError::no_thread)?;
            let done = files(writer)?;
            let written = self
                .begin(&walk, writer)
                .and_then(|()| receiver.iter().try_for_each(|batch| self.write(&walk, &batch, writer)));
            drop(receiver);
            let seen = reading.join().unwrap_or_else(|panic| resume_unwind(panic));
            let pass = written.and(seen).and_then(|seen| match seen {
                Seen::Partly => Ok(HistoryPass::Partial),
                seen if self.finish(&walk, &seen, writer)? => Ok(HistoryPass::Complete),
                _ => self.run_until(Extent::All, deadline, writer),
            });
            Ok((done, pass))
        })
    }

    fn task(&self, extent: Extent, reader: &dyn IndexReader) -> Result<Task, EngineError> {
        let before = reader.meta(HISTORY_STATE)?.unwrap_or_default();
        let head = match self.head() {
            Err(error) if error.is_refusal() => return Ok(Task::Refuse(error)),
            head => head?,
        };
        let Some(head) = head else {
            return Ok(if before.is_empty() { Task::Nothing } else { Task::Forget });
        };
        let state = format!("{WORDS_VERSION} {head} {}", self.commits);
        let newest = newest_state(&head);
        if before == state || (extent == Extent::Newest && NEWEST < self.commits && before == newest) {
            return Ok(Task::Nothing);
        }
        // A worktree that is new to the index starts with the commits of the others.
        let replaces_all = !before.is_empty() && before.split(' ').next() != Some(&WORDS_VERSION.to_string());
        let known = if replaces_all { HashMap::new() } else { known_commits(reader)? };
        Ok(Task::Walk(Walk { head, extent, state, replaces_all, known }))
    }

    fn head(&self) -> Result<Option<CommitId>, HistoryError> {
        Ok(self.repository()?.map(|repository| repository.head()).transpose()?.flatten())
    }

    fn repository(&self) -> Result<Option<Repository>, HistoryError> {
        if self.commits == 0 { Ok(None) } else { Repository::open(self.project.root()) }
    }

    /// Passes new commits to `hand_over`, and returns what the walk has seen.
    fn read(
        &self,
        walk: &Walk,
        deadline: Instant,
        mut hand_over: impl FnMut(Vec<CommitUpdate>) -> Result<(), EngineError>,
    ) -> Result<Seen, EngineError> {
        let Some(repository) = self.repository()? else { return Ok(Seen::Partly) };
        let most_new = if walk.extent == Extent::Newest { NEWEST } else { usize::MAX };
        let mut new = 0;
        let is_over = || self.cancel.is_cancelled() || Instant::now() >= deadline;
        let mut seen = HashSet::new();
        let mut batch = Vec::new();
        for step in repository.walk(walk.head, |id| walk.known.get(id).cloned()).take(self.commits) {
            let commit = match step? {
                // Skipping known commits is cheap and not counted, so that each pass gets further than the last.
                Step::Known(id) => {
                    seen.insert(id);
                    continue;
                }
                Step::New(commit) if new < most_new => commit,
                Step::New(_) => {
                    hand_over(batch)?;
                    return Ok(Seen::Newest);
                }
            };
            new += 1;
            seen.insert(commit.id);
            batch.push(update(commit));
            let is_over = is_over();
            if is_over || batch.len() >= BATCH {
                hand_over(std::mem::take(&mut batch))?;
            }
            if is_over {
                return Ok(Seen::Partly);
            }
        }
        if !batch.is_empty() {
            hand_over(batch)?;
        }
        Ok(Seen::All(seen))
    }

    fn begin(&self, walk: &Walk, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
        if walk.replaces_all {
            let _lock = (self.write_lock)()?;
            writer.keep_commits(&HashSet::new())?;
        }
        Ok(())
    }

    fn write(
        &self,
        walk: &Walk,
        batch: &[CommitUpdate],
        writer: &mut dyn IndexWriter,
    ) -> Result<(), EngineError> {
        let _lock = (self.write_lock)()?;
        begin_change(writer)?;
        Ok(writer.write_commits(&walk.head, batch)?)
    }

    /// Marks the pass as finished. Returns whether the index has everything that was seen.
    fn finish(&self, walk: &Walk, seen: &Seen, writer: &mut dyn IndexWriter) -> Result<bool, EngineError> {
        let _lock = (self.write_lock)()?;
        begin_change(writer)?;
        // Another process may have written commits for another head since the last batch.
        writer.write_commits(&walk.head, &[])?;
        let (is_whole, state, commits) = match seen {
            Seen::All(seen) => {
                let mut kept = commits_of_trees(writer.reader())?;
                kept.extend(seen);
                (writer.keep_commits(&kept)? == kept.len(), walk.state.clone(), self.commits)
            }
            Seen::Newest | Seen::Partly => (true, newest_state(&walk.head), NEWEST),
        };
        if is_whole {
            writer.set_meta(ACTIVE_HISTORY, &format!("{} {commits}", walk.head))?;
            // Written once more so that readers notice the change of the history.
            writer.write_commits(&walk.head, &[])?;
            writer.set_meta(HISTORY_STATE, &state)?;
        }
        Ok(is_whole)
    }

    fn refuse(&self, error: HistoryError, writer: &mut dyn IndexWriter) -> Result<HistoryPass, EngineError> {
        if writer.reader().meta(HISTORY_STATE)?.is_some_and(|state| !state.is_empty()) {
            self.forget(writer)?;
        }
        Err(error.into())
    }

    fn forget(&self, writer: &mut dyn IndexWriter) -> Result<HistoryPass, EngineError> {
        let _lock = (self.write_lock)()?;
        writer.keep_commits(&commits_of_trees(writer.reader())?)?;
        writer.set_meta(ACTIVE_HISTORY, "")?;
        writer.set_meta(HISTORY_STATE, "")?;
        Ok(HistoryPass::Complete)
    }
}

/// The value of [`HISTORY_STATE`] after the newest commits were read.
fn newest_state(head: &CommitId) -> String {
    format!("{WORDS_VERSION} {head} {NEWEST}")
}

/// Marks the history as incomplete until [`HISTORY_STATE`] names a commit again. If the process is killed before
/// that, it stays marked.
fn begin_change(writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
    let incomplete = WORDS_VERSION.to_string();
    if writer.reader().meta(HISTORY_STATE)?.as_deref() != Some(&incomplete) {
        writer.set_meta(HISTORY_STATE, &incomplete)?;
    }
    Ok(())
}

fn known_commits(reader: &dyn IndexReader) -> Result<HashMap<CommitId, KnownCommit>, EngineError> {
    let commits = reader.history()?.commits.into_iter();
    let known = commits
        .map(|commit| (commit.id, KnownCommit { parents: commit.parents, time_secs: commit.time_secs }));
    Ok(known.collect())
}

/// Adds the ancestors of `commit` that the index lacks, up to the newest `wanted`. The caller holds the write lock.
///
/// Commits are only added, so if this is interrupted, the next call continues from there.
pub(crate) fn read_commits_before(
    project: &Project,
    commit: CommitId,
    wanted: usize,
    writer: &mut dyn IndexWriter,
    cancel: &CancelToken,
) -> Result<(), EngineError> {
    let Some(repository) = Repository::open(project.root())?.filter(|_| wanted > 0) else { return Ok(()) };
    let (known, head) = (known_commits(writer.reader())?, writer.reader().history()?.head.unwrap_or(commit));
    let deadline = Instant::now() + LONGEST_PASS;
    let mut batch = Vec::new();
    for step in repository.walk(commit, |id| known.get(id).cloned()).take(wanted) {
        if cancel.is_cancelled() || Instant::now() >= deadline {
            break;
        }
        if let Step::New(commit) = step? {
            batch.push(update(commit));
        }
        if batch.len() >= BATCH {
            writer.write_commits(&head, &std::mem::take(&mut batch))?;
        }
    }
    if !batch.is_empty() {
        writer.write_commits(&head, &batch)?;
    }
    Ok(())
}

/// The known history of requested commits and of other worktrees.
fn commits_of_trees(reader: &dyn IndexReader) -> Result<HashSet<CommitId>, EngineError> {
    let trees = reader.tree_commits()?;
    if trees.is_empty() {
        return Ok(HashSet::new());
    }
    let known = known_commits(reader)?;
    let (mut found, mut open) = (HashSet::new(), trees);
    while let Some(id) = open.pop() {
        if let Some(commit) = known.get(&id)
            && found.insert(id)
        {
            open.extend(&commit.parents);
        }
    }
    Ok(found)
}

/// A commit with the words and the vector that queries are compared with.
fn update(commit: Commit) -> CommitUpdate {
    // A subject says in one line what a query says in its title; the mean vector over a long body says little.
    let vector = question_vector(&message_text(commit.subject()));
    CommitUpdate { words: word_counts(&message_text(&commit.message)), vector, commit }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vectorcode_core::config::Config;
    use vectorcode_testkit::{FakeEmbedder, TempProject, TestRepository};

    use super::*;
    use crate::{Embedders, Engine, EngineOptions};

    /// One process reads the history of a branch while another process reads that of another branch.
    #[test]
    fn a_history_is_whole_that_another_process_replaced_meanwhile() {
        let files = TempProject::new(&[("a.rs", "fn a() {}\n")]);
        let mut repository = TestRepository::init(files.root());
        let first = repository.commit("first", &[("a.rs", Some("1"))]);
        let other = repository.commit("other", &[("a.rs", Some("2"))]);
        repository.reset(&first);
        let known = repository.commit("known", &[("a.rs", Some("3"))]);
        let last = repository.commit("last", &[("a.rs", Some("4"))]);

        let embedders = Embedders::fixed(Arc::new(FakeEmbedder::new(8)));
        let options = EngineOptions { embedders, ..EngineOptions::default() };
        let project = Project::at(files.root()).unwrap();
        let engine = Engine::new(Project::at(files.root()).unwrap(), Config::default(), options);
        engine.init().unwrap();
        let cancel = CancelToken::default();
        let reading =
            HistoryReading { project: &project, commits: 100, write_lock: &|| Ok(None), cancel: &cancel };
        let pass_of = |head: &str| {
            repository.reset(head);
            let mut writer = engine.store().writer().unwrap();
            let pass = reading.run(Duration::from_mins(1), &mut *writer).unwrap();
            assert_eq!(pass, HistoryPass::Complete);
        };
        pass_of(&known);
        repository.reset(&last);
        let mut writer = engine.store().writer().unwrap();
        let meanwhile = |_: &mut dyn IndexWriter| {
            pass_of(&other);
            repository.reset(&last);
            Ok(())
        };
        let ((), pass) = reading.run_beside(&mut *writer, meanwhile).unwrap();
        assert_eq!(pass.unwrap(), HistoryPass::Complete);
        let history = writer.reader().history().unwrap();
        let ids: HashSet<String> = history.commits.iter().map(|commit| commit.id.to_string()).collect();
        assert_eq!(ids, HashSet::from([first, known, last.clone()]));
        assert_eq!(history.head.unwrap().to_string(), last);
    }
}
