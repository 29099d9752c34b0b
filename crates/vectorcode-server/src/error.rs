//! Why a server could not start or had to stop. Failures of single requests are `Failure`s, not errors of the server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_engine::EngineError;

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot start the server's threads: {0}")]
    Runtime(io::Error),
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("{address} can be reached from other machines, and no token is set")]
    TokenRequired { address: SocketAddr },
    #[error("{path} cannot be used: {problem}")]
    PrivateFile { path: PathBuf, problem: String },
    #[error("the name {name:?} of the token {problem}")]
    TokenName { name: String, problem: &'static str },
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
    #[error("the system gives no random numbers: {0}")]
    Random(String),
    #[error("`server.public_url` is {url:?}, which is no address of a web server")]
    PublicUrl { url: String },
    #[error("the server's main loop ended unexpectedly: {0}")]
    Loop(tokio::task::JoinError),
}

impl Diagnose for ServerError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Engine(error) => error.kind(),
            Self::Runtime(_)
            | Self::Listen { .. }
            | Self::PrivateFile { .. }
            | Self::Repository { .. }
            | Self::Random(_) => ErrorKind::Environment,
            Self::TokenRequired { .. }
            | Self::TokenName { .. }
            | Self::PublicUrl { .. }
            | Self::RepositoryUrl { .. }
            | Self::RepositoryHost { .. }
            | Self::RepositoryName { .. }
            | Self::RepositoryRef { .. } => ErrorKind::User,
            Self::Loop(_) => ErrorKind::Bug,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::Listen { .. } => Some("Use another port, or stop the program that uses this one.".into()),
            Self::TokenRequired { .. } => {
                Some("Make one with `vectorcode token create`, set VECTORCODE_HTTP_TOKEN, or listen on 127.0.0.1, which needs none.".into())
            }
            Self::PrivateFile { .. } => Some(
                "Correct it, or delete it and make its entries anew with `vectorcode token` or `vectorcode repo`."
                    .into(),
            ),
            Self::RepositoryUrl { .. } => Some(
                "Write it as https://host/path or git@host:path; passwords belong in VECTORCODE_GIT_CREDENTIALS."
                    .into(),
            ),
            Self::RepositoryHost { .. } => Some("Name it in `worker.hosts` of your own settings if you mean it.".into()),
            Self::RepositoryName { .. } => Some("Choose another one with `--name`.".into()),
            Self::PublicUrl { .. } => Some("Write it as https://code.example.com.".into()),
            Self::Repository { .. }
            | Self::RepositoryRef { .. }
            | Self::TokenName { .. }
            | Self::Random(_)
            | Self::Runtime(_)
            | Self::Loop(_) => None,
        }
    }
}
