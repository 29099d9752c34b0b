//! Requests about a commit that is not checked out.
//!
//! [`Engine::at`] resolves a revision, reads the files that the index lacks, and returns an engine for that commit. All
//! queries run the same code as for the working tree: the store of this engine returns readers that see only the
//! commit's tree, and its [`FileSource`] reads files from the commit. It is read-only. A file's content that is the same
//! in the commit and in the working tree, or in another commit that was requested, is stored in the index only once.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use vectorcode_core::{CancelToken, CommitId, ProgressSink, lock, visible_line};
use vectorcode_history::Repository;
use vectorcode_source::Scope;
use vectorcode_store::{
    IndexReader, IndexSpaces, IndexWriter, LockGuard, LockRole, Rebuild, Store, StoreError, TreeKey, WhenHeld,
};

use super::{Engine, WhenLocked};
use crate::error::EngineError;
use crate::history::{ActiveHistory, read_commits_before};
use crate::index::{CommitTree, Detail};
use crate::project::{CommitFiles, FileSource};

/// How many hex digits of a commit id are shown.
const SHOWN_ID: usize = 12;
/// How many engines of commits are kept, each with its caches in memory.
const MAX_KEPT: usize = 4;
/// A commit is removed from the index this long after it was last read. A later request for it waits until the files
/// that are in the index for no other tree have been read again.
const MAX_AGE: Duration = Duration::from_hours(24 * 30);
/// At most this many commits are kept, the most recently read ones.
const MAX_TREES: usize = 200;

/// The commit that an engine serves.
#[derive(Debug)]
pub(crate) struct AtCommit {
    /// As the user wrote it.
    revision: String,
    files: Arc<CommitFiles>,
}

impl AtCommit {
    pub fn id(&self) -> CommitId {
        self.files.commit
    }
}

/// Engines of recently requested commits, the most recent last.
#[derive(Debug, Default)]
pub(crate) struct EnginesOfCommits(Mutex<Vec<(TreeKey, Arc<Engine>)>>);

impl EnginesOfCommits {
    fn take(&self, key: &TreeKey) -> Option<Arc<Engine>> {
        let mut kept = lock(&self.0);
        let place = kept.iter().position(|(known, _)| known == key)?;
        Some(kept.remove(place).1)
    }

    fn keep(&self, key: TreeKey, engine: &Arc<Engine>) {
        let mut kept = lock(&self.0);
        kept.retain(|(known, _)| *known != key);
        kept.push((key, Arc::clone(engine)));
        if kept.len() > MAX_KEPT {
            kept.remove(0);
        }
    }
}

impl Engine {
    /// An engine for the project as of a commit: a branch, a tag, an id, `origin/main`, `pr/12`, `stash@{0}`. Files
    /// of the commit that the index lacks are read first; only the index is written to.
    pub fn at(
        &self,
        revision: &str,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<Arc<Self>, EngineError> {
        if self.commit.is_some() {
            return Err(EngineError::TwoCommits);
        }
        let repository = Repository::open(self.project.root())?.ok_or(EngineError::NoRepository)?;
        let commit = repository.resolve(revision)?;
        let key = TreeKey { commit, rules: self.rules_hash() };
        let open = || self.store.tree_reader(&key);
        if let Some(engine) = self.engines_of_commits.take(&key)
            && engine.reader().and_then(|reader| Ok(reader.version()?)).is_ok()
            && engine.is_named(revision)
        {
            self.engines_of_commits.keep(key, &engine);
            return Ok(engine);
        }
        let files = Arc::new(CommitFiles::new(repository, commit));
        let mut reader = open()?;
        if reader.is_none() {
            self.read_commit(&key, &files, sink, cancel)?;
            reader = open()?;
        }
        let reader = reader.ok_or_else(StoreError::tree_gone)?;
        let engine =
            Arc::new(self.for_commit(key, AtCommit { revision: revision.to_owned(), files }, reader)?);
        self.engines_of_commits.keep(key, &engine);
        Ok(engine)
    }

    fn read_commit(
        &self,
        key: &TreeKey,
        files: &Arc<CommitFiles>,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<(), EngineError> {
        let _running = self.running().enter(cancel);
        files.list()?;
        let _lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
        self.create_if_missing()?;
        // Another process may have read it while this one was waiting for the lock.
        if self.store().tree_reader(key)?.is_some() {
            return Ok(());
        }
        let mut writer = self.store().tree_writer(key)?;
        let (scope, settings) = (self.scope_of(files)?, self.settings());
        let tree = CommitTree {
            key,
            files,
            scope: &scope,
            known_vectors: None,
            threads: settings.reading_threads(),
            sink,
            cancel,
        };
        tree.read(&mut *writer)?;
        read_commits_before(self.project(), key.commit, self.config().history.commits, &mut *writer, cancel)?;
        writer.forget_trees(MAX_AGE, MAX_TREES)?;
        Ok(())
    }

    /// Readers of the requested commits that share tables with the index of the working tree.
    pub(super) fn readers_of_commits(&self) -> Result<Vec<Arc<dyn IndexReader>>, EngineError> {
        let rules = self.rules_hash();
        let commits = self.reader()?.tree_commits()?.into_iter();
        let readers = commits.map(|commit| self.store.tree_reader(&TreeKey { commit, rules }));
        Ok(readers.filter_map(Result::transpose).collect::<Result<_, _>>()?)
    }

    /// Deletes everything the index holds for commits only. Returns how many file contents were deleted.
    pub fn forget_commits(&self, cancel: &CancelToken) -> Result<u64, EngineError> {
        let _lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
        let mut writer = self.store().writer()?;
        let forgotten = writer.forget_trees(Duration::ZERO, 0)?;
        writer.compact()?;
        Ok(forgotten)
    }

    /// A hash of everything that decides which files of a commit are read, and how.
    /// Covers `Debug` output: renaming a field of these settings makes every stored commit be read again.
    fn rules_hash(&self) -> [u8; 16] {
        let config = self.config();
        let artifacts = self.artifact_definitions().places();
        let version = Detail::Structure.content_version();
        let text = format!("{:?}\n{artifacts:?}\n{version:?}", config.indexing);
        *blake3::hash(text.as_bytes()).as_bytes().first_chunk().expect("a hash has 32 bytes")
    }

    fn scope_of(&self, files: &Arc<CommitFiles>) -> Result<Scope, EngineError> {
        let artifacts = self.artifact_definitions().places();
        let files = Arc::clone(files) as Arc<_>;
        Ok(Scope::of_commit(self.project.root(), &self.config().indexing, &artifacts, files)?)
    }

    fn for_commit(
        &self,
        key: TreeKey,
        at: AtCommit,
        reader: Arc<dyn IndexReader>,
    ) -> Result<Self, EngineError> {
        let commits = ActiveHistory::of(&*self.reader()?)?.map_or(0, |known| known.commits);
        let settings = self.config().as_ref().clone();
        let mut engine = Self::new(self.project.clone(), settings, self.options.clone());
        engine.store = Arc::new(TreeStore { key, store: Arc::clone(&self.store) });
        engine.history = crate::history::HistoryCell::of_commit(ActiveHistory {
            head: at.id().to_string(),
            commits: commits.max(crate::history::NEWEST),
        });
        engine.reader = Mutex::new(Some(reader));
        engine.commit = Some(at);
        Ok(engine)
    }

    fn is_named(&self, revision: &str) -> bool {
        self.commit.as_ref().is_some_and(|at| at.revision == revision)
    }

    /// The commit that this engine serves; `None` for the working tree.
    pub fn commit(&self) -> Option<CommitId> {
        self.commit.as_ref().map(AtCommit::id)
    }

    /// A sentence naming the commit that this engine serves; `None` for the working tree.
    pub fn commit_note(&self) -> Option<String> {
        let at = self.commit.as_ref()?;
        let id = short(at.id());
        let missing = match self.reader().map_or(0, |reader| reader.missing_files()) {
            0 => String::new(),
            files => format!(" The clone lacks the content of {files} of its files, which are left out."),
        };
        Some(format!(
            "As of {}, commit {id}. `git show {id}:PATH` prints a file.{missing}",
            visible_line(&at.revision)
        ))
    }

    /// Where the files shown in responses are read from.
    pub(crate) fn file_source(&self) -> FileSource<'_> {
        match &self.commit {
            Some(at) => FileSource::Commit(&at.files),
            None => FileSource::Disk(&self.project),
        }
    }

    /// The scope of this engine's commit; `None` for the working tree.
    pub(super) fn committed_scope(&self) -> Option<Result<Scope, EngineError>> {
        self.commit.as_ref().map(|at| self.scope_of(&at.files))
    }
}

/// The abbreviated id, as shown to users.
pub(super) fn short(id: CommitId) -> String {
    id.to_string().chars().take(SHOWN_ID).collect()
}

/// A read-only store for one commit.
#[derive(Debug)]
struct TreeStore {
    key: TreeKey,
    store: Arc<dyn Store>,
}

impl TreeStore {
    fn refused<T>() -> Result<T, StoreError> {
        Err(StoreError::read_only_commit())
    }
}

impl Store for TreeStore {
    fn exists(&self) -> bool {
        self.store.exists()
    }

    fn reader(&self) -> Result<Arc<dyn IndexReader>, StoreError> {
        self.store.tree_reader(&self.key)?.ok_or_else(StoreError::tree_gone)
    }

    fn tree_reader(&self, _key: &TreeKey) -> Result<Option<Arc<dyn IndexReader>>, StoreError> {
        Self::refused()
    }

    fn writer(&self) -> Result<Box<dyn IndexWriter>, StoreError> {
        Self::refused()
    }

    fn create(&self, _spaces: &IndexSpaces) -> Result<Box<dyn IndexWriter>, StoreError> {
        Self::refused()
    }

    fn rebuild(&self, _spaces: &IndexSpaces) -> Result<Box<dyn Rebuild>, StoreError> {
        Self::refused()
    }

    fn set_aside(&self) -> Result<String, StoreError> {
        Self::refused()
    }

    fn remove(&self) -> Result<(), StoreError> {
        Self::refused()
    }

    fn lock(&self, role: LockRole, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>, StoreError> {
        self.store.lock(role, when_held)
    }

    fn is_locked(&self, role: LockRole) -> bool {
        self.store.is_locked(role)
    }

    fn holder(&self, role: LockRole) -> Option<String> {
        self.store.holder(role)
    }
}
