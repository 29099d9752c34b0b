//! The errors of the engine.

use std::path::PathBuf;
use std::sync::Arc;

use vectorcode_core::config::ConfigError;
use vectorcode_core::numbers::first_and_more;
use vectorcode_core::{DefinitionKind, Diagnose, ErrorKind, SkipReason, is_resource_exhausted};
use vectorcode_embed::EmbedError;
use vectorcode_history::HistoryError;
use vectorcode_source::SourceError;
use vectorcode_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Shared, because the error of a provider that could not be created is cached and returned to every caller.
    #[error(transparent)]
    Embed(Arc<EmbedError>),
    #[error(transparent)]
    Source(SourceError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error("Cannot watch the project: {0}")]
    Watch(#[from] notify::Error),
    #[error("{path} is not inside the project {root}")]
    OutsideProject { path: PathBuf, root: PathBuf },
    #[error("{root} is {what} and is not indexed without confirmation")]
    WideRoot { root: PathBuf, what: &'static str },
    #[error("{} has {files} files and is not a project: it has neither a repository nor a manifest", root.display())]
    LargeFolder { root: PathBuf, files: usize },
    #[error("{path} has no line {line} in the index")]
    NoSuchLocation { path: String, line: u32 },
    #[error("There is no file {path} in the index")]
    UnknownFile { path: String, nearest: Vec<String> },
    #[error("{path} exists, but is left out of the index: {}", reason.describe())]
    LeftOut { path: String, reason: SkipReason },
    #[error("{path} needs a line number")]
    MissingLine { path: String },
    #[error("Several files are called {path}")]
    AmbiguousFile { path: String, paths: Vec<String> },
    #[error("There is no symbol {name} in the index")]
    UnknownSymbol { name: String, nearest: Vec<String> },
    #[error("{name} is not among the definitions read so far: those of {read} of {total} files")]
    StructureNotRead { name: String, read: u64, total: u64 },
    #[error("{name:?} is not a language that vectorcode knows")]
    UnknownLanguage { name: String, indexed: Vec<String> },
    #[error("{name:?} is not a kind of definition, and no syntax node in the index has that name")]
    UnknownKind { name: String },
    #[error("No commit in the history changed {path}")]
    NoHistoryOf { path: String },
    #[error("This project has no git history")]
    NoRepository,
    #[error("{path} is no longer on disk")]
    FileGone { path: String },
    #[error("{path} is not in the index")]
    NotIndexed { path: String },
    #[error("The query is empty")]
    EmptyQuery,
    #[error("The pattern {pattern:?} cannot be used: {reason}")]
    BadPattern { pattern: String, reason: String },
    #[error("The request was cancelled")]
    Cancelled,
    #[error("{value:?} is not a valid {name}")]
    BadArgument { name: &'static str, value: String },
    #[error("No registered project is named {name:?}")]
    UnknownProject { name: String, nearest: Vec<String>, known: Vec<String> },
    #[error("The folder of the project {name:?} is gone: {root}")]
    ProjectGone { name: String, root: PathBuf },
    #[error("{root} is {what}, so a request may not open it")]
    RefusedRoot { root: PathBuf, what: &'static str },
    #[error("{root} is not among the registered projects, and this server opens only those")]
    UnregisteredRoot { root: PathBuf },
    #[error("No project is registered")]
    NoProjects,
    #[error("No project answered: {}", reasons.join("; "))]
    NoProjectAnswered { reasons: Vec<String> },
    #[error("The list of projects {path} is damaged: {message}")]
    Registry { path: PathBuf, message: String },
    #[error("A commit cannot be combined with a diff, which names its own commits")]
    TwoCommits,
    #[error("A diff search covers only one project")]
    DiffOfProjects,
    #[error("This project has no context artifacts")]
    NoArtifacts,
    #[error("There is no context artifact {name:?}")]
    UnknownArtifact { name: String, known: Vec<String> },
    #[error("The context artifact {name:?} is defined in {file}, which vectorcode does not edit")]
    ForeignArtifact { name: String, file: &'static str },
    #[error("Cannot start a thread: {source}")]
    NoThread { source: std::io::Error },
    #[error("Cannot {action} {path}: {source}")]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
}

impl EngineError {
    /// The error of a command that needs an index, if there is none.
    pub fn not_initialized() -> Self {
        Self::Store(StoreError::not_initialized())
    }

    /// Whether another process holds the requested lock.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_locked())
    }

    /// Whether the index is damaged; it can then be rebuilt.
    pub(crate) fn is_damaged(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_damaged())
    }

    /// Whether rows of the index contradict each other; they can then be repaired.
    pub(crate) fn is_inconsistent(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_inconsistent())
    }

    pub(crate) fn is_not_initialized(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_not_initialized())
    }

    pub(crate) fn no_thread(source: std::io::Error) -> Self {
        Self::NoThread { source }
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

impl From<SourceError> for EngineError {
    fn from(error: SourceError) -> Self {
        match error {
            // The caller cancelled; it does not matter which part of the work noticed.
            SourceError::Cancelled => Self::Cancelled,
            error => Self::Source(error),
        }
    }
}

impl Diagnose for EngineError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Embed(error) => error.kind(),
            Self::Source(error) => error.kind(),
            Self::Config(error) => error.kind(),
            Self::History(error) => error.kind(),
            Self::OutsideProject { .. }
            | Self::WideRoot { .. }
            | Self::LargeFolder { .. }
            | Self::NoSuchLocation { .. }
            | Self::UnknownFile { .. }
            | Self::LeftOut { .. }
            | Self::AmbiguousFile { .. }
            | Self::MissingLine { .. }
            | Self::UnknownSymbol { .. }
            | Self::StructureNotRead { .. }
            | Self::UnknownLanguage { .. }
            | Self::UnknownKind { .. }
            | Self::FileGone { .. }
            | Self::NotIndexed { .. }
            | Self::NoHistoryOf { .. }
            | Self::NoRepository
            | Self::EmptyQuery
            | Self::BadPattern { .. }
            | Self::Cancelled
            | Self::BadArgument { .. }
            | Self::UnknownProject { .. }
            | Self::ProjectGone { .. }
            | Self::RefusedRoot { .. }
            | Self::UnregisteredRoot { .. }
            | Self::NoProjects
            | Self::NoArtifacts
            | Self::TwoCommits
            | Self::DiffOfProjects
            | Self::UnknownArtifact { .. }
            | Self::ForeignArtifact { .. } => ErrorKind::User,
            Self::NoProjectAnswered { .. }
            | Self::Registry { .. }
            | Self::Watch(_)
            | Self::NoThread { .. }
            | Self::Io { .. } => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Source(error) => error.hint(),
            Self::Config(error) => error.hint(),
            Self::History(error) => error.hint(),
            Self::OutsideProject { .. } => {
                Some("Give a path inside the project, relative to its root.".into())
            }
            Self::NoSuchLocation { .. } | Self::NotIndexed { .. } => {
                Some("Check the path and line, or run `vectorcode index` if the file is new.".into())
            }
            Self::FileGone { .. } => {
                Some("It was moved or deleted. The index catches up within seconds; try again in a moment.".into())
            }
            Self::NoHistoryOf { .. } => {
                Some("Give a path relative to the project's root; `vectorcode status` says how many commits are known.".into())
            }
            Self::NoRepository => Some("Run it inside a git repository that has a commit.".into()),
            Self::UnknownFile { nearest, .. } => Some(did_you_mean(
                nearest,
                "Give a path relative to the project's root; `vectorcode search --files` finds files by what they do.",
            )),
            Self::LeftOut { path, reason: SkipReason::Ignored } => Some(format!(
                "Excluded by `.gitignore`, `.vectorcodeignore` or the setting `exclude_dirs`. Add the line `!/{path}` to `.vectorcodeignore` to include it."
            )),
            Self::LeftOut { .. } => Some("`vectorcode status` says what is left out.".into()),
            Self::MissingLine { path } => Some(format!("Add a line of the code to compare: {path}:10")),
            Self::AmbiguousFile { paths, .. } => Some(did_you_mean(paths, "Give more of the path.")),
            Self::UnknownLanguage { indexed, .. } => Some(format!("The index has: {}", indexed.join(", "))),
            Self::UnknownKind { .. } => Some(format!("The kinds are: {}", DefinitionKind::WORDS.join(", "))),
            Self::StructureNotRead { .. } => {
                Some("Ask again in a few seconds; `vectorcode index` reads the rest at once.".into())
            }
            Self::UnknownSymbol { nearest, .. } => Some(did_you_mean(
                nearest,
                "`vectorcode symbols NAME` finds names that start with NAME, or are similar.",
            )),
            Self::WideRoot { .. } | Self::LargeFolder { .. } => Some(
                "Start vectorcode in the directory of a project, or name one with --project-path. To index all of this, \
                 add --here."
                    .into(),
            ),
            Self::EmptyQuery => Some("Describe the code you are looking for, in a few words.".into()),
            Self::UnknownProject { known, .. } if known.is_empty() => {
                Some("No project is registered yet; that happens when it is indexed.".into())
            }
            Self::UnknownProject { nearest, known, .. } => {
                let meant = if nearest.is_empty() { String::new() } else { did_you_mean(nearest, "") + " " };
                let known = first_and_more(known.iter().cloned(), MAX_LISTED);
                Some(format!("{meant}Known projects: {known}. A project is registered when it is indexed."))
            }
            Self::ProjectGone { .. } => {
                Some("`vectorcode projects --prune` removes such projects from the list.".into())
            }
            Self::RefusedRoot { .. } => Some("Name the directory of a project of yours.".into()),
            Self::UnregisteredRoot { .. } => Some(
                "Run `vectorcode index` in it once. A server with a token in VECTORCODE_HTTP_TOKEN, and one over stdio, \
                 opens other directories too."
                    .into(),
            ),
            Self::NoProjects => {
                Some("Run `vectorcode index` once in each project that you want to search.".into())
            }
            Self::NoProjectAnswered { .. } => {
                Some("`vectorcode projects` shows the state of each of them.".into())
            }
            Self::Registry { .. } => {
                Some("Delete the file: each project is added again when it is next indexed.".into())
            }
            Self::TwoCommits => Some("Name both commits in the diff, as in `main..topic`.".into()),
            Self::DiffOfProjects => Some("Search each project separately.".into()),
            Self::NoArtifacts => Some(
                "Add [[artifacts]] with a name, a path and a description to .vectorcode/config.toml.".into(),
            ),
            Self::UnknownArtifact { known, .. } => Some(format!("Known artifacts: {}.", known.join(", "))),
            Self::ForeignArtifact { file, .. } => Some(format!("Remove it from {file} yourself.")),
            Self::BadPattern { .. } => {
                Some("Escape special characters with a backslash, as in \\(.".into())
            }
            Self::NoThread { .. } => {
                Some("Raise the limit of processes (ulimit -u) or of memory (ulimit -v).".into())
            }
            Self::Io { source, .. } if is_resource_exhausted(source) => {
                Some("Raise the limit of open files (ulimit -n) or of memory (ulimit -v).".into())
            }
            Self::BadArgument { .. } | Self::Cancelled | Self::Watch(_) | Self::Io { .. } => None,
        }
    }
}

/// At most this many project names are listed in a hint; `vectorcode projects` lists all.
const MAX_LISTED: usize = 30;

fn did_you_mean(names: &[String], otherwise: &str) -> String {
    match names {
        [] => otherwise.to_owned(),
        [one] => format!("Did you mean {one}?"),
        many => format!("Did you mean one of {}?", many.join(", ")),
    }
}
