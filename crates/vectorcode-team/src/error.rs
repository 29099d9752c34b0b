//! Errors of what teams share: vectors, access tokens and repositories.

use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_engine::EngineError;
use vectorcode_history::HistoryError;

#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error("No address is set to push to or to pull from")]
    NoUrl,
    #[error("{url:?} cannot hold an index: {problem}")]
    BadUrl { url: String, problem: String },
    #[error("{place} is read-only")]
    ReadOnly { place: String },
    #[error("Cannot {action} {place}: {message}")]
    Remote { action: &'static str, place: String, message: String, hint: Option<&'static str> },
    #[error("This project is not in a git repository that has a commit")]
    NoCommit,
    #[error("The git repository has no remote {remote:?} that names the project for others")]
    NoIdentity { remote: &'static str },
    #[error("{name:?} is not a valid project name")]
    BadIdentity { name: String },
    #[error("{what} cannot be used: {problem}")]
    BadBundle { what: String, problem: String },
    #[error("The bundle of commit {commit} is not signed with the key of `share.public_key`: {problem}")]
    BadSignature { commit: String, problem: String },
    #[error("{what} is not a minisign key: {problem}")]
    BadKey { what: &'static str, problem: String },
    #[error(
        "{files} of {all} files in the index have all their vectors, but none of them is the same as in the commit"
    )]
    NothingToPush { files: usize, all: u64 },
    #[error("Cannot start the threads of a transfer: {0}")]
    Runtime(std::io::Error),
    #[error("The transfer was cancelled")]
    Cancelled,
    #[error("{path} cannot be used: {problem}")]
    PrivateFile { path: PathBuf, problem: String },
    #[error("the name {name:?} of the token {problem}")]
    TokenName { name: String, problem: &'static str },
    #[error("the system provides no random numbers: {0}")]
    Random(String),
    #[error("the URL of the repository {problem}")]
    RepositoryUrl { problem: &'static str },
    #[error("the host {host:?} {problem}")]
    RepositoryHost { host: String, problem: &'static str },
    #[error("the name {name:?} of the repository {problem}")]
    RepositoryName { name: String, problem: &'static str },
    #[error("{reference:?} is not the name of a branch or tag")]
    RepositoryRef { reference: String },
    #[error("the repository {name}: {problem}")]
    Repository { name: String, problem: String },
}

impl TeamError {
    pub(crate) fn bad_bundle(what: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::BadBundle { what: what.into(), problem: problem.into() }
    }
}

impl Diagnose for TeamError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Engine(error) => error.kind(),
            Self::History(error) => error.kind(),
            Self::NoUrl
            | Self::BadUrl { .. }
            | Self::ReadOnly { .. }
            | Self::NoCommit
            | Self::NoIdentity { .. }
            | Self::BadIdentity { .. }
            | Self::BadKey { .. }
            | Self::Cancelled
            | Self::TokenName { .. }
            | Self::RepositoryUrl { .. }
            | Self::RepositoryHost { .. }
            | Self::RepositoryName { .. }
            | Self::RepositoryRef { .. } => ErrorKind::User,
            Self::Remote { .. }
            | Self::BadBundle { .. }
            | Self::BadSignature { .. }
            | Self::NothingToPush { .. }
            | Self::Runtime(_)
            | Self::PrivateFile { .. }
            | Self::Random(_)
            | Self::Repository { .. } => ErrorKind::Environment,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Engine(error) => return error.hint(),
            Self::History(error) => return error.hint(),
            Self::NoUrl => {
                "Name one on the command line, or set `share.url`: a folder, s3://bucket/path, gs://…, az://… or https://…."
            }
            Self::BadUrl { .. } => {
                "Name a folder, s3://bucket/path, gs://bucket/path, az://container/path or https://host/path."
            }
            Self::ReadOnly { .. } => "Push to the bucket or folder behind it.",
            Self::Remote { hint, .. } => return hint.map(str::to_owned),
            Self::NoCommit => "Vectors are shared by commit: run it in a git repository that has one.",
            Self::NoIdentity { .. } => {
                "Name the project as your team calls it, for example `--project github.com/team/shop`, or set `share.project`."
            }
            Self::BadIdentity { .. } => "Write it like github.com/team/shop.",
            Self::BadSignature { .. } => {
                "Have the bundle pushed again with VECTORCODE_SHARE_SIGNING_KEY set, or correct `share.public_key`."
            }
            Self::NothingToPush { .. } => "Commit or restore the files first, and run `vectorcode index`.",
            Self::BadBundle { .. } => "The next push of that commit replaces it.",
            Self::BadKey { .. } => "`minisign -G` makes a pair of keys.",
            Self::PrivateFile { .. } => {
                "Correct it, or delete it and make its entries anew with `vectorcode token` or `vectorcode repo`."
            }
            Self::RepositoryUrl { .. } => {
                "Write it as https://host/path or git@host:path; passwords belong in VECTORCODE_GIT_CREDENTIALS."
            }
            Self::RepositoryHost { .. } => "Name it in `worker.hosts` of your own settings if you mean it.",
            Self::RepositoryName { .. } => "Choose another one with `--name`.",
            Self::Runtime(_)
            | Self::Cancelled
            | Self::TokenName { .. }
            | Self::Random(_)
            | Self::RepositoryRef { .. }
            | Self::Repository { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
