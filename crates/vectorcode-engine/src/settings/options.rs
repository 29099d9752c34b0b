//! What a caller may set when it opens an engine.

use std::path::PathBuf;
use std::sync::Arc;

use vectorcode_core::config::Sources;
use vectorcode_embed::Reranker;

use crate::settings::Embedders;
use crate::settings::SharedVectors;

/// Whether somebody waits for the work of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workload {
    /// A command runs for it alone and may take the whole machine.
    #[default]
    Foreground,
    /// A server works beside a person, and takes as many cores as `indexing.background_threads` says.
    Background,
}

/// What a caller may bring along instead of the defaults.
#[derive(Clone, Default)]
pub struct EngineOptions {
    /// Where the provider that the settings name comes from.
    pub embedders: Embedders,
    /// Reorders the best results of a search; `None`: the one that the settings name, if any.
    pub reranker: Option<Arc<dyn Reranker>>,
    /// The directory of the per-user embedding cache; `None`: no cache.
    pub cache_dir: Option<PathBuf>,
    /// The list of the user's projects, to which an indexed project is added; `None`: no list.
    pub registry: Option<PathBuf>,
    /// Where the settings come from. With a project's file they are followed as they change; another project is opened
    /// with its own file instead.
    pub settings: Sources,
    pub workload: Workload,
    /// Where an index without vectors gets those from that others have made; `None`: nowhere.
    pub shared_vectors: Option<Arc<dyn SharedVectors>>,
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
