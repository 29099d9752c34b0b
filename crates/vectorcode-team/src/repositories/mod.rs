//! Git repositories that are registered by their URL: which there are, and the worker that clones, fetches and indexes them.
//!
//! A repository is hostile input. Its data is fetched by the `git` program in an environment of its own (`git`): no hooks, no
//! filters, no submodules, no links, no settings of the user, no prompts. Where it is fetched from is checked in `url`.
//! Workers share a directory: each clone has a lock that its worker and the git that it runs hold until they end (`checkout`).

mod checkout;
mod credentials;
mod followed;
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
pub use worker::{Visit, Worker, WorkerOptions};
