//! Errors that prevent a measurement.

use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_engine::EngineError;
use vectorcode_history::HistoryError;

#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{} is not in a git repository, so there is no history to make questions from", root.display())]
    NoRepository { root: PathBuf },
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error("{}", no_questions(*.commits))]
    NoQuestions { commits: usize, shallow: bool },
    #[error("{} has lines that are not questions:\n  {}", path.display(), problems.join("\n  "))]
    BadQuestions { path: PathBuf, problems: Vec<String> },
    #[error("{} has no question that the index could answer", path.display())]
    NothingToAsk { path: PathBuf },
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
}

/// What users can do if the history yields no questions.
const OWN_QUESTIONS: &str = "ask your own: `vectorcode eval --questions FILE`, where each line of FILE is \
                             {\"query\": \"where are sessions signed\", \"answers\": [\"src/sessions.py\"]}";

impl MeasureError {
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

fn no_questions(commits: usize) -> String {
    match commits {
        0 => "the history has no commits of this folder".into(),
        1 => "the only commit of this folder yields no question".into(),
        _ => format!("none of the {commits} latest commits of this folder yields a question"),
    }
}

impl Diagnose for MeasureError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Engine(error) => error.kind(),
            Self::History(error) => error.kind(),
            Self::Io { .. } => ErrorKind::Environment,
            Self::NoRepository { .. }
            | Self::NoQuestions { .. }
            | Self::BadQuestions { .. }
            | Self::NothingToAsk { .. } => ErrorKind::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::NoQuestions { shallow: true, .. } => {
                Some("The clone is shallow: `git fetch --unshallow` fetches the rest of the history.".into())
            }
            Self::NoQuestions { .. } => Some(format!(
                "A commit is usable if its message says in a sentence what it is about and it changed one to three \
                 source files that still exist. Or {OWN_QUESTIONS}"
            )),
            Self::NoRepository { .. } | Self::History(_) => Some(format!("You can {OWN_QUESTIONS}")),
            Self::BadQuestions { .. } => {
                Some("A line looks like this: {\"query\": \"where are sessions signed\", \"answers\": [\"src/sessions.py\"]}".into())
            }
            Self::NothingToAsk { .. } => {
                Some("Answers are paths relative to the project's root, as `vectorcode search --files` prints them.".into())
            }
            Self::Io { .. } => None,
        }
    }
}
