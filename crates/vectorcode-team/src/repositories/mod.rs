//! Registered git repositories: the list, and the worker that clones, fetches and indexes them.
//!
//! A repository is hostile input. The `git` program fetches it in a clean environment (`git`): no hooks, no filters, no
//! submodules, no links, no user settings, no prompts. `url` checks where it may be fetched from. Workers share a directory.
//! Each clone has a lock, which its worker and the git processes of that worker hold until they end (`checkout`).

mod checkout;
mod credentials;
mod followed_refs;
mod git;
mod host_reach;
mod list;
mod url;
mod webhook;
mod worker;

pub use checkout::CloneState;
pub use credentials::Credentials;
pub use list::{NewRepository, Repository, RepositoryList};
pub use url::{Protocols, RepositoryUrl};
pub use webhook::PushWebhook;
pub use worker::{VisitOutcome, Worker, WorkerOptions};
