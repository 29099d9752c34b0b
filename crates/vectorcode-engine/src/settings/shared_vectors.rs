//! The interface between an engine and the code that exchanges vectors with other machines.
//!
//! Only vectors are exchanged, each keyed by the hash of its vector space and the exact text it was made from. Texts,
//! symbols and paths always come from the files on this disk: at worst, a forged bundle changes the order of results.
//! Storing and finding bundles is left to `vectorcode-team`, which the engine knows only as [`SharedVectors`].

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::path::Path;

use vectorcode_core::config::ShareConfig;
use vectorcode_core::{CancelToken, ProgressSink, TextKey, VectorSpace};
use vectorcode_store::{ChunkRow, FileState};

use crate::error::EngineError;

/// A source of vectors made on other machines.
pub trait SharedVectors: Send + Sync + Debug {
    /// Adds vectors to an index that has none, from the location given in its settings, and returns a sentence about
    /// what it did.
    fn pull(
        &self,
        index: &dyn PullTarget,
        progress: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>>;
}

/// The index that a pull adds vectors to. Its files have already been read.
pub trait PullTarget: Sync {
    /// The folder of the project.
    fn root(&self) -> &Path;

    fn share_settings(&self) -> ShareConfig;

    /// The chunks that have no vector from the provider yet.
    fn vector_gaps(&self) -> Result<VectorGaps, EngineError>;

    /// Writes vectors for the chunks that lack one, and returns how many chunks got one. The store skips chunks whose
    /// file has been edited in the meantime.
    fn fill_gaps(
        &self,
        gaps: &mut VectorGaps,
        vectors: Vec<(TextKey, Vec<f32>)>,
        cancel: &CancelToken,
    ) -> Result<u64, EngineError>;
}

/// What two indexes must have in common to exchange vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorKind {
    pub space: VectorSpace,
    /// The version of chunker, extractor, tokenizer and embedded text, in hexadecimal digits.
    pub content_version: String,
}

/// Identifies a file by its path and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey(pub [u8; FileKey::BYTES]);

impl FileKey {
    pub const BYTES: usize = 16;

    pub(crate) fn new(path: &str, state: &FileState) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("vectorcode 2026-11 shared file");
        let hash = hasher.update(path.as_bytes()).update(b"\0").update(&state.hash).finalize();
        Self(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

/// A file whose vectors are complete, so that they can be shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareableFile {
    pub path: String,
    pub key: FileKey,
    /// How many vectors it has.
    pub vectors: usize,
}

/// The chunks of an index that have no vector.
#[derive(Clone, Debug)]
pub struct VectorGaps {
    pub kind: VectorKind,
    /// The files with such chunks.
    pub files: HashSet<FileKey>,
    pub(crate) rows: HashMap<TextKey, Vec<ChunkRow>>,
}

impl VectorGaps {
    /// How many chunks lack a vector.
    pub fn chunks(&self) -> usize {
        self.rows.values().map(Vec::len).sum()
    }

    pub fn wants(&self, key: &TextKey) -> bool {
        self.rows.contains_key(key)
    }
}
