//! Indexing, searching and watching projects: vectorcode without its user interfaces.
//!
//! [`Engine`] is the facade for one project: it indexes the project, searches it and keeps the index up to date.
//! [`Projects`] searches several projects at once. Both are synchronous; servers call them from blocking threads.
//! Reading and parsing files is left to `vectorcode-source`, computing vectors to `vectorcode-embed`, and storage to
//! `vectorcode-store`.

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
/// The files of the bundled models, as embedded in the binary.
pub use vectorcode_embed::bundled_files;
/// Renders graph responses as diagrams, collapsed to a readable size.
pub use vectorcode_graph::{collapse, diagram};
/// Parsing in child processes, and releasing memory that parsing no longer uses.
pub use vectorcode_source::{PARSER_PROCESS, parse_in_processes, release_parse_memory, run_parser_process};
/// A file of the index: its language, its class, and whether it is a test.
pub use vectorcode_store::SourceFile;
pub use watch::Keeper;
