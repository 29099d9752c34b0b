//! The facade: everything that a face can ask of one project.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError, RwLock};
use std::time::Instant;

use vectorcode_core::api::{
    Activity, Coverage, FileRequest, FileResponse, GraphRequest, GraphResponse, IndexReport, IndexRequest,
    PendingFile, SearchRequest, SearchResponse, SkippedCount, StatusResponse, SymbolRequest, SymbolResponse,
};
use vectorcode_core::config::{ArtifactConfig, Config, ProviderConfig, Sources};
use vectorcode_core::{CancelToken, ProgressSink, SilentProgress, VERSION, VectorSpace};
use vectorcode_embed::{EmbedError, Embedder, StaticModel};
use vectorcode_source::{FoundFile, Scope};
use vectorcode_store::{
    ChunkRow, EmbeddingCache, IndexReader, IndexSpaces, IndexWriter, Rebuild, SqliteReader, SqliteWriter,
    StoreError, WriterLock,
};

use crate::activity::ActivityBoard;
use crate::context::{Area, Definitions};
use crate::graph::{self, GraphContext, SnapshotCell};
use crate::index::{self, IndexRun, LAST_SYNC};
use crate::projects::Registry;
use crate::search::{self, Found, RecentAnswers, SearchContext, SearchOutcome};
use crate::{EngineError, Project, file};

/// What a caller may bring along instead of the defaults.
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Used instead of the provider that the configuration names.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The directory of the per-user embedding cache; `None`: no cache.
    pub cache_dir: Option<PathBuf>,
    /// The list of the user's projects, in which an indexed project is entered; `None`: no list.
    pub registry: Option<PathBuf>,
    /// Where settings come from when another project is opened; its own file is added.
    pub settings: Sources,
}

/// What an index holds, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub files: u64,
    pub chunks: u64,
    pub last_sync_at: Option<String>,
}

/// What to do when another process is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenLocked {
    Wait,
    Fail,
}

/// One project's index. Cheap to open; models and files are loaded when they are first needed.
pub struct Engine {
    project: Project,
    config: Config,
    options: EngineOptions,
    embedder: OnceLock<Result<Arc<dyn Embedder>, Arc<EmbedError>>>,
    reader: Mutex<Option<Arc<SqliteReader>>>,
    cache: OnceLock<Option<EmbeddingCache>>,
    activity: ActivityBoard,
    recent_answers: RecentAnswers,
    graph: SnapshotCell,
    background_error: Mutex<Option<String>>,
    /// The artifacts of the settings, less those that were removed since.
    pub(crate) configured_artifacts: RwLock<Vec<ArtifactConfig>>,
    registering: Once,
}

impl Engine {
    pub fn new(project: Project, config: Config, options: EngineOptions) -> Self {
        Self {
            configured_artifacts: RwLock::new(config.artifacts.clone()),
            project,
            config,
            options,
            embedder: OnceLock::new(),
            reader: Mutex::new(None),
            cache: OnceLock::new(),
            activity: ActivityBoard::default(),
            recent_answers: RecentAnswers::default(),
            graph: SnapshotCell::default(),
            background_error: Mutex::new(None),
            registering: Once::new(),
        }
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Makes an empty index, if there is none.
    pub fn init(&self) -> Result<(), EngineError> {
        let _lock = self.lock(WhenLocked::Wait, &CancelToken::default())?;
        self.create_if_missing()?;
        self.register();
        Ok(())
    }

    /// Brings the index up to date, making it first where there is none.
    pub fn index(
        &self,
        request: &IndexRequest,
        when_locked: WhenLocked,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        let paths =
            request.paths.iter().map(|path| self.project.relative(path)).collect::<Result<Vec<_>, _>>()?;
        let _lock = self.lock(when_locked, cancel)?;
        let run = self.activity.begin(cancel);
        let sink = run.tee(sink);
        let report = if request.full {
            self.rebuild(request, &sink, cancel)
        } else {
            self.update(request, &paths, &sink, cancel)
        }?;
        self.register();
        Ok(report)
    }

    /// Reads what changed, if nobody else writes: another process may be at it, or the directory is read-only. The index
    /// still answers then, span by span checked.
    pub fn freshen(&self, cancel: &CancelToken) {
        let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
        if let Err(error) = self.index(&request, WhenLocked::Fail, &SilentProgress, cancel) {
            tracing::debug!(%error, root = %self.project.root().display(), "the index was not brought up to date");
        }
    }

    /// Enters the project into the user's list. The index is good without it, so a failure is only logged.
    fn register(&self) {
        let Some(file) = &self.options.registry else { return };
        self.registering.call_once(|| {
            if let Err(error) = Registry::new(file.clone()).register(self.project.root()) {
                tracing::warn!(%error, "the project was not entered into the list of projects");
            }
        });
    }

    /// Stops the run under way at its next safe point; false when there is none.
    pub fn cancel(&self) -> bool {
        self.activity.cancel()
    }

    pub fn activity(&self) -> Activity {
        self.activity.current()
    }

    pub fn search(&self, request: &SearchRequest) -> Result<SearchResponse, EngineError> {
        let definitions = self.definitions();
        let area = definitions.area(request.artifacts).ok_or(EngineError::NoArtifacts)?;
        self.search_area(request, &area, &definitions)
    }

    /// Searches a part of the project, and says of each hit which artifact it belongs to.
    pub(crate) fn search_area(
        &self,
        request: &SearchRequest,
        area: &Area,
        definitions: &Definitions,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let mut response = self.found(request, area)?.confirm(&self.project);
        for hit in &mut response.hits {
            hit.artifact = definitions.of_file(&hit.path).map(|artifact| artifact.name.clone());
        }
        if request.neighbours {
            self.with_graph(|context| graph::add_neighbours(context, &mut response.hits))?;
        }
        response.notes.extend(self.background_error());
        response.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        Ok(response)
    }

    /// What the index says, from the recent answers if it was asked the same a moment ago.
    fn found(&self, request: &SearchRequest, area: &Area) -> Result<Arc<Found>, EngineError> {
        let reader = self.reader()?;
        let version = reader.last_change()?;
        if let Some(found) = self.recent_answers.get(version, request, area) {
            return Ok(found);
        }
        let context = SearchContext {
            reader: &*reader,
            statics: StaticModel::bundled(),
            embedder: self.made_embedder().map_err(|error| &**error),
            config: &self.config.search,
            area,
        };
        let SearchOutcome { found, new_vectors } = search::search(&context, request)?;
        let found = Arc::new(found);
        if new_vectors.is_empty() {
            self.recent_answers.keep(version, request, area, &found);
        }
        self.keep_vectors(&new_vectors);
        Ok(found)
    }

    /// What the index holds, without a look at the disk.
    pub(crate) fn contents(&self) -> Result<Contents, EngineError> {
        let reader = self.reader()?;
        let stats = reader.stats()?;
        Ok(Contents { files: stats.files, chunks: stats.chunks, last_sync_at: reader.meta(LAST_SYNC)? })
    }

    /// Who imports whom, who calls whom, what a change reaches.
    pub fn graph(&self, request: &GraphRequest) -> Result<GraphResponse, EngineError> {
        let mut response = self.with_graph(|context| graph::answer(context, request))?;
        response.notes.extend(self.background_error());
        Ok(response)
    }

    fn with_graph<T>(
        &self,
        ask: impl FnOnce(&GraphContext<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let reader = self.reader()?;
        let snapshot = self.graph.current(&self.project, &*reader)?;
        ask(&GraphContext { project: &self.project, reader: &*reader, snapshot: &snapshot })
    }

    /// Looks definitions up by name.
    pub fn symbols(&self, request: &SymbolRequest) -> Result<SymbolResponse, EngineError> {
        graph::find_symbols(&*self.reader()?, request)
    }

    /// The text of a file of the index, as it is on disk now.
    pub fn file(&self, request: &FileRequest) -> Result<FileResponse, EngineError> {
        file::read(&self.scope()?, &*self.reader()?, request)
    }

    /// A number that changes whenever the index does.
    pub fn version(&self) -> Result<i64, EngineError> {
        Ok(self.reader()?.last_change()?)
    }

    pub fn status(&self) -> Result<StatusResponse, EngineError> {
        let reader = self.reader()?;
        let stats = reader.stats()?;
        Ok(StatusResponse {
            project_root: self.project.root().display().to_string(),
            space: reader.spaces()?.provider,
            version: reader.meta("vectorcode_version")?.unwrap_or_else(|| VERSION.into()),
            created_at: reader.meta("created_at")?.unwrap_or_default(),
            last_sync_at: reader.meta(LAST_SYNC)?,
            files: stats.files,
            chunks: stats.chunks,
            symbols: stats.symbols,
            languages: stats.languages,
            database_bytes: stats.database_bytes,
            coverage: Coverage { embedded: stats.embedded, total: stats.chunks },
            skipped: reader
                .skipped()?
                .into_iter()
                .map(|(reason, count)| SkippedCount { reason, count })
                .collect(),
            pending: self.changed_files(&*reader)?,
            activity: self.activity(),
            watched: crate::watch::is_watched(&self.project),
            notes: self.artifacts()?.problems().collect(),
        })
    }

    /// Deletes the index and everything beside it that vectorcode made.
    pub fn remove(&self) -> Result<(), EngineError> {
        let lock = self.lock(WhenLocked::Fail, &CancelToken::default())?;
        self.forget_reader();
        drop(lock);
        let directory = self.project.directory();
        std::fs::remove_dir_all(&directory).map_err(EngineError::io("delete", directory))?;
        self.options
            .registry
            .clone()
            .map_or(Ok(()), |file| Registry::new(file).unregister(self.project.root()))
    }

    /// The provider of stage two, made on first use.
    pub fn embedder(&self) -> Result<&dyn Embedder, EngineError> {
        self.made_embedder().map_err(|error| EngineError::Embed(error.clone()))
    }

    /// The embedder in use, if it is the one that such settings ask for.
    pub(crate) fn embedder_for(&self, provider: &ProviderConfig) -> Option<Arc<dyn Embedder>> {
        if self.config.provider != *provider {
            return None;
        }
        self.made_embedder().ok()?;
        self.embedder.get()?.as_ref().ok().cloned()
    }

    fn made_embedder(&self) -> Result<&dyn Embedder, &Arc<EmbedError>> {
        let make = || match &self.options.embedder {
            Some(embedder) => Ok(embedder.clone()),
            None => vectorcode_embed::provider(&self.config).map_err(Arc::new),
        };
        self.embedder.get_or_init(make).as_deref()
    }

    /// Vectors that a search made are kept if nobody else is writing; they are not worth waiting for.
    fn keep_vectors(&self, vectors: &[(ChunkRow, Vec<f32>)]) {
        if vectors.is_empty() {
            return;
        }
        let kept = self.lock(WhenLocked::Fail, &CancelToken::default()).and_then(|_lock| {
            SqliteWriter::open(&self.project.database())?.write_vectors(vectors)?;
            Ok(())
        });
        if let Err(error) = kept {
            tracing::debug!(%error, "vectors of this search were not kept");
        }
    }

    /// Embeds pending chunks until the token says stop.
    pub(crate) fn embed_pending(&self, cancel: &CancelToken) -> Result<(), EngineError> {
        let _lock = self.lock(WhenLocked::Wait, cancel)?;
        let run = self.activity.begin(cancel);
        let sink = run.tee(&SilentProgress);
        let mut writer = SqliteWriter::open(&self.project.database())?;
        self.check_spaces(&writer)?;
        let scope = self.scope()?;
        self.run(&scope, &sink, cancel).embed_only(&mut writer)
    }

    pub(crate) fn has_pending_vectors(&self) -> Result<bool, EngineError> {
        let stats = self.reader()?.stats()?;
        Ok(stats.chunks > stats.embedded + stats.refused)
    }

    /// What keeps the background work from getting on, shown by searches and status until it is mended.
    pub(crate) fn set_background_error(&self, error: Option<String>) {
        *self.background_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    fn background_error(&self) -> Option<String> {
        let error = self.background_error.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(format!("The index is not brought up to date in the background: {error}"))
    }

    /// Files whose time or size on disk differs from the index.
    fn changed_files(&self, reader: &dyn IndexReader) -> Result<Vec<PendingFile>, EngineError> {
        let scope = self.scope()?;
        let plan = index::whole_tree(&scope, reader, &CancelToken::default())?;
        let indexable = |file: &FoundFile| plan.known.contains_key(&file.path) || !scope.is_binary(file);
        let changed = plan.candidates.into_iter().filter(indexable).map(|file| PendingFile {
            modified_secs_ago: crate::time::seconds_since(file.mtime_ns),
            path: file.path,
        });
        let gone = plan.removed.into_iter().map(|path| PendingFile { path, modified_secs_ago: 0 });
        Ok(changed.chain(gone).collect())
    }

    fn update(
        &self,
        request: &IndexRequest,
        paths: &[String],
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        let (mut writer, note) = self.open_or_replace()?;
        self.check_spaces(&writer)?;
        let scope = self.scope()?;
        let mut report = self.run(&scope, sink, cancel).run(request, paths, &mut writer)?;
        report.notes.extend(note);
        Ok(report)
    }

    /// Opens the index for writing. A damaged one makes way for an empty one: it is a cache, and the run that follows
    /// fills it from the sources.
    fn open_or_replace(&self) -> Result<(SqliteWriter, Option<String>), EngineError> {
        self.create_if_missing()?;
        let path = self.project.database();
        match SqliteWriter::open(&path) {
            Ok(writer) => Ok((writer, None)),
            Err(error @ StoreError::Damaged { .. }) => {
                self.forget_reader();
                let note = format!("{error}, and a new one was built.");
                Ok((SqliteWriter::create(&path, &self.spaces()?)?, Some(note)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Builds a new file beside the old one, which answers until the new one is swapped in.
    fn rebuild(
        &self,
        request: &IndexRequest,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        self.create_directory()?;
        let mut rebuild = Rebuild::begin(&self.project.database(), &self.spaces()?)?;
        let scope = self.scope()?;
        let report = self.run(&scope, sink, cancel).run(request, &[], rebuild.writer())?;
        if !report.cancelled {
            rebuild.commit()?;
            self.forget_reader();
        }
        Ok(report)
    }

    fn run<'a>(
        &'a self,
        scope: &'a Scope,
        sink: &'a dyn ProgressSink,
        cancel: &'a CancelToken,
    ) -> IndexRun<'a> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        IndexRun {
            scope,
            embedder: self.made_embedder().map_err(Arc::clone),
            cache: self.cache(),
            threads: self.config.indexing.concurrency.clamp(1, cores),
            sink,
            cancel,
        }
    }

    /// The rules are read anew for each run, because ignore files change.
    pub(crate) fn scope(&self) -> Result<Scope, EngineError> {
        let artifacts = self.definitions().places();
        Ok(Scope::with_artifacts(self.project.root(), &self.config.indexing, &artifacts)?)
    }

    fn lock(&self, when_locked: WhenLocked, cancel: &CancelToken) -> Result<WriterLock, EngineError> {
        self.create_directory()?;
        let directory = self.project.directory();
        Ok(match when_locked {
            WhenLocked::Wait => WriterLock::wait(&directory, cancel)?,
            WhenLocked::Fail => WriterLock::acquire(&directory)?,
        })
    }

    pub(crate) fn create_directory(&self) -> Result<(), EngineError> {
        let directory = self.project.directory();
        std::fs::create_dir_all(&directory).map_err(EngineError::io("create", &directory))?;
        let ignore = directory.join(".gitignore");
        if ignore.exists() {
            return Ok(());
        }
        std::fs::write(&ignore, "# The index is a cache: rebuilt from the sources, not to be committed.\n*\n!.gitignore\n!config.toml\n")
            .map_err(EngineError::io("write", ignore))
    }

    fn create_if_missing(&self) -> Result<(), EngineError> {
        if !self.project.is_indexed() {
            self.create_directory()?;
            SqliteWriter::create(&self.project.database(), &self.spaces()?)?;
        }
        Ok(())
    }

    /// The spaces of the models in force.
    fn spaces(&self) -> Result<IndexSpaces, EngineError> {
        Ok(IndexSpaces {
            statics: VectorSpace::new("static", StaticModel::NAME, StaticModel::DIMENSIONS),
            provider: self.embedder()?.space().clone(),
        })
    }

    /// A provider that cannot be made has no space to compare, and no vectors to mix with others.
    fn check_spaces(&self, reader: &dyn IndexReader) -> Result<(), EngineError> {
        let Ok(in_force) = self.spaces() else { return Ok(()) };
        let made_with = reader.spaces()?;
        if made_with == in_force {
            return Ok(());
        }
        Err(StoreError::provider_mismatch(&made_with.provider, &in_force.provider).into())
    }

    pub(crate) fn reader(&self) -> Result<Arc<SqliteReader>, EngineError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = reader.as_ref() {
            return Ok(open.clone());
        }
        let opened = Arc::new(SqliteReader::open(&self.project.database())?);
        *reader = Some(opened.clone());
        Ok(opened)
    }

    fn forget_reader(&self) {
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn cache(&self) -> Option<&EmbeddingCache> {
        let open = || {
            let directory =
                self.options.cache_dir.as_ref().filter(|_| self.config.indexing.embedding_cache)?;
            EmbeddingCache::open(directory, self.config.indexing.embedding_cache_size)
                .inspect_err(|error| tracing::warn!(%error, "the embedding cache cannot be used"))
                .ok()
        };
        self.cache.get_or_init(open).as_ref()
    }
}

impl std::fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let embedder = self.embedder.as_ref().map(|embedder| embedder.space());
        f.debug_struct("EngineOptions")
            .field("embedder", &embedder)
            .field("cache_dir", &self.cache_dir)
            .field("registry", &self.registry)
            // The settings hold the environment, which holds keys.
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("project", &self.project).finish_non_exhaustive()
    }
}
