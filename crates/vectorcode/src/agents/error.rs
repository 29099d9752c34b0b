//! Errors from changing the configuration of an agent. When one occurs, the file has not been changed.

use std::io;
use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};

use super::config_scope::ConfigScope;
use super::edit::EditError;

#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("the home directory is unknown")]
    NoHome,

    #[error("{agent} has no {} configuration of MCP servers", scope_word(*.scope))]
    NoSuchScope { agent: &'static str, scope: ConfigScope },

    #[error("cannot {action} {path}")]
    Io { action: &'static str, path: PathBuf, source: io::Error },

    #[error("{path} was not changed: not UTF-8 text")]
    NotText { path: PathBuf },

    #[error("{path} was not changed")]
    Edit { path: PathBuf, source: EditError },

    #[error(
        "{path} was not changed: it has a server named `vectorcode` that runs another program, `{command}`"
    )]
    Foreign { path: PathBuf, command: String },

    #[error("{path} was not changed: it is a skill of another program with the same name")]
    ForeignSkill { path: PathBuf },

    #[error("{path} was not changed: it changed while it was being edited")]
    Changed { path: PathBuf },
}

fn scope_word(scope: ConfigScope) -> &'static str {
    match scope {
        ConfigScope::User => "user-level",
        ConfigScope::Project => "project-level",
    }
}

impl Diagnose for AgentError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoHome | Self::Io { .. } | Self::Changed { .. } => ErrorKind::Environment,
            _ => ErrorKind::User,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoHome => "set HOME to your home directory".to_owned(),
            Self::NoSuchScope { scope: ConfigScope::User, .. } => "use `--scope project`".to_owned(),
            Self::NoSuchScope { scope: ConfigScope::Project, .. } => "use `--scope user`".to_owned(),
            Self::Edit { .. } | Self::NotText { .. } => {
                "fix the file by hand, then run the command again".to_owned()
            }
            Self::Foreign { .. } => "rename that server, then run the command again".to_owned(),
            Self::ForeignSkill { .. } => "rename that skill, then run the command again".to_owned(),
            Self::Changed { .. } => "run the command again".to_owned(),
            Self::Io { .. } => return None,
        })
    }
}
