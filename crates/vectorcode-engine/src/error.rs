//! Everything that can go wrong in the engine.

use std::path::PathBuf;
use std::sync::Arc;

use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_embed::EmbedError;
use vectorcode_source::SourceError;
use vectorcode_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Shared, because a provider that could not be made is asked for again and again.
    #[error(transparent)]
    Embed(Arc<EmbedError>),
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("Cannot watch the project: {0}")]
    Watch(#[from] notify::Error),
    #[error("{path} is not inside the project {root}")]
    OutsideProject { path: PathBuf, root: PathBuf },
    #[error("{path} has no line {line} in the index")]
    NoSuchLocation { path: String, line: u32 },
    #[error("{path} is not in the index")]
    NotIndexed { path: String },
    #[error("The query is empty")]
    EmptyQuery,
    #[error("{value:?} is not a valid {name}")]
    BadArgument { name: &'static str, value: String },
    #[error("Cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
}

impl EngineError {
    /// What a command answers that needs an index where there is none.
    pub fn not_initialized() -> Self {
        Self::Store(StoreError::NotInitialized)
    }

    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

impl From<EmbedError> for EngineError {
    fn from(error: EmbedError) -> Self {
        Self::Embed(Arc::new(error))
    }
}

impl Diagnose for EngineError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Embed(error) => error.kind(),
            Self::Source(error) => error.kind(),
            Self::OutsideProject { .. }
            | Self::NoSuchLocation { .. }
            | Self::NotIndexed { .. }
            | Self::EmptyQuery
            | Self::BadArgument { .. } => ErrorKind::User,
            Self::Watch(_) | Self::Io { .. } => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Source(error) => error.hint(),
            Self::OutsideProject { .. } => {
                Some("Give a path inside the project, relative to its root.".into())
            }
            Self::NoSuchLocation { .. } | Self::NotIndexed { .. } => {
                Some("Check the path and line, or run `vectorcode index` if the file is new.".into())
            }
            Self::EmptyQuery => Some("Describe the code you are looking for, in a few words.".into()),
            Self::BadArgument { .. } | Self::Watch(_) | Self::Io { .. } => None,
        }
    }
}
