//! The facade: everything that a caller can do with one project.
//!
//! This file holds what all requests share: the settings, the open index and the state of the watcher. Each kind of
//! request has its own file; writing to the index is in `writing/`.

mod at_commit;
mod context;
mod exact;
mod files;
mod hints;
mod history;
mod in_diff;
mod paths;
mod search;
mod status;
mod structure;
mod writing;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use vectorcode_core::config::{Config, Resolved};
use vectorcode_core::lock;
use vectorcode_embed::{Embedder, Reranker};
use vectorcode_source::Scope;
use vectorcode_store::{IndexReader, Store, StoreError};

use crate::activity::ActivityBoard;
use crate::activity::RunningWork;
use crate::activity::WatchState;
use crate::error::EngineError;
use crate::graph::SnapshotCell;
use crate::history::HistoryCell;
use crate::index::{LAST_SYNC, has_pending_chunks};
use crate::project::registry::Registration;
use crate::project::{Project, index_store};
use crate::search::{HighlightCache, LazyTurns};
use crate::settings::EngineOptions;
use crate::settings::{CurrentSettings, Settings};

use self::at_commit::{AtCommit, EnginesOfCommits};
pub(crate) use self::hints::POOR;
pub(crate) use self::search::{CheckedHits, Findings};
pub use self::status::{IndexCounts, Use, UseTimer};
pub(crate) use self::writing::{LOCK_HANDOVER_TIME, ProviderChange};
pub use self::writing::{Removal, WhenLocked, is_marked_project};

/// One project's index. Cheap to open: models and files are loaded when they are first needed.
pub struct Engine {
    project: Project,
    settings: CurrentSettings,
    options: EngineOptions,
    store: Arc<dyn Store>,
    /// The commit that this engine serves; `None` for the working tree.
    commit: Option<AtCommit>,
    engines_of_commits: EnginesOfCommits,
    /// Opened on first use, and reopened after the index was replaced.
    reader: Mutex<Option<Arc<dyn IndexReader>>>,
    activity: ActivityBoard,
    running: RunningWork,
    graph: SnapshotCell,
    history: HistoryCell,
    highlights: HighlightCache,
    lazy_turns: LazyTurns,
    registration: Registration,
    watch_state: WatchState,
    /// Set after a damaged index was rebuilt, until a response has reported it.
    repair_note: Mutex<Option<String>>,
    /// Whether this process has already tried its first pull of shared vectors.
    has_pulled: AtomicBool,
    /// Whether this process has seen an index, sound or damaged, that has not been deleted since.
    had_index: AtomicBool,
    /// Whether the user has confirmed that this large folder should be indexed.
    first_index_confirmed: AtomicBool,
    /// How many files the folder had when they were counted before the first index run.
    files_of_folder: OnceLock<usize>,
}

impl Engine {
    pub fn new(project: Project, settings: impl Into<Resolved>, options: EngineOptions) -> Self {
        let settings: Resolved = settings.into();
        let project = project
            .with_cache(options.cache_dir.as_deref())
            .with_main_worktree(&settings.config, &options.settings);
        Self {
            registration: Registration::new(options.registry.clone(), project.root()),
            store: index_store::open(&project, &settings.config.store),
            commit: None,
            engines_of_commits: EnginesOfCommits::default(),
            activity: ActivityBoard::new(project.index_directory()),
            project,
            settings: CurrentSettings::new(settings, &options),
            options,
            reader: Mutex::new(None),
            running: RunningWork::default(),
            graph: SnapshotCell::default(),
            history: HistoryCell::default(),
            highlights: HighlightCache::default(),
            lazy_turns: LazyTurns::default(),
            watch_state: WatchState::default(),
            repair_note: Mutex::default(),
            has_pulled: AtomicBool::new(false),
            had_index: AtomicBool::new(false),
            first_index_confirmed: AtomicBool::new(false),
            files_of_folder: OnceLock::new(),
        }
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The current settings.
    pub fn config(&self) -> Arc<Config> {
        self.settings().config.clone()
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.settings.current()
    }

    /// Applies changes in the settings files.
    pub(crate) fn follow_settings(&self) {
        self.settings.follow(&self.options);
    }

    pub(crate) fn replace_config(&self, config: Config) {
        self.settings.replace_config(config, &self.options);
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The project's entry in the user's list of projects.
    pub(crate) fn registration(&self) -> &Registration {
        &self.registration
    }

    /// The state of this process's watcher, if it has one.
    pub(crate) fn watch_state(&self) -> &WatchState {
        &self.watch_state
    }

    pub(crate) fn activity_board(&self) -> &ActivityBoard {
        &self.activity
    }

    /// True for the first caller only, which then makes the first pull of this process. A source that does not
    /// respond is not tried again.
    pub(crate) fn begin_first_pull(&self) -> bool {
        !self.has_pulled.swap(true, Ordering::Relaxed)
    }

    /// The index work in progress in this process.
    pub(crate) fn running(&self) -> &RunningWork {
        &self.running
    }

    /// Whether an index exists, finished and sound or not.
    pub fn is_indexed(&self) -> bool {
        self.store.exists()
    }

    /// Whether an index exists and some run has finished it. A damaged one counts as complete: it is reported as its
    /// own error.
    pub fn is_complete(&self) -> bool {
        match self.reader().and_then(|reader| Ok(reader.meta(LAST_SYNC)?)) {
            Ok(last_sync) => last_sync.is_some(),
            Err(error) => !error.is_not_initialized() && self.is_indexed(),
        }
    }

    /// How many files the index holds; 0 without an index.
    pub fn indexed_files(&self) -> u64 {
        self.reader().and_then(|reader| Ok(reader.size()?)).map_or(0, |size| size.files)
    }

    /// Why some settings that the user may rely on are not in force, as sentences.
    pub(crate) fn settings_problems(&self) -> impl Iterator<Item = String> + use<> {
        self.settings.problems()
    }

    /// A number that changes whenever the index does.
    pub fn version(&self) -> Result<i64, EngineError> {
        Ok(self.reader()?.version()?)
    }

    /// The embedder of the configured provider, created on first use.
    pub fn embedder(&self) -> Result<Arc<dyn Embedder>, EngineError> {
        let settings = self.settings();
        settings.embedder().cloned().map_err(|error| EngineError::Embed(error.clone()))
    }

    /// The reranker that reorders the best results; `None` where none is configured.
    pub fn reranker(&self) -> Result<Option<Arc<dyn Reranker>>, EngineError> {
        let settings = self.settings();
        settings.reranker().map(Option::<&Arc<_>>::cloned).map_err(|error| EngineError::Embed(error.clone()))
    }

    /// Whether chunks are still waiting for a vector from the provider.
    pub fn has_pending_vectors(&self) -> Result<bool, EngineError> {
        has_pending_chunks(&*self.reader()?)
    }

    /// The rules for which files belong to the index. Read on each use, because ignore files change.
    pub(crate) fn scope(&self) -> Result<Scope, EngineError> {
        if let Some(scope) = self.committed_scope() {
            return scope;
        }
        let artifacts = self.artifact_definitions().places();
        Ok(Scope::with_artifacts(self.project.root(), &self.config().indexing, &artifacts)?)
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(crate) fn reader(&self) -> Result<Arc<dyn IndexReader>, EngineError> {
        let mut reader = lock(&self.reader);
        if self.was_removed() {
            // A query may have reopened it just before the file was deleted.
            *reader = None;
        }
        if let Some(open) = reader.as_ref() {
            return Ok(open.clone());
        }
        let opened = self.store.reader();
        if !opened.as_ref().is_err_and(StoreError::is_not_initialized) {
            self.set_had_index(true);
        }
        let opened = opened.map_err(|error| self.why_no_index(error))?;
        *reader = Some(opened.clone());
        Ok(opened)
    }

    pub(crate) fn had_index(&self) -> bool {
        self.had_index.load(Ordering::Relaxed)
    }

    pub(crate) fn set_had_index(&self, had_index: bool) {
        self.had_index.store(had_index, Ordering::Relaxed);
    }

    /// If the index is missing because the root is refused, advising `vectorcode index` would be wrong.
    fn why_no_index(&self, error: StoreError) -> EngineError {
        match self.project.check_root() {
            Err(refused) if error.is_not_initialized() => refused,
            _ => error.into(),
        }
    }

    /// Roughly how much memory this engine takes between requests.
    pub(crate) fn memory_bytes(&self) -> usize {
        /// Settings, open files and recent results of a project that has been searched; measured with 60 small
        /// projects.
        const ENGINE_BYTES: usize = 1024 * 1024;
        // The mutex is held while the index is opened, which may take long.
        let reader = self.reader.try_lock().ok().and_then(|reader| reader.clone());
        ENGINE_BYTES + reader.map_or(0, |reader| reader.memory_bytes())
    }

    /// Drops what is cached from earlier requests, but not what every request reads.
    pub(crate) fn shrink(&self) {
        let reader = self.reader.try_lock().ok().and_then(|reader| reader.clone());
        if let Some(reader) = reader {
            reader.shrink();
        }
    }

    /// Drops the file graph if it has not been used for `time`. It takes 68 MB for a project of 250,000 chunks.
    pub fn forget_unused_structure(&self, time: Duration) {
        self.graph.forget_unused(time);
    }

    pub(crate) fn set_repair_note(&self, note: String) {
        *lock(&self.repair_note) = Some(note);
    }

    /// Returned once, to the first response that has a field for notes: some have none.
    pub(crate) fn take_repair_note(&self) -> Option<String> {
        lock(&self.repair_note).take()
    }

    pub(crate) fn forget_reader(&self) {
        *lock(&self.reader) = None;
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("project", &self.project).finish_non_exhaustive()
    }
}
