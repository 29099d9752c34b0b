//! Brings the index up to date: plan, stage one (files), stage two (vectors), report.

mod commit_tree;
mod embed_batches;
mod known_contents;
mod meter;
mod plan;
mod stage_one;
mod stage_two;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use vectorcode_core::api::{IndexReport, SkippedCount};
use vectorcode_core::numbers::first_and_more;
use vectorcode_core::{CancelToken, ChunkCounts, Diagnose, Phase, ProgressSink, SkipReason, visible_line};
use vectorcode_embed::{EmbedError, Embedder};
use vectorcode_source::{Scope, Unparsed};
use vectorcode_store::{EmbeddingCache, IndexReader, IndexWriter, LockGuard};

use crate::error::EngineError;
pub(crate) use commit_tree::CommitTree;
pub(crate) use embed_batches::embed_batches;
pub(crate) use meter::Meter;
pub(crate) use plan::{Detail, some_paths, whole_tree};
use plan::{KNOWN_UNTIL, Plan};
pub(crate) use stage_one::KnownVectors;
use stage_one::{Destination, StageOne};
use stage_two::{StageTwo, StageTwoReport};

/// When the last finished run ended, in the `meta` table (ISO 8601).
pub(crate) const LAST_SYNC: &str = "last_sync_at";

/// What the index held after that run. The specification lists both keys in `meta` for programs that read the file;
/// nothing here reads them.
const FILES_INDEXED: &str = "files_indexed";
const CHUNKS_STORED: &str = "chunks_stored";

/// When the index was created, in the `meta` table (ISO 8601).
pub(crate) const CREATED: &str = "created_at";

/// In the `meta` table too: whether for some files only the words may have been read.
const WORDS_ONLY: &str = "words_only";
const YES: &str = "1";
const NO: &str = "0";

/// After a run that wrote at least this many vectors, free pages are given back to the disk.
const COMPACT_FROM_VECTORS: u64 = 2_000;

/// Also after a run that deleted at least this many chunks, if they were at least one in `COMPACT_FROM_PART`.
const COMPACT_FROM_DELETED: u64 = 2_000;
const COMPACT_FROM_PART: u64 = 10;

/// A note names at most this many files, or folders that cannot be read.
const NAMED_PLACES: usize = 3;

/// Takes the write lock of the index; `None` for an index that no other process can see yet.
pub(crate) type WriteLock<'a> = &'a (dyn Fn() -> Result<Option<Box<dyn LockGuard>>, EngineError> + Sync);

/// Everything that one run needs.
pub(crate) struct IndexRun<'a> {
    pub(crate) scope: &'a Scope,
    /// Or why it could not be created; stage one works without it.
    pub(crate) embedder: Result<&'a dyn Embedder, Arc<EmbedError>>,
    pub(crate) cache: Option<&'a EmbeddingCache>,
    pub(crate) threads: usize,
    /// A first run with at least this many bytes of code reads only the words first; from the settings.
    pub(crate) words_first_from: u64,
    /// Used for writes while the caller does not hold the lock: vectors, and the end of the run.
    pub(crate) write_lock: WriteLock<'a>,
    pub(crate) sink: &'a dyn ProgressSink,
    pub(crate) cancel: &'a CancelToken,
}

impl IndexRun<'_> {
    /// Discovery and stage one. The caller holds the write lock. `paths` are files and directories relative to the
    /// root; empty means everything.
    pub(crate) fn read_files(
        &self,
        paths: &[String],
        wanted: Detail,
        writer: &mut dyn IndexWriter,
    ) -> Result<IndexReport, EngineError> {
        let started = Instant::now();
        let mut report = IndexReport::default();
        let mut plan = self.discover(paths, wanted, writer, &mut report)?;
        if wanted == Detail::Words && self.is_long_first_run(&plan, writer.reader())? {
            plan.detail = Detail::Words;
            writer.set_meta(WORDS_ONLY, YES)?;
        }
        self.stage_one(&plan, writer, &mut report)?;
        let read_all = paths.is_empty() && wanted == Detail::Structure && !self.cancel.is_cancelled();
        if read_all && has_words_only(writer.reader())? {
            writer.set_meta(WORDS_ONLY, NO)?;
        }
        report.times.total_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(report)
    }

    pub(crate) fn has_vectors_to_make(&self, reader: &dyn IndexReader) -> Result<bool, EngineError> {
        Ok(!self.cancel.is_cancelled() && has_pending_chunks(reader)?)
    }

    /// Whether reading the structure of all files first would leave nothing to search for a long time.
    fn is_long_first_run(&self, plan: &Plan, reader: &dyn IndexReader) -> Result<bool, EngineError> {
        Ok(plan.code_bytes() >= self.words_first_from && reader.meta(LAST_SYNC)?.is_none())
    }

    fn discover(
        &self,
        paths: &[String],
        wanted: Detail,
        writer: &mut dyn IndexWriter,
        report: &mut IndexReport,
    ) -> Result<Plan, EngineError> {
        let mut meter = Meter::start(self.sink, Phase::Discover, 0);
        let mut plan = if paths.is_empty() {
            whole_tree(self.scope, writer.reader(), wanted, self.cancel)?
        } else {
            some_paths(self.scope, writer.reader(), paths, wanted, self.cancel)?
        };
        if plan.use_known_contents(self.scope.root(), wanted, writer)? {
            writer.set_meta(WORDS_ONLY, YES)?;
        }
        meter.advance(plan.found, 0);
        report.times.discover_ms = meter.finish();
        Ok(plan)
    }

    fn stage_one(
        &self,
        plan: &Plan,
        writer: &mut dyn IndexWriter,
        report: &mut IndexReport,
    ) -> Result<(), EngineError> {
        let mut meter = Meter::start(self.sink, Phase::Chunk, plan.candidates.len() as u64);
        let (scope, threads, cancel) = (self.scope, self.threads, self.cancel);
        let known_vectors = self.known_vectors(writer.reader())?;
        let destination = Destination::WorkingTree;
        let stage = StageOne { scope, plan, known_vectors, destination, threads, cancel };
        let chunks_before = writer.reader().size()?.chunks;
        let stage_report = stage.run(writer, &mut meter)?;
        if let Some(skipped) = &plan.skipped {
            record_skipped(skipped, &stage_report.skipped, writer)?;
            if !self.cancel.is_cancelled() && plan.unreachable.is_empty() {
                writer.set_meta(KNOWN_UNTIL, &plan.started_ns.to_string())?;
            }
        }
        report.files_changed = stage_report.files_changed;
        report.files_added = stage_report.files_added;
        report.files_removed = stage_report.files_removed;
        report.chunks_new = stage_report.written.chunks_new;
        report.reused = stage_report.written.vectors_known;
        report.chunks = writer.reader().size()?.chunks;
        give_back_space(chunks_before, report.chunks, writer)?;
        report.chunks_unchanged = report.chunks.saturating_sub(report.chunks_new);
        meter.chunks(ChunkCounts { new: report.chunks_new, unchanged: report.chunks_unchanged });
        report.notes.extend(unparsed_note(&stage_report.unparsed));
        report.notes.extend(masked_note(stage_report.secrets_masked));
        report.notes.extend(unreachable_note(&plan.unreachable));
        report.unreachable.clone_from(&plan.unreachable);
        report.times.chunk_ms = meter.finish();
        Ok(())
    }

    /// The user's embedding cache, if its vectors are in the same space as those of the index.
    pub(crate) fn known_vectors(
        &self,
        reader: &dyn IndexReader,
    ) -> Result<Option<KnownVectors<'_>>, EngineError> {
        let (Ok(embedder), Some(cache)) = (&self.embedder, self.cache) else { return Ok(None) };
        let space = embedder.space();
        let fits = reader.spaces()?.provider == *space;
        Ok(fits.then_some(KnownVectors { cache, space }))
    }

    /// Stage two. If the provider does not work, a note says so: stage one must not fail because of it.
    pub(crate) fn make_vectors(
        &self,
        writer: &mut dyn IndexWriter,
        report: &mut IndexReport,
    ) -> Result<(), EngineError> {
        let embedder = match self.ready_embedder() {
            Ok(embedder) => embedder,
            Err(error) => {
                report.notes.push(without_provider(&error));
                return Ok(());
            }
        };
        let mut meter = Meter::start(self.sink, Phase::Embed, writer.reader().pending_count()?);
        let stage_report = self.embed(embedder, writer, &mut meter)?;
        report.embedded = stage_report.embedded;
        report.reused += stage_report.reused;
        report.failed = stage_report.failed;
        report.times.embed_ms = meter.finish();
        report.times.total_ms += report.times.embed_ms;
        Ok(())
    }

    /// Stage two alone, for `pending` chunks. Here a provider that does not work is an error.
    pub(crate) fn embed_only(&self, pending: u64, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
        let embedder = self.ready_embedder()?;
        let mut meter = Meter::start(self.sink, Phase::Embed, pending);
        self.embed(embedder, writer, &mut meter)?;
        meter.finish();
        Ok(())
    }

    fn ready_embedder(&self) -> Result<&dyn Embedder, EngineError> {
        let embedder = self.embedder.clone().map_err(EngineError::Embed)?;
        embedder.check_ready()?;
        Ok(embedder)
    }

    fn embed(
        &self,
        embedder: &dyn Embedder,
        writer: &mut dyn IndexWriter,
        meter: &mut Meter<'_>,
    ) -> Result<StageTwoReport, EngineError> {
        let stage =
            StageTwo { embedder, cache: self.cache, write_lock: self.write_lock, cancel: self.cancel };
        let report = stage.run(writer, meter)?;
        if report.embedded + report.reused >= COMPACT_FROM_VECTORS && !self.cancel.is_cancelled() {
            let _lock = (self.write_lock)()?;
            writer.compact()?;
        }
        Ok(report)
    }

    /// Records that the run has ended, and fills in what the index holds. The number of pending chunks is left to the
    /// caller, whose reader may keep that count; this writer's reader would have to count anew.
    pub(crate) fn finish(
        &self,
        writer: &mut dyn IndexWriter,
        report: &mut IndexReport,
    ) -> Result<(), EngineError> {
        report.cancelled = self.cancel.is_cancelled();
        let size = writer.reader().size()?;
        if !report.cancelled {
            let _lock = (self.write_lock)()?;
            writer.set_meta(LAST_SYNC, &crate::time::now_iso8601())?;
            writer.set_meta(FILES_INDEXED, &size.files.to_string())?;
            writer.set_meta(CHUNKS_STORED, &size.chunks.to_string())?;
        }
        report.files = size.files;
        report.chunks = size.chunks;
        report.chunks_unchanged = size.chunks.saturating_sub(report.chunks_new);
        report.skipped = skipped_counts(writer.reader())?;
        Ok(())
    }
}

/// Shrinks the database after a large part of it was deleted, such as a folder that is now ignored.
fn give_back_space(before: u64, after: u64, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
    let gone = before.saturating_sub(after);
    if gone >= COMPACT_FROM_DELETED && gone >= before / COMPACT_FROM_PART {
        writer.compact()?;
    }
    Ok(())
}

fn unparsed_note(files: &[(String, Unparsed)]) -> Option<String> {
    let name = |(path, reason): &(String, Unparsed)| format!("{} ({reason})", visible_line(path));
    let named = first_and_more(files.iter().map(name), NAMED_PLACES);
    match files.len() {
        0 => None,
        1 => Some(format!("1 file is indexed by lines, without symbols: {named}.")),
        count => Some(format!("{count} files are indexed by lines, without symbols: {named}.")),
    }
}

fn unreachable_note(places: &[String]) -> Option<String> {
    let name = |place: &String| {
        if place.is_empty() { "The project's folder".into() } else { visible_line(place).into_owned() }
    };
    let named = (!places.is_empty()).then(|| first_and_more(places.iter().map(name), NAMED_PLACES))?;
    Some(format!("{named} cannot be read. The index keeps its old entries for it, which may be out of date."))
}

fn masked_note(secrets: u64) -> Option<String> {
    let what = match secrets {
        0 => return None,
        1 => "1 key or token in the files read is".to_owned(),
        _ => format!("{secrets} keys or tokens in the files read are"),
    };
    Some(format!("{what} masked in the index."))
}

pub(crate) fn without_provider(error: &EngineError) -> String {
    let hint = error.hint().map_or_else(String::new, |hint| format!(" {hint}"));
    let error = error.to_string();
    format!("{}.{hint} Until then, searches use full text and static vectors.", error.trim_end_matches('.'))
}

/// Whether for some files only the words may have been read.
pub(crate) fn has_words_only(reader: &dyn IndexReader) -> Result<bool, EngineError> {
    Ok(reader.meta(WORDS_ONLY)?.is_some_and(|value| value == YES))
}

/// Whether chunks are waiting for a vector from the provider. Cheaper than counting them.
pub(crate) fn has_pending_chunks(reader: &dyn IndexReader) -> Result<bool, EngineError> {
    Ok(!reader.pending(1)?.is_empty())
}

pub(crate) fn skipped_counts(reader: &dyn IndexReader) -> Result<Vec<SkippedCount>, EngineError> {
    let counts = reader.skipped()?.into_iter();
    Ok(counts.map(|(reason, count)| SkippedCount { reason, count }).collect())
}

/// Records the files that the walk skipped, and those that turned out to be unsuitable when they were read.
fn record_skipped(
    walked: &[SkippedCount],
    read: &BTreeMap<SkipReason, u64>,
    writer: &mut dyn IndexWriter,
) -> Result<(), EngineError> {
    let mut counts: BTreeMap<SkipReason, u64> = walked.iter().map(|skip| (skip.reason, skip.count)).collect();
    for (reason, count) in read {
        *counts.entry(*reason).or_default() += count;
    }
    writer.set_skipped(&counts.into_iter().collect::<Vec<_>>())?;
    Ok(())
}
