//! The facade: everything that a face can ask of one project.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Instant;

use vectorcode_core::api::{
    Activity, Coverage, FileRequest, FileResponse, GraphRequest, GraphResponse, PendingFile, SearchRequest,
    SearchResponse, SkippedCount, StatusResponse, SymbolRequest, SymbolResponse,
};
use vectorcode_core::config::{Config, Sources};
use vectorcode_core::{CancelToken, VERSION};
use vectorcode_embed::{Embedder, Reranker, StaticModel};
use vectorcode_source::{FoundFile, Scope};
use vectorcode_store::{IndexReader, SqliteReader};

use crate::activity::ActivityBoard;
use crate::context::{Area, Definitions};
use crate::graph::{self, GraphContext, SnapshotCell};
use crate::index::{self, CREATED, LAST_SYNC};
use crate::projects::Registry;
use crate::search::{self, Found, SearchContext, SearchOutcome};
use crate::settings::{Settings, SettingsInForce};
use crate::watch::{Changes, Collector};
use crate::{Embedders, EngineError, Project, file};

/// What a caller may bring along instead of the defaults.
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Where the provider that the settings name comes from.
    pub embedders: Embedders,
    /// Reorders the best results of a search; `None`: they stay as they are ranked.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// The directory of the per-user embedding cache; `None`: no cache.
    pub cache_dir: Option<PathBuf>,
    /// The list of the user's projects, in which an indexed project is entered; `None`: no list.
    pub registry: Option<PathBuf>,
    /// Where the settings come from. With a project's file they are followed as they change; another project is opened
    /// with its own file instead.
    pub settings: Sources,
}

/// What an index holds, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub files: u64,
    pub chunks: u64,
    pub last_sync_at: Option<String>,
}

/// One project's index. Cheap to open; models and files are loaded when they are first needed.
pub struct Engine {
    project: Project,
    settings: SettingsInForce,
    options: EngineOptions,
    reader: Mutex<Option<Arc<SqliteReader>>>,
    activity: ActivityBoard,
    graph: SnapshotCell,
    background_error: Mutex<Option<String>>,
    vigil: Mutex<Option<Arc<Collector>>>,
    registering: Once,
}

impl Engine {
    pub fn new(project: Project, config: Config, options: EngineOptions) -> Self {
        Self {
            project,
            settings: SettingsInForce::new(config, &options),
            options,
            reader: Mutex::new(None),
            activity: ActivityBoard::default(),
            graph: SnapshotCell::default(),
            background_error: Mutex::new(None),
            vigil: Mutex::new(None),
            registering: Once::new(),
        }
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The settings in force now.
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

    pub(crate) fn replace_settings(&self, config: Config) {
        self.settings.replace(config, &self.options);
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Enters the project into the user's list. The index is good without it, so a failure is only logged.
    pub(crate) fn register(&self) {
        let Some(file) = &self.options.registry else { return };
        self.registering.call_once(|| {
            if let Err(error) = Registry::new(file.clone()).register(self.project.root()) {
                tracing::warn!(%error, "the project was not entered into the list of projects");
            }
        });
    }

    pub(crate) fn unregister(&self) -> Result<(), EngineError> {
        let registry = self.options.registry.clone();
        registry.map_or(Ok(()), |file| Registry::new(file).unregister(self.project.root()))
    }

    pub(crate) fn activity_board(&self) -> &ActivityBoard {
        &self.activity
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
        if response.hits.is_empty() {
            response.notes.extend(self.missing_languages(&request.languages)?);
        }
        response.notes.extend(self.troubles());
        response.took_ms = started.elapsed().as_secs_f64() * 1000.0;
        Ok(response)
    }

    /// What the index says, from the recent answers if it was asked the same a moment ago.
    fn found(&self, request: &SearchRequest, area: &Area) -> Result<Arc<Found>, EngineError> {
        let (reader, settings) = (self.reader()?, self.settings());
        let version = reader.last_change()?;
        if let Some(found) = settings.recent_answers.get(version, request, area) {
            return Ok(found);
        }
        let context = SearchContext {
            reader: &*reader,
            statics: StaticModel::bundled(),
            embedder: settings.embedder().map(|embedder| &**embedder).map_err(|error| &**error),
            reranker: self.options.reranker.as_deref(),
            config: &settings.config.search,
            area,
        };
        let SearchOutcome { found, new_vectors } = search::search(&context, request)?;
        let found = Arc::new(found);
        if new_vectors.is_empty() {
            settings.recent_answers.keep(version, request, area, &found);
        }
        self.keep_vectors(&new_vectors);
        Ok(found)
    }

    /// A filter that nothing can pass is more likely a slip than a wish.
    fn missing_languages(&self, asked: &[String]) -> Result<Option<String>, EngineError> {
        if asked.is_empty() {
            return Ok(None);
        }
        let known = self.reader()?.stats()?.languages;
        let is_known = |name: &&String| known.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let missing: Vec<&str> = asked.iter().filter(|name| !is_known(name)).map(String::as_str).collect();
        let there: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        let note =
            format!("No file of the index is in {}; there are {}.", missing.join(", "), there.join(", "));
        Ok((!missing.is_empty()).then_some(note))
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
        response.notes.extend(self.troubles());
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
            created_at: reader.meta(CREATED)?.unwrap_or_default(),
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
            notes: self.artifacts()?.problems().chain(self.troubles()).collect(),
        })
    }

    /// The provider of stage two, made on first use.
    pub fn embedder(&self) -> Result<Arc<dyn Embedder>, EngineError> {
        let settings = self.settings();
        settings.embedder().cloned().map_err(|error| EngineError::Embed(error.clone()))
    }

    pub(crate) fn has_pending_vectors(&self) -> Result<bool, EngineError> {
        let stats = self.reader()?.stats()?;
        Ok(stats.chunks > stats.embedded + stats.refused)
    }

    /// What keeps the background work from getting on, shown by searches and status until it is mended.
    pub(crate) fn set_background_error(&self, error: Option<String>) {
        *self.background_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    /// What the user should know beside the answer, as sentences.
    fn troubles(&self) -> impl Iterator<Item = String> + use<> {
        let error = self.background_error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error =
            error.map(|error| format!("The index is not brought up to date in the background: {error}"));
        self.settings.problem().into_iter().chain(error)
    }

    /// Where every change of the tree is noted, while this process follows them all.
    pub(crate) fn set_vigil(&self, changes: Option<Arc<Collector>>) {
        *self.vigil.lock().unwrap_or_else(PoisonError::into_inner) = changes;
    }

    /// What may have changed since it was indexed. Who does not watch does not know.
    fn outstanding(&self) -> Changes {
        let vigil = self.vigil.lock().unwrap_or_else(PoisonError::into_inner);
        vigil.as_ref().map_or(Changes::Everything, |changes| changes.outstanding())
    }

    /// Files whose time or size on disk differs from the index.
    fn changed_files(&self, reader: &dyn IndexReader) -> Result<Vec<PendingFile>, EngineError> {
        let outstanding = self.outstanding();
        if outstanding == Changes::None {
            return Ok(Vec::new());
        }
        let (scope, cancel) = (self.scope()?, CancelToken::default());
        let plan = match outstanding {
            Changes::Paths(paths) => {
                let paths = paths.iter().map(|path| self.project.relative(path));
                index::some_paths(&scope, reader, &paths.collect::<Result<Vec<_>, _>>()?, &cancel)?
            }
            Changes::None | Changes::Everything => index::whole_tree(&scope, reader, &cancel)?,
        };
        let indexable = |file: &FoundFile| plan.known.contains_key(&file.path) || !scope.is_binary(file);
        let changed = plan.candidates.into_iter().filter(indexable).map(|file| PendingFile {
            modified_secs_ago: crate::time::seconds_since(file.mtime_ns),
            path: file.path,
        });
        let gone = plan.removed.into_iter().map(|path| PendingFile { path, modified_secs_ago: 0 });
        Ok(changed.chain(gone).collect())
    }

    /// The rules are read anew for each run, because ignore files change.
    pub(crate) fn scope(&self) -> Result<Scope, EngineError> {
        let artifacts = self.definitions().places();
        Ok(Scope::with_artifacts(self.project.root(), &self.config().indexing, &artifacts)?)
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

    pub(crate) fn forget_reader(&self) {
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl std::fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineOptions")
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
