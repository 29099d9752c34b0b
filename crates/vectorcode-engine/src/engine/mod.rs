//! The facade: everything that can be asked of one project.
//!
//! This file holds what all requests share: the settings, the open index, the state of the watcher. Each kind of request
//! has a file of its own; writing to the index is in [`crate::engine`].

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
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use vectorcode_core::config::{Config, Resolved};
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
pub(crate) use self::writing::{HANDOVER, ProviderChange};
pub use self::writing::{Removal, WhenLocked, is_marked_project};

/// One project's index. Cheap to open; models and files are loaded when they are first needed.
pub struct Engine {
    project: Project,
    settings: CurrentSettings,
    options: EngineOptions,
    store: Arc<dyn Store>,
    /// The commit that this engine answers for; `None` for the working tree.
    commit: Option<AtCommit>,
    engines_of_commits: EnginesOfCommits,
    /// Opened on first use, and again after the index was replaced.
    reader: Mutex<Option<Arc<dyn IndexReader>>>,
    activity: ActivityBoard,
    running: RunningWork,
    graph: SnapshotCell,
    history: HistoryCell,
    highlights: HighlightCache,
    lazy_turns: LazyTurns,
    registration: Registration,
    watch_state: WatchState,
    /// That the index was damaged and built again, until an answer tells it.
    repair_note: Mutex<Option<String>>,
    /// Whether this process has tried to pull its first vectors.
    has_pulled: AtomicBool,
    /// Whether this process has met an index, sound or not, that nobody has deleted since.
    had_index: AtomicBool,
    /// Whether the user has said that a large folder is meant.
    first_index_confirmed: AtomicBool,
    /// How many files a folder without an index had when that was counted.
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

    /// Takes up what changed in the files of the settings.
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

    /// What the watcher of this process, if it has one, reports.
    pub(crate) fn watch_state(&self) -> &WatchState {
        &self.watch_state
    }

    pub(crate) fn activity_board(&self) -> &ActivityBoard {
        &self.activity
    }

    /// Whether the first pull of this process is the caller's to make. A place that does not answer is asked once.
    pub(crate) fn begin_first_pull(&self) -> bool {
        !self.has_pulled.swap(true, Ordering::Relaxed)
    }

    /// The work on the index that this process does.
    pub(crate) fn running(&self) -> &RunningWork {
        &self.running
    }

    /// Whether there is an index, finished and sound or not.
    pub fn is_indexed(&self) -> bool {
        self.store.exists()
    }

    /// Whether there is an index and some run has finished it. One that is damaged counts: it has its own error.
    pub fn is_complete(&self) -> bool {
        match self.reader().and_then(|reader| Ok(reader.meta(LAST_SYNC)?)) {
            Ok(last_sync) => last_sync.is_some(),
            Err(error) => !error.is_not_initialized() && self.is_indexed(),
        }
    }

    /// How many files the index holds; 0 where there is none.
    pub fn indexed_files(&self) -> u64 {
        self.reader().and_then(|reader| Ok(reader.size()?)).map_or(0, |size| size.files)
    }

    /// Why settings are not in force that the user may count on, as sentences.
    pub(crate) fn settings_problems(&self) -> impl Iterator<Item = String> + use<> {
        self.settings.problems()
    }

    /// A number that changes whenever the index does.
    pub fn version(&self) -> Result<i64, EngineError> {
        Ok(self.reader()?.version()?)
    }

    /// The provider of stage two, made on first use.
    pub fn embedder(&self) -> Result<Arc<dyn Embedder>, EngineError> {
        let settings = self.settings();
        settings.embedder().cloned().map_err(|error| EngineError::Embed(error.clone()))
    }

    /// Who reorders the best results; `None` where the settings name nobody.
    pub fn reranker(&self) -> Result<Option<Arc<dyn Reranker>>, EngineError> {
        let settings = self.settings();
        settings.reranker().map(Option::<&Arc<_>>::cloned).map_err(|error| EngineError::Embed(error.clone()))
    }

    /// Whether chunks wait for a vector of the provider.
    pub fn has_pending_vectors(&self) -> Result<bool, EngineError> {
        has_pending_chunks(&*self.reader()?)
    }

    /// Which files belong to the index. Read for each use, because ignore files change.
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
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if self.was_removed() {
            // A query may have opened it again just before the file was deleted.
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

    /// Where an index is missing because the root is refused, "run `vectorcode index`" would be bad advice.
    fn why_no_index(&self, error: StoreError) -> EngineError {
        match self.project.check_root() {
            Err(refused) if error.is_not_initialized() => refused,
            _ => error.into(),
        }
    }

    /// About how much memory it takes between questions.
    pub(crate) fn memory_bytes(&self) -> usize {
        /// Settings, open files and recent answers of a project that was searched; measured with 60 small ones.
        const ENGINE_BYTES: usize = 1024 * 1024;
        // It is locked while it is opened, which may take long.
        let reader = self.reader.try_lock().ok().and_then(|reader| reader.clone());
        ENGINE_BYTES + reader.map_or(0, |reader| reader.memory_bytes())
    }

    /// Drops what is kept of earlier questions, but not what every question reads.
    pub(crate) fn shrink(&self) {
        let reader = self.reader.try_lock().ok().and_then(|reader| reader.clone());
        if let Some(reader) = reader {
            reader.shrink();
        }
    }

    /// Drops the graph of files if nobody has asked for it for so long: 68 MB of a project of 250,000 chunks.
    pub fn forget_unused_structure(&self, time: Duration) {
        self.graph.forget_unused(time);
    }

    pub(crate) fn set_repair_note(&self, note: String) {
        *self.repair_note.lock().unwrap_or_else(PoisonError::into_inner) = Some(note);
    }

    /// Told once, by the first answer that has notes: some answers have none.
    pub(crate) fn take_repair_note(&self) -> Option<String> {
        self.repair_note.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn forget_reader(&self) {
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("project", &self.project).finish_non_exhaustive()
    }
}
