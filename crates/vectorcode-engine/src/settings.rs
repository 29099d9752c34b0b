//! The settings in force, and what is made of them.
//!
//! They are replaced as a whole when one of their files changes: a search or a run that began under the old ones ends
//! under them. A file that cannot be read leaves the last good settings in force.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use vectorcode_core::config::{self, Config, Sources};
use vectorcode_embed::{EmbedError, Embedder};
use vectorcode_store::EmbeddingCache;

use crate::search::RecentAnswers;
use crate::{Embedders, EngineOptions};

/// A file that changed is left alone so long: its writer may not be done.
const SETTLED: Duration = Duration::from_millis(300);

/// One state of the settings. What depends on them lives and goes with them.
pub(crate) struct Settings {
    pub(crate) config: Arc<Config>,
    pub(crate) recent_answers: RecentAnswers,
    embedders: Embedders,
    embedder: OnceLock<Result<Arc<dyn Embedder>, Arc<EmbedError>>>,
    cache_dir: Option<PathBuf>,
    cache: OnceLock<Option<EmbeddingCache>>,
}

impl Settings {
    fn new(config: Config, options: &EngineOptions) -> Self {
        Self {
            config: Arc::new(config),
            recent_answers: RecentAnswers::default(),
            embedders: options.embedders.clone(),
            embedder: OnceLock::new(),
            cache_dir: options.cache_dir.clone(),
            cache: OnceLock::new(),
        }
    }

    /// The provider of stage two, made on first use.
    pub(crate) fn embedder(&self) -> Result<&Arc<dyn Embedder>, &Arc<EmbedError>> {
        self.embedder.get_or_init(|| self.embedders.get(&self.config).map_err(Arc::new)).as_ref()
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

/// The settings of one project as they change.
pub(crate) struct SettingsInForce {
    current: RwLock<Arc<Settings>>,
    last_look: Mutex<Look>,
}

/// What is known of the files of the settings.
struct Look {
    /// As they were when they were read.
    read: Marks,
    /// As they are now, and since when, while they may still be written to.
    unsettled: Option<(Marks, Instant)>,
    /// Why what they say is not in force.
    problem: Option<String>,
}

/// The user's file and the project's; `None` for one that is not there.
type Marks = [Option<Mark>; 2];

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    modified: SystemTime,
    bytes: u64,
}

impl SettingsInForce {
    pub(crate) fn new(config: Config, options: &EngineOptions) -> Self {
        Self {
            current: RwLock::new(Arc::new(Settings::new(config, options))),
            last_look: Mutex::new(Look { read: marks(&options.settings), unsettled: None, problem: None }),
        }
    }

    pub(crate) fn current(&self) -> Arc<Settings> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn replace(&self, config: Config, options: &EngineOptions) {
        let settings = Arc::new(Settings::new(config, options));
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = settings;
    }

    /// Looks whether the files have changed, and takes up what they say. Settings that came from no file stay.
    pub(crate) fn follow(&self, options: &EngineOptions) {
        if options.settings.project_file.is_none() {
            return;
        }
        let mut look = self.last_look.lock().unwrap_or_else(PoisonError::into_inner);
        if !look.has_news(marks(&options.settings)) {
            return;
        }
        match config::load(&options.settings) {
            Ok(read) => {
                look.problem = None;
                read.warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
                if read.config != *self.current().config {
                    tracing::info!("the settings have changed and were taken up");
                    self.replace(read.config, options);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the settings cannot be read; those from before stay in force");
                look.problem = Some(error.to_string());
            }
        }
    }

    /// What keeps the newest settings from being in force, as a sentence.
    pub(crate) fn problem(&self) -> Option<String> {
        let look = self.last_look.lock().unwrap_or_else(PoisonError::into_inner);
        let problem = look.problem.as_ref()?;
        Some(format!("The settings cannot be read, and those from before are still in force: {problem}"))
    }
}

impl Look {
    /// Whether the files are others than those that were read, and nobody writes to them any more.
    fn has_news(&mut self, now: Marks) -> bool {
        if now == self.read {
            self.unsettled = None;
            return false;
        }
        let since = match self.unsettled {
            Some((seen, since)) if seen == now => since,
            _ => Instant::now(),
        };
        let settled = since.elapsed() >= SETTLED || changed_long_ago(&self.read, &now);
        self.unsettled = (!settled).then_some((now, since));
        if settled {
            self.read = now;
        }
        settled
    }
}

/// What changed was written a while ago. A file that is gone may be about to be replaced.
fn changed_long_ago(before: &Marks, now: &Marks) -> bool {
    let is_old = |mark: &Mark| mark.modified.elapsed().is_ok_and(|age| age >= SETTLED);
    let mut changed = before.iter().zip(now).filter(|(before, now)| before != now);
    changed.all(|(_, now)| now.as_ref().is_some_and(is_old))
}

fn marks(sources: &Sources) -> Marks {
    [&sources.user_file, &sources.project_file].map(|file| file.as_deref().and_then(mark))
}

fn mark(file: &Path) -> Option<Mark> {
    let file = file.metadata().ok()?;
    Some(Mark { modified: file.modified().ok()?, bytes: file.len() })
}
