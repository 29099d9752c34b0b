//! Vectors that others have made, and those of this index for others.
//!
//! Only vectors are exchanged, each under the hash of its space and of the exact text that it was made of. Texts, symbols
//! and paths come from the files on this disk, always: whoever makes a bundle can at worst change the order of results. How
//! bundles are stored and found is left to `vectorcode-share`, which the engine knows as [`SharedVectors`].

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

use vectorcode_core::{CancelToken, ProgressSink, SilentProgress, TextKey, VectorSpace};
use vectorcode_store::{ChunkRow, FileState, IndexReader, LockRole};

use crate::index::content_version;
use crate::{Engine, EngineError, WhenLocked};

/// So many vectors are written in one transaction.
const BATCH: usize = 2_000;

/// Where vectors come from that somebody else has made.
pub trait SharedVectors: Send + Sync + Debug {
    /// Adds vectors to an index that has none, if the settings name a place, and says so in a sentence.
    fn pull(
        &self,
        engine: &Engine,
        progress: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>>;
}

/// What two indexes must have in common to exchange vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorKind {
    pub space: VectorSpace,
    /// Of chunker, extractor, tokenizer and embedded text, in hexadecimal digits.
    pub content_version: String,
}

/// Names a file by its path and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey(pub [u8; FileKey::BYTES]);

impl FileKey {
    pub const BYTES: usize = 16;

    fn new(path: &str, state: &FileState) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("vectorcode 2026-11 shared file");
        let hash = hasher.update(path.as_bytes()).update(b"\0").update(&state.hash).finalize();
        Self(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

/// A file whose vectors are complete, so that they can be given to others.
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
    rows: HashMap<TextKey, Vec<ChunkRow>>,
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

impl Engine {
    /// Which vectors this index can exchange: those of the provider that the settings name.
    pub fn vector_kind(&self) -> Result<VectorKind, EngineError> {
        let space = self.embedder()?.space().clone();
        Ok(VectorKind { space, content_version: format!("{:016x}", content_version().0) })
    }

    /// The files that have all their vectors, in the order of their paths.
    pub fn shareable_files(&self) -> Result<Vec<ShareableFile>, EngineError> {
        let reader = self.reader()?;
        self.check_space(&*reader)?;
        let mut files = Vec::new();
        for (path, state) in reader.files()? {
            if state.content_version != content_version() {
                continue;
            }
            let rows: Vec<ChunkRow> = reader.chunks_of(&path)?.iter().map(|stored| stored.row).collect();
            let vectors = reader.provider_vectors(&rows)?;
            if !vectors.is_empty() && vectors.iter().all(Option::is_some) {
                files.push(ShareableFile { key: FileKey::new(&path, &state), vectors: rows.len(), path });
            }
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// The vectors of one file, each under the key of its text.
    pub fn vectors_of(&self, path: &str) -> Result<Vec<(TextKey, Vec<f32>)>, EngineError> {
        let reader = self.reader()?;
        let space = self.check_space(&*reader)?;
        let chunks = reader.chunks_of(path)?;
        let rows: Vec<ChunkRow> = chunks.iter().map(|stored| stored.row).collect();
        let keys = chunks.iter().map(|stored| space.text_key(&stored.chunk.embedding_text()));
        let vectors = keys.zip(reader.provider_vectors(&rows)?);
        Ok(vectors.filter_map(|(key, vector)| Some((key, vector?))).collect())
    }

    /// The chunks that have no vector of the provider yet.
    pub fn vector_gaps(&self) -> Result<VectorGaps, EngineError> {
        let reader = self.reader()?;
        let kind = self.vector_kind()?;
        let mut gaps = VectorGaps { kind, files: HashSet::new(), rows: HashMap::new() };
        for (path, state) in reader.files()? {
            let chunks = reader.chunks_of(&path)?;
            let rows: Vec<ChunkRow> = chunks.iter().map(|stored| stored.row).collect();
            let vectors = reader.provider_vectors(&rows)?;
            for (stored, _) in chunks.iter().zip(&vectors).filter(|(_, vector)| vector.is_none()) {
                let key = gaps.kind.space.text_key(&stored.chunk.embedding_text());
                gaps.rows.entry(key).or_default().push(stored.row);
                gaps.files.insert(FileKey::new(&path, &state));
            }
        }
        Ok(gaps)
    }

    /// Writes the vectors that fill gaps, and returns how many chunks got one. What a file's edit has removed meanwhile is
    /// left out by the store.
    pub fn fill_gaps(
        &self,
        gaps: &mut VectorGaps,
        vectors: Vec<(TextKey, Vec<f32>)>,
        cancel: &CancelToken,
    ) -> Result<u64, EngineError> {
        let mut rows: Vec<(ChunkRow, Vec<f32>)> = Vec::new();
        for (key, vector) in vectors {
            let waiting = gaps.rows.remove(&key).unwrap_or_default();
            rows.extend(waiting.into_iter().map(|row| (row, vector.clone())));
        }
        for batch in rows.chunks(BATCH) {
            if cancel.is_cancelled() {
                return Err(EngineError::Cancelled);
            }
            let _lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
            let mut writer = self.store().writer()?;
            self.settle_provider(&mut *writer)?;
            writer.write_vectors(batch)?;
        }
        Ok(rows.len() as u64)
    }

    /// Before the first vectors are made: takes those that others have made, where the settings name a place. A failure costs
    /// a note. The caller holds [`LockRole::Embed`].
    pub(crate) fn pull_first_vectors(
        &self,
        progress: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Option<String> {
        if self.may_pull() && self.begin_first_pull() { self.pull_shared(progress, cancel) } else { None }
    }

    fn pull_shared(&self, progress: &dyn ProgressSink, cancel: &CancelToken) -> Option<String> {
        let source = self.options().shared_vectors.clone()?;
        match source.pull(self, progress, cancel) {
            Ok(note) => note,
            Err(error) => Some(format!(
                "No shared vectors were used: {}. They are made here instead.",
                vectorcode_core::with_causes(&*error).trim_end_matches('.')
            )),
        }
    }

    /// The same on a thread of its own, for a server: files are indexed meanwhile. Returns whether it was begun.
    pub(crate) fn pull_in_background(self: &std::sync::Arc<Self>, stop: &CancelToken) -> bool {
        if !self.may_pull() || !self.begin_first_pull() {
            return false;
        }
        let (engine, stop) = (self.clone(), stop.clone());
        let pull = move || {
            let Ok(_embed_lock) = engine.lock(LockRole::Embed, WhenLocked::Wait, &stop) else { return };
            if let Some(note) = engine.pull_shared(&SilentProgress, &stop) {
                tracing::info!("{note}");
            }
        };
        std::thread::Builder::new().name("pull".into()).spawn(pull).is_ok()
    }

    /// Later runs of this process pull nothing by themselves: the caller has pulled, or wants no vectors of others.
    pub fn skip_first_pull(&self) {
        self.begin_first_pull();
    }

    fn may_pull(&self) -> bool {
        let has_vectors = || self.reader().and_then(|reader| Ok(reader.stats()?.embedded > 0));
        self.options().shared_vectors.is_some()
            && !self.config().share.url.is_empty()
            && matches!(has_vectors(), Ok(false))
    }

    /// The space of the index, if it is that of the settings.
    fn check_space(&self, reader: &dyn IndexReader) -> Result<VectorSpace, EngineError> {
        let (found, expected) = (reader.spaces()?.provider, self.vector_kind()?.space);
        if found == expected {
            return Ok(found);
        }
        Err(vectorcode_store::StoreError::provider_mismatch(&found, &expected).into())
    }
}
