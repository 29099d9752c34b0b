//! The current settings of a project, and the objects built from them (embedder, reranker, caches).
//!
//! When a settings file changes, the whole [`Settings`] value is replaced: a search or an index run that started with
//! the old settings finishes with them. When a file cannot be read, the last good settings stay in force.

mod dedup_embedder;
mod embedders;
mod options;
mod shared_vectors;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use vectorcode_core::config::{self, Config, Resolved, SensitiveSettings, Sources};
use vectorcode_core::{VectorSpace, lock};
use vectorcode_embed::{EmbedError, Embedder, Reranker};
use vectorcode_store::EmbeddingCache;

pub use self::embedders::Embedders;
pub use self::options::{EngineOptions, Workload};
pub use self::shared_vectors::{FileKey, PullTarget, ShareableFile, SharedVectors, VectorGaps, VectorKind};
use crate::project::FileVersion;
use crate::search::{QueryCache, RecentLists};

/// A changed file is read only after it has been unchanged for this long, because it may still be being written.
const SETTLE_TIME: Duration = Duration::from_millis(300);

/// The configured reranker, if any, or why it cannot be used.
type MadeReranker = Result<Option<Arc<dyn Reranker>>, Arc<EmbedError>>;

/// One version of the settings, with everything that depends on them and is replaced together with them.
pub(crate) struct Settings {
    pub(crate) config: Arc<Config>,
    workload: Workload,
    /// A sentence naming the settings that the project's file requests and the user has not approved.
    withheld: Option<String>,
    pub(crate) query_cache: QueryCache,
    pub(crate) recent_lists: RecentLists,
    embedders: Embedders,
    embedder: OnceLock<Result<Arc<dyn Embedder>, Arc<EmbedError>>>,
    /// The embedder of the previous provider. Its vectors answer searches until the new provider's are complete.
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

    /// The embedder of the configured provider (stage two of indexing), created on first use.
    pub(crate) fn embedder(&self) -> Result<&Arc<dyn Embedder>, &Arc<EmbedError>> {
        self.embedder
            .get_or_init(|| self.embedders.get(&self.with_limited_threads()).map_err(Arc::new))
            .as_ref()
    }

    /// The embedder for query vectors in `space`: the configured one, or the previous provider's if the provider was
    /// changed and the index still holds its vectors.
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

    /// How many files are read in parallel, at least two unless `background_threads` is set. With half of two cores,
    /// that is one, a checkout takes a quarter longer to reach the index. Somebody may be waiting for that, and
    /// unlike embedding it takes only seconds.
    pub(crate) fn reading_threads(&self) -> usize {
        let cores = cores();
        let indexing = &self.config.indexing;
        let fewest = if indexing.background_threads.is_some() { 1 } else { 2 };
        indexing.concurrency.min(self.most_threads(cores).max(fewest)).clamp(1, cores)
    }

    /// The settings with a limit on the threads of the bundled model, unless they set one themselves.
    fn with_limited_threads(&self) -> Config {
        let mut config = Config::clone(&self.config);
        if self.workload == Workload::Background {
            config.provider.onnx.threads.get_or_insert(self.most_threads(cores()));
        }
        config
    }

    /// In the background, half of the cores by default. The user needs the other half: a stuttering editor costs more
    /// than vectors that arrive later, and searches are answered meanwhile.
    fn most_threads(&self, cores: usize) -> usize {
        match self.workload {
            Workload::Foreground => cores,
            Workload::Background => {
                self.config.indexing.background_threads.unwrap_or(cores / 2).clamp(1, cores)
            }
        }
    }

    /// The reranker that the caller passed in, or else the configured one, created on first use.
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

/// The settings of one project, reloaded when their files change.
pub(crate) struct CurrentSettings {
    current: RwLock<Arc<Settings>>,
    file_check: Mutex<FileCheck>,
}

/// What is known about the settings files.
struct FileCheck {
    /// The versions that were last read.
    read: FileVersions,
    /// Versions that may still be being written, and when they were first seen.
    unsettled: Option<(FileVersions, Instant)>,
    /// Why the current files are not in use.
    problem: Option<String>,
}

/// The user's settings file, the project's, and the record of approvals; `None` for a file that does not exist.
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

    /// Replaces the settings in force; the note about withheld settings stays.
    pub(crate) fn replace_config(&self, config: Config, options: &EngineOptions) {
        let withheld = self.current().withheld.clone();
        self.replace(Settings { withheld, ..Settings::new(config.into(), options) });
    }

    fn replace(&self, settings: Settings) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    /// Reads the files again if they have changed. Does nothing for settings that did not come from a file.
    pub(crate) fn follow(&self, options: &EngineOptions) {
        if options.settings.project_file.is_none() {
            return;
        }
        let mut check = lock(&self.file_check);
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

    /// Why the newest settings are not in use, as sentences for the user.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> + use<> {
        let check = lock(&self.file_check);
        let problem = check.problem.as_ref().map(|problem| {
            format!("The settings cannot be read, so the previous ones still apply: {problem}")
        });
        problem.into_iter().chain(self.current().withheld.clone())
    }
}

impl FileCheck {
    /// Whether the files have changed since they were read and are no longer being written.
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

/// Whether every changed file was written a while ago. A missing file does not count: it may be about to be replaced.
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
        assert_eq!(all.with_limited_threads().provider.onnx.threads, None, "a command uses all cores");
        let half = settings(Workload::Background, None);
        let expected = (cores() / 2).max(1);
        let reading = expected.max(2).min(cores());
        assert_eq!(
            half.reading_threads(),
            half.config.indexing.concurrency.min(reading),
            "at least two files are read in parallel on two cores"
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
