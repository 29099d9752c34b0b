//! Exchanges the vectors of an index through a folder or an object store.
//!
//! A push uploads the vectors of a commit's files; a pull downloads those that match the files on this disk. Vectors take
//! nearly all of the time of a first index, so nothing else is exchanged: texts, symbols and paths are always read from the
//! checkout. What is stored:
//!
//! - A **pack** (`pack`) contains vectors, each keyed by the hash of the exact text that it was computed from. Its name is
//!   the hash of its bytes, so it never changes and pushes cannot conflict.
//! - A **manifest** (`manifest`) of a commit lists its packs and the files whose vectors each contains. It may be signed.
//! - The **commit list** (`commit_list`) lists the commits that have a manifest, so that a reader needs no directory listing.
//!
//! All of it is stored under the hash of the project's identity (`identity`) and of the models (`remote_folder`).

mod auto_pull;
mod commit_list;
mod compression;
mod identity;
mod manifest;
mod pack;
mod packing;
mod prune;
mod pull;
mod push;
mod remote;
mod remote_folder;
mod runtime;
mod signature;

pub use self::auto_pull::AutoPull;
pub use self::identity::ProjectIdentity;
pub use self::pull::{PullReport, PullRequest, pull};
pub use self::push::{PushReport, PushRequest, push};
pub use self::remote::Location;
pub use self::signature::{SigningKey, TrustedKey};
