//! The types that all other crates of vectorcode share.
//!
//! Plain data and the rules that belong to it: [`Chunk`] and [`ParsedFile`], the requests and responses of the command line,
//! MCP and REST ([`api`]), the settings ([`config`]), and closed lists of words ([`Choice`]). There is no input or output
//! here, except that [`config`] reads its own files, with [`read_config_file`]. [`private_files`] opens files that a hostile
//! project may have prepared, and [`programs`] finds the programs to start.

pub mod api;
mod bare_repository;
mod blob;
pub mod bm25;
mod bounded_file;
mod cancel;
mod choice;
mod chunk;
mod commit;
pub mod config;
mod error;
mod hex;
mod join;
mod language;
mod line_ranges;
mod location;
mod lock;
mod loopback;
mod markup;
pub mod numbers;
mod parsed;
mod path_filter;
mod paths;
pub mod prefetch;
mod printable;
pub mod private_files;
pub mod programs;
mod progress;
pub mod quantize;
mod resource_exhaustion;
mod shared_file_system;
mod space;
pub mod stem;
mod versioned_cache;
mod word_hashes;
pub mod words;

pub use bare_repository::is_bare_repository;
pub use blob::BlobId;
pub use bounded_file::{
    Links, MAX_CONFIG_FILE_BYTES, open_regular_file, read_bounded, read_bounded_regular_file,
    read_config_file,
};
pub use cancel::CancelToken;
pub use choice::{Choice, UnknownChoice};
pub use chunk::{Chunk, ContentClass, EMBEDDED_TEXT_VERSION, LONG_LINE_KIND, Span, content_hash};
pub use commit::{Commit, CommitChanges, CommitId};
pub use error::{Diagnose, ErrorKind, with_causes};
pub use hex::from_hex;
pub use join::join;
pub use language::{LanguageTraits, ModuleSystem, TypeAnnotation};
pub use line_ranges::line_ranges;
pub use location::{Location, LocationError};
pub use lock::lock;
pub use loopback::is_loopback_host;
pub use markup::{Markup, Token, TokenClass, Utf16Markup};
pub use parsed::{
    Definition, DefinitionKind, FileFlags, Import, ParsedFile, Reference, ReferenceKind, SkipReason,
    bare_name,
};
pub use path_filter::{EXCLUDE, PathFilter, PathPattern, is_glob, split_patterns};
pub use paths::{canonical, file_name, is_within, parent_folder, with_slashes};
pub use printable::{is_unprintable, visible_line, visible_text};
pub use progress::{ChunkCounts, Phase, Progress, ProgressSink, SilentProgress};
pub use resource_exhaustion::is_resource_exhausted;
pub use shared_file_system::shared_file_system;
pub use space::{TextKey, VectorSpace};
pub use versioned_cache::VersionedCache;
pub use word_hashes::{StemHash, WordHashes};

/// The version of the program and of every crate of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
