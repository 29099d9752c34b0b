//! The writing half of the engine: locking, and recovery when the index is damaged or does not match the settings.
//!
//! Two locks coordinate writers. [`LockRole::Write`] is held while files are written, and for each write of vectors.
//! [`LockRole::Embed`] is held for as long as a process embeds or rebuilds, so that no two do so at once. While the
//! provider computes vectors the write lock is free, so edits can be indexed meanwhile.
//!
//! A run ([`Engine::index`]) or a query (`Engine::repairing`) that finds damage moves the index aside, rebuilds it from
//! the sources and reports that. If rows of an intact index contradict each other, which is a bug in this program, the
//! run deletes these rows ([`IndexWriter::repair`]), writes them again, keeps all other vectors and reports the bug.

mod first_index;
mod flush;
mod provider_change;
mod sharing;
mod words_only;

use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::{CancelToken, ProgressSink, SilentProgress, VectorSpace};
use vectorcode_embed::StaticModel;
use vectorcode_source::Scope;
use vectorcode_store::{IndexSpaces, IndexWriter, LockGuard, LockRole, StoreErrorCode, WhenHeld};

pub use self::first_index::is_marked_project;
pub(crate) use self::provider_change::ProviderChange;
use super::status::delete_usage;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{HistoryPass, HistoryReading};
use crate::index::{self, CREATED, Detail, IndexRun, WriteLock};
use crate::settings::Settings;
use crate::time::now_iso8601;

/// How long a search waits for the newest commits. Reading them takes a tenth of that; the rest is slack for a busy
/// machine.
const HISTORY_WHILE_WAITING: Duration = Duration::from_secs(3);
/// How long a removal waits for servers to close the index. They check twice a second, and finish the current batch
/// first.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longer than a process waiting for a lock takes to notice that it is free.
pub(crate) const LOCK_HANDOVER_TIME: Duration = Duration::from_millis(60);

/// How often one run may repair or replace the index.
const MAX_REPAIRS: usize = 2;

/// What to do when another process is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenLocked {
    Wait,
    Fail,
}

/// How much [`Engine::remove`] deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Only what can be rebuilt.
    Index,
    /// Also the settings.
    Everything,
}

/// One call of [`Engine::index`].
struct IndexJob<'a> {
    request: &'a IndexRequest,
    /// Relative to the root. Empty for the whole tree.
    paths: Vec<String>,
    when_locked: WhenLocked,
    sink: &'a dyn ProgressSink,
    cancel: &'a CancelToken,
}

impl IndexJob<'_> {
    /// How much of each file should be in the index after the run.
    fn wanted(&self) -> Detail {
        if self.request.structure_later { Detail::Words } else { Detail::Structure }
    }

    /// Whether the run was requested directly, and not by an operation that needs it, such as a search.
    fn is_explicit(&self) -> bool {
        self.paths.is_empty() && !self.request.query_waits
    }
}

impl Engine {
    /// Creates an empty index if there is none.
    pub fn init(&self) -> Result<(), EngineError> {
        self.project().check_root()?;
        let _lock = self.lock(LockRole::Write, WhenLocked::Wait, &CancelToken::default())?;
        self.create_if_missing()?;
        self.registration().add();
        Ok(())
    }

    /// Brings the index up to date, creating it first if there is none.
    pub fn index(
        &self,
        request: &IndexRequest,
        when_locked: WhenLocked,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        self.check_first_index(cancel)?;
        let _running = self.running().enter(cancel);
        let paths = request.paths.iter().map(|path| self.project().relative(path));
        let paths = paths.collect::<Result<_, _>>()?;
        let job = IndexJob { request, paths, when_locked, sink, cancel };
        let mut report = self.run_with_repair(&job)?;
        report.notes.extend(self.settings_problems().chain(self.index_place_note()));
        self.watch_state().set_removed(false);
        self.registration().add();
        Ok(report)
    }

    /// Runs the job. If the index cannot be written to, repairs it, adds a note about that and runs again. If the
    /// repair does not help, the index is replaced.
    fn run_with_repair(&self, job: &IndexJob<'_>) -> Result<IndexReport, EngineError> {
        let mut notes = Vec::new();
        loop {
            let error = match self.run(job) {
                Err(error) => self.cause_of(error),
                Ok(mut report) => {
                    report.notes.extend(notes);
                    return Ok(report);
                }
            };
            let is_first = notes.is_empty();
            let repaired = if is_first && error.is_inconsistent() {
                self.repair(&error, job.cancel)
            } else {
                Err(error)
            };
            notes.push(match repaired {
                Err(error)
                    if (error.is_damaged() || error.is_inconsistent()) && notes.len() < MAX_REPAIRS =>
                {
                    // Another process may have replaced it meanwhile; then the second new index only costs time.
                    let _lock = self.lock(LockRole::Write, WhenLocked::Wait, job.cancel)?;
                    self.replace_damaged(&error)?
                }
                note => note?,
            });
        }
    }

    /// The damage that caused an error which a sound index should not give, or else the error itself. Reading the
    /// whole index takes a while, but less than a rebuild.
    fn cause_of(&self, error: EngineError) -> EngineError {
        let may_be_damage = matches!(&error, EngineError::Store(error) if matches!(error.code(),
            StoreErrorCode::Inconsistent | StoreErrorCode::ProviderMismatch | StoreErrorCode::WrongDimensions
                | StoreErrorCode::Backend));
        match may_be_damage.then(|| self.reader().and_then(|reader| Ok(reader.verify()?))) {
            Some(Err(found)) if found.is_damaged() => found,
            _ => error,
        }
    }

    /// Deletes rows that contradict the rest of the index, and returns a note about it. The next run writes them
    /// again.
    fn repair(&self, error: &EngineError, cancel: &CancelToken) -> Result<String, EngineError> {
        tracing::error!(%error, "a bug in vectorcode; the index is repaired");
        let _lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
        self.forget_reader();
        self.store().writer()?.repair()?;
        Ok(format!(
            "{error}. This is a bug in vectorcode, please report it. The index was repaired and keeps its vectors."
        ))
    }

    fn run(&self, job: &IndexJob<'_>) -> Result<IndexReport, EngineError> {
        if job.request.full { self.rebuild(job) } else { self.update(job) }
    }

    /// Runs a query. If it meets damage, the index is rebuilt from the sources and the query is run once more; the
    /// user learns about it from [`Self::notes`]. If another process is already rebuilding, the query waits for it.
    pub(crate) fn with_repair<T>(
        &self,
        query: impl Fn() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        if self.commit().is_some() {
            // The engine of the working tree repairs the index.
            return query();
        }
        let error = match query() {
            Err(error) if error.is_damaged() || self.is_being_replaced(&error) => error,
            answer => return answer,
        };
        let cancel = CancelToken::default();
        if self.replace_if_damaged(&query, &cancel).is_err() {
            return Err(error);
        }
        self.index(&IndexRequest::before_structure(), WhenLocked::Wait, &SilentProgress, &cancel)?;
        query()
    }

    /// Whether a query found no index because a damaged one is just being replaced: for a moment there is none. A
    /// first index is not waited for, because it may take minutes; `status` shows its progress.
    fn is_being_replaced(&self, error: &EngineError) -> bool {
        let is_being_made = || self.is_indexed() || self.store().is_locked(LockRole::Write);
        error.is_not_initialized() && self.had_index() && is_being_made()
    }

    /// Replaces the index if the query still meets damage. When several callers meet it at once, the first one
    /// replaces the index while the others wait for the lock; they must not discard what it builds.
    fn replace_if_damaged<T>(
        &self,
        query: impl Fn() -> Result<T, EngineError>,
        cancel: &CancelToken,
    ) -> Result<(), EngineError> {
        let _lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
        self.forget_reader();
        match query() {
            Err(error) if error.is_damaged() => self.set_repair_note(self.replace_damaged(&error)?),
            // The holder of the lock removed the index. A query does not create it again.
            Err(error) if error.is_not_initialized() => return Err(error),
            _ => {}
        }
        Ok(())
    }

    /// Moves a damaged index aside, creates an empty one, and returns a note about it. The caller holds the write
    /// lock.
    fn replace_damaged(&self, error: &EngineError) -> Result<String, EngineError> {
        self.forget_reader();
        let kept = self.store().set_aside()?;
        self.create_index()?;
        Ok(format!("{error}; it was kept as {kept}, and a new one was built."))
    }

    /// Indexes what changed, unless another process is writing or the directory is read-only. The index still answers
    /// in that case; each hit is checked against the disk.
    pub fn freshen(&self, request: &IndexRequest, sink: &dyn ProgressSink, cancel: &CancelToken) {
        if let Err(error) = self.index(request, WhenLocked::Fail, sink, cancel) {
            tracing::debug!(%error, root = %self.project().root().display(), "the index was not brought up to date");
        }
    }

    /// Deletes the index; with [`Removal::Everything`] also the project's settings. Servers that watch or embed close
    /// it first. A run that a user started is not interrupted but named in the error.
    pub fn remove(&self, removal: Removal) -> Result<(), EngineError> {
        let patience = CancelToken::expiring(CLOSE_TIMEOUT);
        let removing = self.lock(LockRole::Remove, WhenLocked::Wait, &patience)?;
        let others = [LockRole::Watch, LockRole::Embed, LockRole::Write];
        let locks = others.map(|role| self.lock(role, WhenLocked::Wait, &patience));
        let locks = locks.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.close_index();
        drop(locks);
        // The index goes first: on Windows the deletion fails while another process has it open, and then the
        // settings must stay. No server creates a new index while `removing` is held.
        self.store().remove()?;
        drop(removing);
        self.activity_board().delete_file();
        delete_usage(self.project().index_directory())?;
        self.project().delete_hook_socket();
        self.project().delete_directory_if_unused()?;
        if removal == Removal::Everything {
            self.project().delete_directory()?;
        }
        self.registration().remove()
    }

    fn update(&self, job: &IndexJob<'_>) -> Result<IndexReport, EngineError> {
        let wants_vectors = !job.request.stage_one_only;
        let (provider_works, note) =
            match wants_vectors.then(|| self.adopt_changed_provider(job.sink, job.cancel)) {
                // The previous provider's vectors stay until the new provider works.
                Some(Err(error @ EngineError::Embed(_))) => (false, Some(index::without_provider(&error))),
                Some(adopted) => (true, adopted?),
                None => (true, None),
            };
        let with_vectors = wants_vectors && provider_works;
        let lock = self.lock(LockRole::Write, job.when_locked, job.cancel)?;
        let doing = self.activity_board().begin();
        let sink = doing.tee(job.sink);
        self.create_if_missing()?;
        let mut writer = self.store().writer()?;
        if job.is_explicit() {
            // Some damage shows only as wrong results, which is often why people run this. Verifying takes 2.5 ms per
            // MB.
            writer.reader().verify()?;
        }
        // Vectors of two static models cannot be mixed, and every chunk has one.
        if writer.reader().spaces()?.statics != statics() {
            drop((writer, lock));
            return self.rebuild(job);
        }
        if with_vectors {
            self.settle_provider(&mut *writer)?;
        }
        if job.paths.is_empty() {
            self.forget_removed_worktrees(&mut *writer)?;
        }
        let (scope, settings) = (self.scope()?, self.settings());
        let write_lock = || self.lock(LockRole::Write, WhenLocked::Wait, job.cancel).map(Some);
        let run = Self::index_run(&settings, &scope, &write_lock, &sink, job.cancel);
        let read_files = |writer: &mut dyn IndexWriter| {
            let report = run.read_files(&job.paths, job.wanted(), writer);
            drop(lock);
            report
        };
        let mut report = self.with_history(job, &write_lock, &mut *writer, read_files)?;
        if with_vectors && run.has_vectors_to_make(writer.reader())? {
            let _lock = self.lock(LockRole::Embed, job.when_locked, job.cancel)?;
            report.notes.extend(self.pull_first_vectors(&sink, job.cancel));
            run.make_vectors(&mut *writer, &mut report)?;
        }
        run.finish(&mut *writer, &mut report)?;
        report.pending = self.reader()?.pending_count()?;
        report.notes.extend(note);
        if !provider_works {
            report.pending = report.chunks;
        }
        Ok(report)
    }

    /// Builds a new index next to the old one, which is searched and updated until the new one replaces it.
    fn rebuild(&self, job: &IndexJob<'_>) -> Result<IndexReport, EngineError> {
        let _embed_lock = self.lock(LockRole::Embed, job.when_locked, job.cancel)?;
        let doing = self.activity_board().begin();
        let sink = doing.tee(job.sink);
        let mut rebuild = self.store().rebuild(&self.spaces())?;
        rebuild.writer().set_meta(CREATED, &now_iso8601())?;
        let (scope, settings) = (self.scope()?, self.settings());
        // No other process writes to the new index.
        let run = Self::index_run(&settings, &scope, &|| Ok(None), &sink, job.cancel);
        let read_files = |writer: &mut dyn IndexWriter| run.read_files(&[], Detail::Structure, writer);
        let mut report = self.with_history(job, &|| Ok(None), rebuild.writer(), read_files)?;
        if !job.request.stage_one_only && run.has_vectors_to_make(rebuild.writer().reader())? {
            run.make_vectors(rebuild.writer(), &mut report)?;
        }
        let _write_lock = self.lock(LockRole::Write, WhenLocked::Wait, job.cancel)?;
        // Edits made meanwhile went into the old index only.
        let scope = self.scope()?;
        let late = IndexRun { sink: &SilentProgress, scope: &scope, ..run };
        report.chunks_new += late.read_files(&[], Detail::Structure, rebuild.writer())?.chunks_new;
        late.finish(rebuild.writer(), &mut report)?;
        report.pending = rebuild.writer().reader().pending_count()?;
        if !report.cancelled {
            rebuild.commit()?;
            self.forget_reader();
        }
        Ok(report)
    }

    /// Reads the files, and for a whole tree also the new commits: in parallel, or, if a query is waiting for the
    /// files, only the newest commits after them. If the repository cannot be read, a note says so.
    fn with_history(
        &self,
        job: &IndexJob<'_>,
        write_lock: WriteLock<'_>,
        writer: &mut dyn IndexWriter,
        read_files: impl FnOnce(&mut dyn IndexWriter) -> Result<IndexReport, EngineError>,
    ) -> Result<IndexReport, EngineError> {
        if !job.paths.is_empty() {
            return read_files(writer);
        }
        let history = self.history_reading(write_lock, job.cancel);
        let (mut report, pass) = if job.request.query_waits {
            (read_files(writer)?, history.run_newest(HISTORY_WHILE_WAITING, writer))
        } else {
            history.run_beside(writer, read_files)?
        };
        match pass {
            Err(EngineError::History(error)) => {
                report.notes.push(format!("{error}. The history is left out."));
            }
            pass => drop(pass?),
        }
        Ok(report)
    }

    fn history_reading<'a>(
        &'a self,
        write_lock: WriteLock<'a>,
        cancel: &'a CancelToken,
    ) -> HistoryReading<'a> {
        HistoryReading { project: self.project(), commits: self.config().history.commits, write_lock, cancel }
    }

    /// Reads new commits for at most `budget`.
    pub(crate) fn read_history(
        &self,
        budget: Duration,
        cancel: &CancelToken,
    ) -> Result<HistoryPass, EngineError> {
        let _running = self.running().enter(cancel);
        let mut writer = self.store().writer()?;
        let write_lock = || self.lock(LockRole::Write, WhenLocked::Wait, cancel).map(Some);
        self.history_reading(&write_lock, cancel).run(budget, &mut *writer)
    }

    /// Embeds pending chunks until the token is cancelled. Fails if another process is already embedding.
    pub(crate) fn embed_pending(&self, cancel: &CancelToken) -> Result<(), EngineError> {
        let _running = self.running().enter(cancel);
        self.adopt_changed_provider(&SilentProgress, cancel)?;
        let embed_lock = self.lock(LockRole::Embed, WhenLocked::Fail, cancel)?;
        let doing = self.activity_board().begin();
        let sink = doing.tee(&SilentProgress);
        let write_lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
        let mut writer = self.store().writer()?;
        self.settle_provider(&mut *writer)?;
        drop(write_lock);
        let (scope, settings) = (self.scope()?, self.settings());
        let write_lock = || self.lock(LockRole::Write, WhenLocked::Wait, cancel).map(Some);
        let run = Self::index_run(&settings, &scope, &write_lock, &sink, cancel);
        run.embed_only(self.reader()?.pending_count()?, &mut *writer)?;
        drop(embed_lock);
        if cancel.is_cancelled() {
            std::thread::sleep(LOCK_HANDOVER_TIME);
        }
        Ok(())
    }

    pub(super) fn create_if_missing(&self) -> Result<(), EngineError> {
        if !self.is_indexed() {
            self.project().create_directory()?;
            self.create_index()?;
        }
        Ok(())
    }

    fn create_index(&self) -> Result<Box<dyn IndexWriter>, EngineError> {
        let mut writer = self.store().create(&self.spaces())?;
        writer.set_meta(CREATED, &now_iso8601())?;
        Ok(writer)
    }

    /// Deletes the files of linked worktrees that git no longer lists.
    fn forget_removed_worktrees(&self, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
        let mut gone = writer.reader().checkouts()?;
        if !gone.is_empty() {
            let there = vectorcode_history::linked_worktrees(self.project().root());
            gone.retain(|name| !there.contains(name));
        }
        if !gone.is_empty() {
            writer.forget_checkouts(&gone)?;
        }
        Ok(())
    }

    /// The vector spaces of the configured models. The space of a provider that cannot be created is not known yet.
    fn spaces(&self) -> IndexSpaces {
        let unknown = || VectorSpace::unknown(self.config().provider.name.as_str());
        IndexSpaces {
            statics: statics(),
            provider: self.embedder().map_or_else(|_| unknown(), |embedder| embedder.space().clone()),
        }
    }

    fn index_run<'a>(
        settings: &'a Settings,
        scope: &'a Scope,
        write_lock: WriteLock<'a>,
        sink: &'a dyn ProgressSink,
        cancel: &'a CancelToken,
    ) -> IndexRun<'a> {
        IndexRun {
            scope,
            embedder: settings.embedder().map(|embedder| &**embedder).map_err(Arc::clone),
            cache: settings.cache(),
            threads: settings.reading_threads(),
            words_first_from: settings.config.indexing.words_first_from,
            write_lock,
            sink,
            cancel,
        }
    }

    pub(crate) fn lock(
        &self,
        role: LockRole,
        when_locked: WhenLocked,
        cancel: &CancelToken,
    ) -> Result<Box<dyn LockGuard>, EngineError> {
        self.project().create_directory()?;
        let when_held = match when_locked {
            WhenLocked::Wait => WhenHeld::Wait(cancel),
            WhenLocked::Fail => WhenHeld::Fail,
        };
        Ok(self.store().lock(role, when_held)?)
    }
}

fn statics() -> VectorSpace {
    VectorSpace::new("static", StaticModel::NAME, StaticModel::DIMENSIONS)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};

    use vectorcode_core::config::Config;
    use vectorcode_testkit::{FakeEmbedder, TempProject, TestRepository};

    use super::*;
    use crate::{Embedders, EngineOptions, Project};

    fn engine(files: &TempProject) -> Engine {
        let embedders = Embedders::fixed(Arc::new(FakeEmbedder::new(8)));
        let options = EngineOptions { embedders, ..EngineOptions::default() };
        Engine::new(Project::at(files.root()).unwrap(), Config::default(), options)
    }

    /// The result of a query that starts without an index while `work` runs under the write lock.
    fn asked_without_index(engine: &Engine, work: impl FnOnce()) -> Result<usize, EngineError> {
        let lock = engine.lock(LockRole::Write, WhenLocked::Fail, &CancelToken::default()).unwrap();
        if engine.is_indexed() {
            engine.reader().unwrap();
            engine.forget_reader();
            engine.store().set_aside().unwrap();
        }
        let (found_none, is_first) = (Barrier::new(2), AtomicBool::new(true));
        let query = || {
            let answer = engine.reader().and_then(|reader| Ok(reader.files()?.len()));
            if is_first.swap(false, Ordering::Relaxed) {
                assert!(answer.as_ref().is_err_and(EngineError::is_not_initialized), "{answer:?}");
                found_none.wait();
            }
            answer
        };
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| engine.with_repair(query));
            found_none.wait();
            work();
            drop(lock);
            asking.join().unwrap()
        })
    }

    #[test]
    fn what_a_linked_worktree_had_goes_when_git_has_lost_it() {
        let files = TempProject::new(&[("main/a.rs", "fn a() {}\n"), ("topic/b.rs", "fn b() {}\n")]);
        TestRepository::init(&files.path("main"));
        let linked = files.path("main/.git/worktrees/topic");
        files.write("main/.git/worktrees/topic/gitdir", format!("{}\n", files.path("topic/.git").display()));
        files.write("main/.git/worktrees/topic/commondir", "../..\n");
        files.write("main/.git/worktrees/topic/HEAD", "ref: refs/heads/topic\n");
        files.write("topic/.git", format!("gitdir: {}\n", linked.display()));
        let index = |folder: &str| {
            let embedders = Embedders::fixed(Arc::new(FakeEmbedder::new(8)));
            let options = EngineOptions { embedders, ..EngineOptions::default() };
            let engine = Engine::new(Project::at(&files.path(folder)).unwrap(), Config::default(), options);
            let cancel = CancelToken::default();
            engine.index(&IndexRequest::default(), WhenLocked::Wait, &SilentProgress, &cancel).unwrap();
            engine
        };
        assert_eq!(index("topic").files().unwrap().len(), 1);
        assert_eq!(index("main").reader().unwrap().checkouts().unwrap(), ["topic"]);
        std::fs::remove_dir_all(files.path("topic")).unwrap();
        assert_eq!(index("main").reader().unwrap().checkouts().unwrap(), [""; 0]);
    }

    #[test]
    fn a_query_waits_for_the_index_that_replaces_a_damaged_one() {
        let files = TempProject::new(&[("a.rs", "fn a() {}\n")]);
        let engine = engine(&files);
        engine.create_if_missing().unwrap();
        let files_found = asked_without_index(&engine, || drop(engine.create_index().unwrap()));
        assert_eq!(files_found.unwrap(), 1, "the new index is filled before it is queried");
    }

    #[test]
    fn a_query_does_not_wait_for_a_first_index() {
        let files = TempProject::new(&[("a.rs", "fn a() {}\n")]);
        let engine = engine(&files);
        engine.project().create_directory().unwrap();
        let answer = asked_without_index(&engine, || drop(engine.create_index().unwrap()));
        assert!(answer.unwrap_err().is_not_initialized());
    }

    #[test]
    fn a_query_does_not_bring_a_removed_index_back() {
        let files = TempProject::new(&[("a.rs", "fn a() {}\n")]);
        let engine = engine(&files);
        engine.create_if_missing().unwrap();
        assert!(asked_without_index(&engine, || {}).unwrap_err().is_not_initialized());
        assert!(!engine.is_indexed());
    }

    #[test]
    fn of_two_queries_that_meet_damage_one_replaces_the_index() {
        let files = TempProject::new(&[("a.rs", "fn a() {}\n")]);
        files.write(".vectorcode/index.db", vec![7; 50_000]);
        let both_met_it = Barrier::new(2);
        let ask = || {
            let (engine, is_first) = (engine(&files), AtomicBool::new(true));
            let query = || {
                let answer = engine.files();
                if is_first.swap(false, Ordering::Relaxed) {
                    both_met_it.wait();
                }
                answer
            };
            assert_eq!(engine.with_repair(query).unwrap().len(), 1);
            usize::from(engine.take_repair_note().is_some())
        };
        let replaced = std::thread::scope(|scope| {
            let other = scope.spawn(ask);
            ask() + other.join().unwrap()
        });
        assert_eq!(replaced, 1);
    }
}
