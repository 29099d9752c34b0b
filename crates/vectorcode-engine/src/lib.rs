//! The product without a face.
//!
//! [`Engine`] is the one facade: it indexes a project, searches it and keeps the index true to the disk. [`Projects`]
//! asks several of them at once. Both are synchronous; servers bridge to them. What a file says is left to
//! `vectorcode-source`, what a text means to `vectorcode-embed`, and where both are kept to `vectorcode-store`.

mod activity;
mod asked_once;
mod context;
mod embedders;
mod engine;
mod error;
mod file;
mod graph;
mod index;
mod project;
mod projects;
mod replace;
mod search;
mod settings;
mod time;
mod watch;
mod writing;

pub use embedders::Embedders;
pub use engine::{Engine, EngineOptions};
pub use error::EngineError;
pub use project::Project;
pub use projects::{Freshen, Projects};
pub use search::syntax;
/// Answers about structure as drawings, small enough to be read.
pub use vectorcode_graph::{collapse, diagram};
/// A file of the index: its language, its class, and whether it is a test.
pub use vectorcode_store::SourceFile;
pub use watch::Keeper;
pub use writing::WhenLocked;
