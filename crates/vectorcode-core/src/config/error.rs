//! Errors in settings.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Diagnose, ErrorKind};

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("Cannot read {path}: {source}")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path}:{line}:{column}: {message}")]
    Invalid { path: PathBuf, line: usize, column: usize, message: String },
    #[error("{variable} has the value {value:?}, which is not valid")]
    BadVariable { variable: String, value: String },
    #[error("A setting from the environment or a flag is not valid: {message}")]
    BadValue { message: String },
    #[error("The record of trusted projects {path} cannot be used: {message}")]
    Approvals { path: PathBuf, message: String },
}

impl ConfigError {
    /// Wraps an error of the TOML parser, with its line and column.
    pub fn invalid(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let before = &text[..error.span().map_or(0, |span| span.start.min(text.len()))];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self::Invalid {
            path: path.to_path_buf(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: error.message().into(),
        }
    }
}

impl Diagnose for ConfigError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { .. } | Self::Approvals { .. } => ErrorKind::Environment,
            Self::Invalid { .. } | Self::BadVariable { .. } | Self::BadValue { .. } => ErrorKind::User,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "Another user may own it, for example after sudo. Change its owner, or delete .vectorcode: the index is rebuilt."
            }
            Self::Unreadable { .. } => return None,
            Self::Invalid { .. } => "Correct that line, or change the setting with `vectorcode config set`.",
            Self::Approvals { .. } => "Delete it: projects whose settings need approval ask for it again.",
            Self::BadVariable { .. } | Self::BadValue { .. } => {
                "`vectorcode config show` lists every setting, its value and where it comes from."
            }
        };
        Some(hint.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_another_user_has_a_way_out() {
        let error =
            |kind| ConfigError::Unreadable { path: "config.toml".into(), source: io::Error::from(kind) };
        assert!(error(io::ErrorKind::PermissionDenied).hint().is_some_and(|hint| hint.contains("owner")));
        assert_eq!(error(io::ErrorKind::InvalidData).hint(), None);
    }
}
