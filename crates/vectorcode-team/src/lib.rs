//! Features for teams, in addition to a project on one machine.
//!
//! - [`push`] and [`pull`] exchange the vectors of an index through a folder or an object store ([`vectors`]).
//! - [`TokenFile`] stores the access tokens of a server, which looks tokens up through a [`TokenTable`].
//! - A [`Worker`] clones, fetches and indexes the git repositories of a [`RepositoryList`]; a [`PushWebhook`] lets a git
//!   server announce a push.
//!
//! Indexing and searching need none of it. The engine and the server know this crate only through traits that they define.

mod error;
mod private_list;
mod repositories;
mod tokens;
mod vectors;

pub use error::TeamError;
pub use repositories::{
    CloneState, Credentials, NewRepository, Protocols, PushWebhook, Repository, RepositoryList,
    RepositoryUrl, VisitOutcome, Worker, WorkerOptions,
};
pub use tokens::{NewToken, TokenFile, TokenRecord, TokenTable};
pub use vectors::{
    AutoPull, Location, ProjectIdentity, PullReport, PullRequest, PushReport, PushRequest, SigningKey,
    TrustedKey, pull, push,
};
