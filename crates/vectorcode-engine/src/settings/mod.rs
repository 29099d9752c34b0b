//! The current settings, and what is made from them.
//!
//! They are replaced as a whole when one of their files changes: a search or a run that began with the old ones ends with
//! them. When a file cannot be read, the last good settings stay.

mod dedup_embedder;
mod embedders;
mod options;
mod shared_vectors;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use vectorcode_core::VectorSpace;
use vectorcode_core::config::{self, Config, Resolved, SensitiveSettings, Sources};
use vectorcode_embed::{EmbedError, Embedder, Reranker};
use vectorcode_store::EmbeddingCache;

pub use self::embedders::Embedders;
pub use self::options::{EngineOptions, Workload};
pub use self::shared_vectors::{FileKey, PullTarget, ShareableFile, SharedVectors, VectorGaps, VectorKind};
use crate::project::FileVersion;
use crate::search::{QueryCache, RecentLists};

/// A changed file is read only after it has not changed for this long, because its writer may not be done.
const SETTLE_TIME: Duration = Duration::from_millis(300);

/// The reranker that the settings name, if any, or why it cannot be used.
type MadeReranker = Result<Option<Arc<dyn Reranker>>, Arc<EmbedError>>;

/// One version of the settings, with everything that depends on them and is replaced with them.
pub(crate) struct Settings {
    pub(crate) config: Arc<Config>,
    workload: Workload,
    /// What the project's file asks for and the user has not approved, as a sentence.
    withheld: Option<String>,
    pub(crate) query_cache: QueryCache,
    pub(crate) recent_lists: RecentLists,
    embedders: Embedders,
    embedder: OnceLock<Result<Arc<dyn Embedder>, Arc<EmbedError>>>,
    /// That of the provider before, whose vectors answer until there are new ones.
    former_embedder: OnceLock<Option<Arc<dyn Embedder>>>,
    reranker: OnceLock<MadeReranker>,
    cache_dir: Option<PathBuf>,
    cache: OnceLock<Option<EmbeddingCache>>,
}

impl Settings {
    fn new(settings: Resolved, options: &EngineOptions) -> Self {
        Self {
            withheld: settings.withheld().map(SensitiveSettings::note),
            config: Arc::new(settings.config),
            workload: options.workload,
            query_cache: QueryCache::default(),
            recent_lists: RecentLists::default(),
            embedders: options.embedders.clone(),
            embedder: OnceLock::new(),
            former_embedder: OnceLock::new(),
            reranker: options
                .reranker
                .clone()
                .map_or_else(OnceLock::new, |given| OnceLock::from(Ok(Some(given)))),
            cache_dir: options.cache_dir.clone(),
            cache: OnceLock::new(),
        }
    }

    fn differ_from(&self, read: &Resolved) -> bool {
        *self.config != read.config || self.withheld != read.withheld().map(SensitiveSettings::note)
    }

    /// The provider of stage two, made on first use.
    pub(crate) fn embedder(&self) -> Result<&Arc<dyn Embedder>, &Arc<EmbedError>> {
        self.embedder
            .get_or_init(|| self.embedders.get(&self.with_limited_threads()).map_err(Arc::new))
            .as_ref()
    }

    /// The embedder to search vectors of this space with: that of the settings, or where they name another provider since, the
    /// one before.
    pub(crate) fn searching_embedder(
        &self,
        space: &VectorSpace,
    ) -> Result<&Arc<dyn Embedder>, &Arc<EmbedError>> {
        let embedder = self.embedder()?;
        if embedder.space() == space {
            return Ok(embedder);
        }
        let make = || self.embedders.of_space(space, &self.with_limited_threads());
        let former = self.former_embedder.get_or_init(make).as_ref();
        Ok(former.filter(|former| former.space() == space).unwrap_or(embedder))
    }

    /// How many files are read in parallel. Half of two cores would be one, with which a checkout takes a quarter longer to reach
    /// the index; somebody may be waiting for that, and it is over in seconds, unlike embedding.
    pub(crate) fn reading_threads(&self) -> usize {
        let cores = cores();
        let indexing = &self.config.indexing;
        let fewest = if indexing.background_threads.is_some() { 1 } else { 2 };
        indexing.concurrency.min(self.most_threads(cores).max(fewest)).clamp(1, cores)
    }

    /// The settings with a limit on the threads of the bundled model, unless they name one themselves.
    fn with_limited_threads(&self) -> Config {
        let mut config = Config::clone(&self.config);
        if self.workload == Workload::Background {
            config.provider.onnx.threads.get_or_insert(self.most_threads(cores()));
        }
        config
    }

    /// The other half belongs to the person at the keyboard: an editor that stutters costs more than vectors that come
    /// later, and searches are answered meanwhile.
    fn most_threads(&self, cores: usize) -> usize {
        match self.workload {
            Workload::Foreground => cores,
            Workload::Background => {
                self.config.indexing.background_threads.unwrap_or(cores / 2).clamp(1, cores)
            }
        }
    }

    /// The reranker that the caller brought, or that the settings name, made on first use.
    pub(crate) fn reranker(&self) -> Result<Option<&Arc<dyn Reranker>>, &Arc<EmbedError>> {
        let make = || vectorcode_embed::reranker(&self.config.rerank).map_err(Arc::new);
        self.reranker.get_or_init(make).as_ref().map(Option::as_ref)
    }

    pub(crate) fn cache(&self) -> Option<&EmbeddingCache> {
        let indexing = &self.config.indexing;
        let open = || {
            let directory = self.cache_dir.as_ref().filter(|_| indexing.embedding_cache)?;
            EmbeddingCache::open(directory, indexing.embedding_cache_size)
                .inspect_err(|error| tracing::warn!(%error, "the embedding cache cannot be used"))
                .ok()
        };
        self.cache.get_or_init(open).as_ref()
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The settings of one project as they change.
pub(crate) struct CurrentSettings {
    current: RwLock<Arc<Settings>>,
    file_check: Mutex<FileCheck>,
}

/// What is known of the settings files.
struct FileCheck {
    /// As they were when they were read.
    read: FileVersions,
    /// As they are now, and since when, while they may still be written to.
    unsettled: Option<(FileVersions, Instant)>,
    /// Why they are not in use.
    problem: Option<String>,
}

/// The user's file, the project's and the record of approvals; `None` for one that is not there.
type FileVersions = [Option<FileVersion>; 3];

impl CurrentSettings {
    pub(crate) fn new(settings: Resolved, options: &EngineOptions) -> Self {
        Self {
            current: RwLock::new(Arc::new(Settings::new(settings, options))),
            file_check: Mutex::new(FileCheck {
                read: file_versions(&options.settings),
                unsettled: None,
                problem: None,
            }),
        }
    }

    pub(crate) fn current(&self) -> Arc<Settings> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes what is in force, and leaves what is withheld as it was.
    pub(crate) fn replace_config(&self, config: Config, options: &EngineOptions) {
        let withheld = self.current().withheld.clone();
        self.replace(Settings { withheld, ..Settings::new(config.into(), options) });
    }

    fn replace(&self, settings: Settings) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    /// Reads the files again if they have changed. Settings that came from no file stay.
    pub(crate) fn follow(&self, options: &EngineOptions) {
        if options.settings.project_file.is_none() {
            return;
        }
        let mut check = self.file_check.lock().unwrap_or_else(PoisonError::into_inner);
        if !check.have_changed(file_versions(&options.settings)) {
            return;
        }
        match config::load(&options.settings) {
            Ok(read) => {
                check.problem = None;
                read.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
                if self.current().differ_from(&read) {
                    tracing::info!("the changed settings are in use");
                    self.replace(Settings::new(read, options));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the settings cannot be read; the previous ones stay");
                check.problem = Some(error.to_string());
            }
        }
    }

    /// Why the newest settings are not in use, as sentences.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> + use<> {
        let check = self.file_check.lock().unwrap_or_else(PoisonError::into_inner);
        let problem = check.problem.as_ref().map(|problem| {
            format!("The settings cannot be read, so the previous ones still apply: {problem}")
        });
        problem.into_iter().chain(self.current().withheld.clone())
    }
}

impl FileCheck {
    /// Whether the files have changed since they were read, and are no longer being written.
    fn have_changed(&mut self, now: FileVersions) -> bool {
        if now == self.read {
            self.unsettled = None;
            return false;
        }
        let since = match self.unsettled {
            Some((seen, since)) if seen == now => since,
            _ => Instant::now(),
        };
        let settled = since.elapsed() >= SETTLE_TIME || changed_long_ago(&self.read, &now);
        self.unsettled = (!settled).then_some((now, since));
        if settled {
            self.read = now;
        }
        settled
    }
}

/// Whether every changed file was written a while ago. A file that is gone may be about to be replaced.
fn changed_long_ago(before: &FileVersions, now: &FileVersions) -> bool {
    let is_old = |version: &FileVersion| version.modified.elapsed().is_ok_and(|age| age >= SETTLE_TIME);
    let mut changed = before.iter().zip(now).filter(|(before, now)| before != now);
    changed.all(|(_, now)| now.as_ref().is_some_and(is_old))
}

fn file_versions(sources: &Sources) -> FileVersions {
    [&sources.user_file, &sources.project_file, &sources.trust_file]
        .map(|file| file.as_deref().and_then(FileVersion::of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(workload: Workload, background_threads: Option<usize>) -> Settings {
        let mut config = Config::default();
        config.indexing.background_threads = background_threads;
        Settings::new(config.into(), &EngineOptions { workload, ..EngineOptions::default() })
    }

    #[test]
    fn a_server_leaves_half_of_the_cores_to_the_person() {
        let all = settings(Workload::Foreground, Some(1));
        assert_eq!(all.reading_threads(), all.config.indexing.concurrency.min(cores()));
        assert_eq!(all.with_limited_threads().provider.onnx.threads, None, "a command takes them all");
        let half = settings(Workload::Background, None);
        let expected = (cores() / 2).max(1);
        let reading = expected.max(2).min(cores());
        assert_eq!(
            half.reading_threads(),
            half.config.indexing.concurrency.min(reading),
            "two read where there are two cores"
        );
        assert_eq!(half.with_limited_threads().provider.onnx.threads, Some(expected));
        let one = settings(Workload::Background, Some(1));
        assert_eq!((one.reading_threads(), one.with_limited_threads().provider.onnx.threads), (1, Some(1)));
    }

    #[test]
    fn threads_that_the_user_names_for_the_model_stay() {
        let mut config = Config::default();
        config.provider.onnx.threads = Some(7);
        let options = EngineOptions { workload: Workload::Background, ..EngineOptions::default() };
        let settings = Settings::new(config.into(), &options);
        assert_eq!(settings.with_limited_threads().provider.onnx.threads, Some(7));
    }
}
