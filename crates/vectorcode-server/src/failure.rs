//! The failure of a call, as one type for all front ends. MCP turns it into a tool error, HTTP into a problem with a status.

use schemars::JsonSchema;
use serde::Serialize;
use vectorcode_core::{Diagnose, ErrorKind, SkipReason, with_causes};
use vectorcode_engine::EngineError;

/// A failed call: who can fix it, what failed, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// What exactly the caller did wrong, if a protocol distinguishes it.
    #[serde(skip)]
    pub(crate) fault: Fault,
    pub(crate) message: String,
    /// What to do about it; absent when the message already says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// What to do about it for an agent, which has tools and no command line, if that differs.
    #[serde(skip)]
    tool_hint: Option<&'static str>,
}

/// What a caller did wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    #[default]
    Other,
    /// The file, symbol, project or artifact that the caller named does not exist.
    NotFound,
    /// The caller's token does not allow it.
    Forbidden,
}

impl Failure {
    /// The caller made a mistake and can correct it.
    pub(crate) fn user(message: impl Into<String>, hint: impl Into<Option<&'static str>>) -> Self {
        Self::new(ErrorKind::User, message, hint)
    }

    /// The caller's token does not allow it.
    pub(crate) fn forbidden(message: impl Into<String>, hint: impl Into<Option<&'static str>>) -> Self {
        Self { fault: Fault::Forbidden, ..Self::user(message, hint) }
    }

    /// Something outside the call must change first, which often happens within seconds.
    pub(crate) fn environment(message: impl Into<String>, hint: impl Into<Option<&'static str>>) -> Self {
        Self::new(ErrorKind::Environment, message, hint)
    }

    /// A worker thread panicked; the panic message is on stderr.
    pub(crate) fn panicked() -> Self {
        Self::new(ErrorKind::Bug, "vectorcode failed with an internal error; see its stderr.", None)
    }

    pub(crate) fn new(
        kind: ErrorKind,
        message: impl Into<String>,
        hint: impl Into<Option<&'static str>>,
    ) -> Self {
        let hint = hint.into().map(str::to_owned);
        Self { kind, fault: Fault::Other, message: message.into(), hint, tool_hint: None }
    }

    /// The same failure with a possible cause, which is more useful than general advice.
    pub(crate) fn with_cause(self, cause: String) -> Self {
        let hint = match (self.tool_hint, &self.hint) {
            (None, Some(hint)) => format!("{hint}\n{cause}"),
            _ => cause,
        };
        Self { hint: Some(hint), tool_hint: None, ..self }
    }

    /// Message and hint for an agent.
    pub(crate) fn for_agents(&self) -> String {
        match self.tool_hint.or(self.hint.as_deref()) {
            Some(hint) => format!("{}\n{hint}", self.message),
            None => self.message.clone(),
        }
    }
}

impl From<&EngineError> for Failure {
    fn from(error: &EngineError) -> Self {
        let not_found = matches!(
            error,
            EngineError::NoSuchLocation { .. }
                | EngineError::FileGone { .. }
                | EngineError::NotIndexed { .. }
                | EngineError::NoHistoryOf { .. }
                | EngineError::UnknownFile { .. }
                | EngineError::LeftOut { .. }
                | EngineError::UnknownSymbol { .. }
                | EngineError::StructureNotRead { .. }
                | EngineError::UnknownProject { .. }
                | EngineError::ProjectGone { .. }
                | EngineError::UnknownArtifact { .. }
        );
        let fault = if not_found { Fault::NotFound } else { Fault::Other };
        let (kind, hint, tool_hint) = (error.kind(), error.hint(), tool_hint(error));
        Self { kind, fault, message: with_causes(error), hint, tool_hint }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}

/// Whether a path that is not a file is an indexed folder.
fn is_folder(path: &str, nearest: &[String]) -> bool {
    nearest.iter().any(|near| near.strip_suffix('/') == Some(path.trim_end_matches('/')))
}

/// Replaces hints that name commands: agents have tools instead.
fn tool_hint(error: &EngineError) -> Option<&'static str> {
    match error {
        EngineError::NoSuchLocation { .. } | EngineError::NotIndexed { .. } => Some(
            "Check the path and line. A new file is indexed within seconds; `vec_status` shows what is pending and what is skipped.",
        ),
        EngineError::UnknownFile { nearest, .. } if nearest.is_empty() => Some(
            "Give a path relative to the project's root. `vec_symbols` with a folder as `path` lists files; `vec_search` finds code by what it does.",
        ),
        EngineError::LeftOut { reason, .. } if *reason != SkipReason::Ignored => {
            Some("`vec_status` shows what is left out.")
        }
        EngineError::UnknownFile { path, nearest } if is_folder(path, nearest) => {
            Some("It is a folder: `vec_symbols` with it as `path` lists what it contains.")
        }
        EngineError::UnknownSymbol { nearest, .. } if nearest.is_empty() => {
            Some("`vec_symbols` finds names by prefix; `vec_search` finds code by what it does.")
        }
        EngineError::StructureNotRead { .. } => Some(
            "Try again in a few seconds; `vec_status` shows the progress, and `vec_search` works meanwhile.",
        ),
        EngineError::ProjectGone { .. } => {
            Some("`vec_status` with action \"projects\" lists the projects and their state.")
        }
        EngineError::NoHistoryOf { .. } => Some(
            "Give a path relative to the project's root, or leave `path` out; `vec_status` shows how many commits are known.",
        ),
        EngineError::NoRepository => {
            Some("This needs a git repository with a commit; the other tools do not.")
        }
        EngineError::BadPattern { .. } => {
            Some("`mode: \"exact\"` searches for the text itself, without the syntax of regular expressions.")
        }
        EngineError::Store(error) if error.is_not_initialized() => Some("`vec_reindex` builds it now."),
        EngineError::WideRoot { .. } => Some(
            "Pass `project`: the name or the absolute path of a project; `vec_status` with action \"projects\" lists the known ones. \
             Whoever starts the server can name one with --project-path.",
        ),
        EngineError::NoProjects => Some("Omit `projects` to search this project."),
        EngineError::NoProjectAnswered { .. } => Some("Name single projects to see which of them fails."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_read_is_told_from_an_unknown_file() {
        let unknown = |near: &str| {
            let error = EngineError::UnknownFile { path: "src/server".into(), nearest: vec![near.into()] };
            tool_hint(&error)
        };
        assert!(unknown("src/server/").is_some_and(|hint| hint.starts_with("It is a folder")));
        assert_eq!(unknown("src/serve/"), None);
    }
}
