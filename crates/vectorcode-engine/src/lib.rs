//! What vectorcode does, without any user interface.
//!
//! [`Engine`] is the one facade: it indexes a project, searches it and keeps the index up to date. [`Projects`] asks
//! several engines at once. Both are synchronous; servers call them from blocking threads. Reading and parsing files is
//! left to `vectorcode-source`, making vectors to `vectorcode-embed`, and storage to `vectorcode-store`.

mod activity;
mod compare;
mod context;
mod engine;
mod error;
mod graph;
mod history;
mod index;
mod overview;
mod project;
mod projects;
mod search;
mod settings;
mod time;
mod watch;

pub use engine::{Engine, IndexCounts, Removal, Use, UseTimer, WhenLocked, is_marked_project};
pub use error::EngineError;
pub use project::Project;
pub use projects::{Freshen, Projects, Reach};
pub use search::syntax;
pub use settings::{Embedders, EngineOptions, Workload};
pub use settings::{FileKey, PullTarget, ShareableFile, SharedVectors, VectorGaps, VectorKind};
/// The files of the bundled models, as they lie in the program.
pub use vectorcode_embed::bundled_files;
/// Answers about structure as drawings, small enough to be read.
pub use vectorcode_graph::{collapse, diagram};
/// Parsing in processes of the program's own, and how it drops what parsing left in memory and did not use for a while.
pub use vectorcode_source::{PARSER_PROCESS, parse_in_processes, release_parse_memory, run_parser_process};
/// A file of the index: its language, its class, and whether it is a test.
pub use vectorcode_store::SourceFile;
pub use watch::Keeper;
