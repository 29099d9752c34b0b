//! Errors that stop the reading of a whole project. A single bad file is not an error: it is skipped and counted.

use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};

/// The error type of this crate.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("Cannot read the project directory {}: {cause}", path.display())]
    Root { path: PathBuf, cause: std::io::Error },

    #[error("Not a directory: {}", path.display())]
    NotADirectory { path: PathBuf },

    /// An entry of `exclude_dirs` or `ignore` is not a valid pattern.
    #[error("Setting exclude_dirs or ignore: {cause}")]
    IgnorePattern { cause: ignore::Error },

    /// An entry of `extra_extensions` names an unknown language.
    #[error("Setting extra_extensions: \"{entry}\" does not name a known language")]
    ExtraExtension { entry: String },

    #[error("Cannot read the project: {cause}")]
    ResourceExhaustion { cause: std::io::Error },

    /// `cause` is about starting vectorcode's own executable.
    #[error("Cannot start a parser process: {cause}")]
    ParserProcess { cause: std::io::Error },

    #[error("Not enough memory to parse a file")]
    NoMemory,

    #[error("Cancelled")]
    Cancelled,
}

impl Diagnose for SourceError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Root { .. }
            | Self::ResourceExhaustion { .. }
            | Self::ParserProcess { .. }
            | Self::NoMemory => ErrorKind::Environment,
            Self::NotADirectory { .. }
            | Self::IgnorePattern { .. }
            | Self::ExtraExtension { .. }
            | Self::Cancelled => ErrorKind::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::IgnorePattern { .. } => Some("Correct it in .vectorcode/config.toml.".into()),
            Self::ExtraExtension { .. } => {
                Some("Write \".ext\" for plain text, or \".ext=python\" to read it as a language.".into())
            }
            Self::ResourceExhaustion { .. } => {
                Some("Raise the limit of open files (ulimit -n) or of memory (ulimit -v).".into())
            }
            Self::ParserProcess { .. } => Some(
                "Files are parsed in separate processes. Raise the limit of processes or open files (ulimit -u, \
                 ulimit -n), and start vectorcode again if it was upgraded meanwhile."
                    .into(),
            ),
            Self::NoMemory => Some("Raise the limit of memory (ulimit -v), or free some.".into()),
            Self::Root { .. } | Self::NotADirectory { .. } | Self::Cancelled => None,
        }
    }
}
