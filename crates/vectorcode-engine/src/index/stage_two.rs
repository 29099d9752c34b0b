//! Stage two: makes the vectors of the configured provider, committed batch by batch, so that stopping loses at most
//! one batch.

use std::time::{Duration, Instant};

use vectorcode_core::CancelToken;
use vectorcode_core::api::ChunkFailure;
use vectorcode_embed::{Embedder, Embedding};
use vectorcode_store::{ChunkRow, EmbeddingCache, IndexWriter, PendingChunk};

use super::WriteLock;
use super::embed_batches::embed_batches;
use super::meter::Meter;
use crate::error::EngineError;

/// How often the remaining work is recounted; edits add to it.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What stage two did.
#[derive(Debug, Default)]
pub(crate) struct StageTwoReport {
    pub(crate) embedded: u64,
    pub(crate) reused: u64,
    pub(crate) failed: Vec<ChunkFailure>,
}

pub(crate) struct StageTwo<'a> {
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) cache: Option<&'a EmbeddingCache>,
    pub(crate) write_lock: WriteLock<'a>,
    pub(crate) cancel: &'a CancelToken,
}

impl StageTwo<'_> {
    /// Embeds until nothing is pending or the token is cancelled. An error of the provider ends the run; what has
    /// been written stays.
    pub(crate) fn run(
        &self,
        writer: &mut dyn IndexWriter,
        meter: &mut Meter<'_>,
    ) -> Result<StageTwoReport, EngineError> {
        let mut report = StageTwoReport::default();
        let mut looked = Instant::now();
        let mut last_first = None;
        while !self.cancel.is_cancelled() {
            let limits = self.embedder.limits();
            let pending = writer.reader().pending(limits.batch_size * limits.concurrency.max(1))?;
            let Some(first) = pending.first().map(|chunk| chunk.row) else {
                meter.left(0);
                break;
            };
            if last_first.replace(first) == Some(first) {
                // The same chunk is pending again although its vector was written. That happens only in a damaged
                // index, where this loop would never end.
                writer.reader().verify()?;
                break;
            }
            let window = self
                .reuse_cached(pending, writer, meter, &mut report)
                .and_then(|pending| self.embed_window(&pending, writer, meter, &mut report));
            match window {
                // Cancelled while waiting for the write lock.
                Err(error) if error.is_locked() && self.cancel.is_cancelled() => break,
                window => window?,
            }
            if looked.elapsed() >= LOOK_EVERY {
                meter.left(writer.reader().pending_count()?);
                looked = Instant::now();
            }
        }
        Ok(report)
    }

    /// Writes the vectors that the cache has, and returns the chunks that it does not have.
    fn reuse_cached(
        &self,
        pending: Vec<PendingChunk>,
        writer: &mut dyn IndexWriter,
        meter: &mut Meter<'_>,
        report: &mut StageTwoReport,
    ) -> Result<Vec<PendingChunk>, EngineError> {
        let Some(cache) = self.cache else { return Ok(pending) };
        let texts: Vec<&str> = pending.iter().map(|chunk| chunk.text.as_str()).collect();
        let found = cache.get_many(self.embedder.space(), &texts);
        let (mut hits, mut misses) = (Vec::new(), Vec::new());
        for (chunk, vector) in pending.into_iter().zip(found) {
            match vector {
                Some(vector) => hits.push((chunk.row, vector)),
                None => misses.push(chunk),
            }
        }
        if !hits.is_empty() {
            let _lock = (self.write_lock)()?;
            writer.write_vectors(&hits)?;
        }
        report.reused += hits.len() as u64;
        meter.advance(hits.len() as u64, 0);
        Ok(misses)
    }

    /// Embeds one window of batches, and writes each batch as it arrives.
    fn embed_window(
        &self,
        pending: &[PendingChunk],
        writer: &mut dyn IndexWriter,
        meter: &mut Meter<'_>,
        report: &mut StageTwoReport,
    ) -> Result<(), EngineError> {
        embed_batches(
            self.embedder,
            pending,
            |chunk| &chunk.text,
            |batch, answer| {
                meter.advance(batch.len() as u64, 0);
                self.write_batch(batch, answer?, writer, report)
            },
        )
    }

    fn write_batch(
        &self,
        batch: &[PendingChunk],
        embeddings: Vec<Embedding>,
        writer: &mut dyn IndexWriter,
        report: &mut StageTwoReport,
    ) -> Result<(), EngineError> {
        let _lock = (self.write_lock)()?;
        let mut vectors: Vec<(ChunkRow, Vec<f32>)> = Vec::with_capacity(batch.len());
        let mut texts: Vec<&str> = Vec::with_capacity(batch.len());
        for (chunk, embedding) in batch.iter().zip(embeddings) {
            match embedding {
                Ok(vector) => {
                    vectors.push((chunk.row, vector));
                    texts.push(&chunk.text);
                }
                Err(refused) => {
                    writer.refuse(chunk.row, &refused.reason)?;
                    report.failed.push(ChunkFailure {
                        path: chunk.path.clone(),
                        start_line: chunk.start_line,
                        reason: refused.reason,
                    });
                }
            }
        }
        writer.write_vectors(&vectors)?;
        report.embedded += vectors.len() as u64;
        if let Some(cache) = self.cache {
            cache.put_many(
                self.embedder.space(),
                texts.into_iter().zip(vectors.iter().map(|(_, v)| v.as_slice())),
            );
        }
        Ok(())
    }
}
