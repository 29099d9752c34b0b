//! Errors that keep a server from starting or make it stop. Failures of single requests are `Failure`s.

use std::io;
use std::net::SocketAddr;

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
    #[error("{problem}")]
    AccessTokens { problem: String, hint: Option<String> },
    #[error("`server.public_url` is {url:?}, which is not the address of a web server")]
    PublicUrl { url: String },
    #[error("the server's main loop ended unexpectedly: {0}")]
    Loop(tokio::task::JoinError),
}

impl Diagnose for ServerError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Engine(error) => error.kind(),
            Self::Runtime(_) | Self::Listen { .. } | Self::AccessTokens { .. } => ErrorKind::Environment,
            Self::TokenRequired { .. } | Self::PublicUrl { .. } => ErrorKind::User,
            Self::Loop(_) => ErrorKind::Bug,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Engine(error) => error.hint(),
            Self::Listen { .. } => Some("Use another port, or stop the program that uses this one.".into()),
            Self::TokenRequired { .. } => {
                Some("Create one with `vectorcode token create`, set VECTORCODE_HTTP_TOKEN, or listen on 127.0.0.1, which needs none.".into())
            }
            Self::AccessTokens { hint, .. } => hint.clone(),
            Self::PublicUrl { .. } => Some("Write it as https://code.example.com.".into()),
            Self::Runtime(_)
            | Self::Loop(_) => None,
        }
    }
}
