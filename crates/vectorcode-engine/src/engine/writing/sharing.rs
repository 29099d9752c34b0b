//! Exporting vectors of this index, and importing vectors made elsewhere.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use vectorcode_core::config::ShareConfig;
use vectorcode_core::{CancelToken, ProgressSink, SilentProgress, TextKey, VectorSpace};
use vectorcode_store::{ChunkRow, IndexReader, LockRole, StoreError};

use crate::engine::{Engine, WhenLocked};
use crate::error::EngineError;
use crate::index::Detail;
use crate::settings::{FileKey, PullTarget, ShareableFile, VectorGaps, VectorKind};

/// This many vectors are written in one transaction.
const BATCH: usize = 2_000;

impl Engine {
    /// The kind of vectors that this index can exchange: those of the configured provider.
    pub fn vector_kind(&self) -> Result<VectorKind, EngineError> {
        let space = self.embedder()?.space().clone();
        Ok(VectorKind { space, content_version: format!("{:016x}", Detail::Structure.content_version().0) })
    }

    /// The files that have all their vectors, sorted by path.
    pub fn shareable_files(&self) -> Result<Vec<ShareableFile>, EngineError> {
        let reader = self.reader()?;
        self.check_space(&*reader)?;
        let mut files = Vec::new();
        for (path, state) in reader.files()? {
            if !Detail::Structure.is_in(&state) {
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

    /// The vectors of one file, each with the key of its text.
    pub fn vectors_of(&self, path: &str) -> Result<Vec<(TextKey, Vec<f32>)>, EngineError> {
        let reader = self.reader()?;
        let space = self.check_space(&*reader)?;
        let chunks = reader.chunks_of(path)?;
        let rows: Vec<ChunkRow> = chunks.iter().map(|stored| stored.row).collect();
        let keys = chunks.iter().map(|stored| space.text_key(&stored.chunk.embedding_text()));
        let vectors = keys.zip(reader.provider_vectors(&rows)?);
        Ok(vectors.filter_map(|(key, vector)| Some((key, vector?))).collect())
    }

    /// Called before the first vectors are made: pulls vectors made elsewhere, if the settings give a URL. If that
    /// fails, the returned note says so. The caller holds [`LockRole::Embed`].
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

    /// The same on a separate thread, for a server that indexes files meanwhile. Returns whether the pull was
    /// started.
    pub(crate) fn pull_in_background(self: &Arc<Self>, stop: &CancelToken) -> bool {
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

    /// Turns off the automatic pull in this process, because the caller has pulled already or wants no shared
    /// vectors.
    pub fn skip_first_pull(&self) {
        self.begin_first_pull();
    }

    fn may_pull(&self) -> bool {
        let has_vectors = || self.reader().and_then(|reader| Ok(reader.stats()?.embedded > 0));
        self.options().shared_vectors.is_some()
            && !self.config().share.url.is_empty()
            && matches!(has_vectors(), Ok(false))
    }

    /// The vector space of the index; an error if it is not that of the configured provider.
    fn check_space(&self, reader: &dyn IndexReader) -> Result<VectorSpace, EngineError> {
        let (found, expected) = (reader.spaces()?.provider, self.vector_kind()?.space);
        if found == expected {
            return Ok(found);
        }
        Err(StoreError::provider_mismatch(&found, &expected).into())
    }
}

impl PullTarget for Engine {
    fn root(&self) -> &Path {
        self.project().root()
    }

    fn share_settings(&self) -> ShareConfig {
        self.config().share.clone()
    }

    fn vector_gaps(&self) -> Result<VectorGaps, EngineError> {
        let kind = self.vector_kind()?;
        let mut gaps = VectorGaps { kind, files: HashSet::new(), rows: HashMap::new() };
        let mut seen = HashSet::new();
        for reader in [vec![self.reader()?], self.readers_of_commits()?].concat() {
            for (path, state) in reader.files()? {
                let file = FileKey::new(&path, &state);
                if seen.insert(file) {
                    add_gaps(&mut gaps, &*reader, &path, file)?;
                }
            }
        }
        Ok(gaps)
    }

    fn fill_gaps(
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
}

/// Adds the chunks of one file that have no vector.
fn add_gaps(
    gaps: &mut VectorGaps,
    reader: &dyn IndexReader,
    path: &str,
    file: FileKey,
) -> Result<(), EngineError> {
    let chunks = reader.chunks_of(path)?;
    let rows: Vec<ChunkRow> = chunks.iter().map(|stored| stored.row).collect();
    let vectors = reader.provider_vectors(&rows)?;
    for (stored, _) in chunks.iter().zip(&vectors).filter(|(_, vector)| vector.is_none()) {
        let key = gaps.kind.space.text_key(&stored.chunk.embedding_text());
        gaps.rows.entry(key).or_default().push(stored.row);
        gaps.files.insert(file);
    }
    Ok(())
}
