//! Vectors of an index, exchanged through a folder or an object store.
//!
//! A push uploads the vectors of the files of a commit; a pull downloads those that match the files on this disk. Vectors cost
//! nearly all of the time of a first index, so nothing else is exchanged: texts, symbols and paths are always read from the
//! checkout. What is stored:
//!
//! - A **pack** (`pack`) holds vectors, each under the hash of the exact text that it was made of. Its name is the hash of
//!   its bytes, so it is never changed and two pushers cannot disturb each other.
//! - A **manifest** (`manifest`) of a commit names its packs and the files whose vectors each holds. It may be signed.
//! - The **commit list** (`commit_list`) names the commits that have a manifest, so that a reader needs no listing.
//!
//! All of it lies below the hash of the project's identity (`identity`) and of the models (`remote_folder`).

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
