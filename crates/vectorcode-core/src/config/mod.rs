//! The settings of vectorcode and their defaults. Layers (user file, project file, environment, flags) are merged
//! in `load`; everything else sees one resolved [`Config`].

mod schema;

pub use schema::{
    ArtifactConfig, Config, GeminiConfig, IndexingConfig, OllamaConfig, OnnxConfig, OpenAiConfig, Pooling,
    ProviderConfig, ProviderName, SearchConfig, VoyageConfig, WatcherConfig,
};
