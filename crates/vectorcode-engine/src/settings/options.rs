//! The options for opening an engine.

use std::path::PathBuf;
use std::sync::Arc;

use vectorcode_core::config::Sources;
use vectorcode_embed::Reranker;

use crate::settings::Embedders;
use crate::settings::SharedVectors;

/// Whether somebody is waiting for the engine's work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workload {
    /// A command runs in the foreground and may use the whole machine.
    #[default]
    Foreground,
    /// A server works while somebody uses the machine, and takes as many cores as `indexing.background_threads`
    /// allows.
    Background,
}

/// What a caller may pass in place of the defaults.
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Creates the embedder of the configured provider.
    pub embedders: Embedders,
    /// Reorders the best results of a search; `None`: the configured reranker, if any.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// The directory of the per-user embedding cache; `None`: no cache.
    pub cache_dir: Option<PathBuf>,
    /// The user's list of projects, to which each indexed project is added; `None`: no list.
    pub registry: Option<PathBuf>,
    /// Where the settings come from. With a project file, they are reloaded when it changes; another project is
    /// opened with its own file instead.
    pub settings: Sources,
    pub workload: Workload,
    /// Supplies vectors made elsewhere to an index that has none; `None`: no sharing.
    pub shared_vectors: Option<Arc<dyn SharedVectors>>,
}

impl std::fmt::Debug for EngineOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineOptions")
            .field("cache_dir", &self.cache_dir)
            .field("registry", &self.registry)
            // Left out: the settings hold the environment, which holds keys.
            .finish_non_exhaustive()
    }
}
