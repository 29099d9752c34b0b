//! Stage one: reads, chunks and extracts on all cores, writes from one thread. Afterwards the project is searchable.
//!
//! While one batch is written the next one is gathered, so neither the readers nor the writer have to wait.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use vectorcode_core::{CancelToken, Chunk, SkipReason, VectorSpace};
use vectorcode_embed::StaticModel;
use vectorcode_source::{FoundFile, Parsers, Scope, Unparsed};
use vectorcode_store::{
    EmbeddingCache, FileRow, FileState, FileUpdate, IndexWriter, Preparation, PreparedFile, WriteOutcome,
};

use super::meter::Meter;
use super::plan::{Detail, Plan};
use crate::error::EngineError;

/// A batch is written in one transaction when it holds this much text, so that memory use stays flat and a crash
/// loses little.
const BATCH_BYTES: usize = 2 << 20;
/// A tree of tiny files yields little text, so batches are also limited by their number of files.
const BATCH_FILES: usize = 512;
/// Parsed files that may wait to be gathered.
const QUEUE_FILES: usize = 64;
/// Written batches that may wait to be freed.
const QUEUE_BATCHES: usize = 2;

/// What stage one did.
#[derive(Debug, Default)]
pub(crate) struct StageOneReport {
    pub(crate) written: WriteOutcome,
    pub(crate) files_changed: u64,
    /// Of these, files that were not in the index before.
    pub(crate) files_added: u64,
    pub(crate) files_removed: u64,
    /// Files that the parser could not handle, and that are chunked by lines instead.
    pub(crate) unparsed: Vec<(String, Unparsed)>,
    /// Keys and tokens that were masked in the files.
    pub(crate) secrets_masked: u64,
    /// Files that turned out to be unsuitable when they were read.
    pub(crate) skipped: BTreeMap<SkipReason, u64>,
}

/// The result of reading one candidate.
enum ReadResult {
    Changed {
        is_new: bool,
        update: Box<FileUpdate>,
        prepared: PreparedFile,
        secrets_masked: u64,
        unparsed: Option<Unparsed>,
    },
    /// The modification time differs, the content does not.
    Touched(String, FileState),
    /// The index already has this content.
    Known {
        is_new: bool,
        row: FileRow,
        state: FileState,
    },
    Unfit(String, SkipReason),
}

/// The result of reading a file, or the error that ends the run.
type Outcome = Result<ReadResult, EngineError>;

/// Provider vectors that are in the user's embedding cache. Switching to another branch and back finds all of them
/// here. If this were left to stage two, searches would lack them until somebody runs it.
#[derive(Clone, Copy)]
pub(crate) struct KnownVectors<'a> {
    pub(crate) cache: &'a EmbeddingCache,
    pub(crate) space: &'a VectorSpace,
}

/// Where the contents are written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    WorkingTree,
    /// Stored for a commit, alongside the working tree.
    Commit,
}

pub(crate) struct StageOne<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) plan: &'a Plan,
    pub(crate) known_vectors: Option<KnownVectors<'a>>,
    pub(crate) destination: Destination,
    pub(crate) threads: usize,
    pub(crate) cancel: &'a CancelToken,
}

impl StageOne<'_> {
    pub(crate) fn run(
        &self,
        writer: &mut dyn IndexWriter,
        meter: &mut Meter<'_>,
    ) -> Result<StageOneReport, EngineError> {
        let mut report = StageOneReport {
            files_changed: self.plan.reused.changed,
            files_added: self.plan.reused.added,
            files_removed: self.plan.removed.len() as u64,
            ..StageOneReport::default()
        };
        let prepare = writer.preparation();
        let next = AtomicUsize::new(0);
        let (sender, readings) = bounded(QUEUE_FILES);
        // A rendezvous channel without a buffer: one batch is written while one is gathered, which limits memory use.
        let (full, batches) = bounded(0);
        let (written, done_with) = bounded(QUEUE_BATCHES);
        report.written = thread::scope(|scope| {
            // If a thread cannot be started, the channels are dropped, which ends the other threads.
            for _ in 0..self.threads.clamp(1, self.plan.candidates.len().max(1)) {
                let sender = sender.clone();
                let next = &next;
                spawn(scope, move || self.read_candidates(next, prepare, &sender))?;
            }
            drop(sender);
            // Freeing a batch takes a twelfth of the time it takes to write it, so another thread does it.
            spawn(scope, move || done_with.into_iter().for_each(drop::<Vec<FileUpdate>>))?;
            let batch_writer = &mut *writer;
            let destination = self.destination;
            let writing = spawn(scope, move || write_batches(batches, &written, batch_writer, destination))?;
            let gathered = gather(readings, &full, meter, &mut report);
            drop(full);
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            gathered.map(|()| written)
        })?;
        report.unparsed.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        // Last, so that code which moved to another file is always in the index, at its old or its new place.
        if !self.plan.removed.is_empty() {
            writer.remove_files(&self.plan.removed)?;
        }
        Ok(report)
    }

    /// One reader thread: takes candidates until none is left or the receiver is gone.
    fn read_candidates(&self, next: &AtomicUsize, prepare: Preparation, sender: &Sender<Outcome>) {
        while !self.cancel.is_cancelled() {
            let Some(file) = self.plan.candidates.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            if sender.send(skip_on_panic(file, || self.read(file, prepare))).is_err() {
                break;
            }
        }
    }

    fn read(&self, file: &FoundFile, prepare: Preparation) -> Outcome {
        let content = match self.scope.read(file) {
            Ok(content) => content,
            Err(reason) => {
                self.scope.check_exhaustion()?;
                return Ok(ReadResult::Unfit(file.path.clone(), reason));
            }
        };
        // Files that need no parser are always read in full detail.
        let detail = if file.language.has_grammar() { self.plan.detail } else { Detail::Structure };
        let content_version = detail.content_version();
        let mut state = FileState {
            mtime_ns: file.mtime_ns,
            size: file.size,
            hash: content.hash,
            blob: content.blob,
            content_version,
        };
        let is_same = |before: &FileState| before.hash == state.hash && detail.is_in(before);
        let known = self.plan.known.get(&file.path);
        let is_new = known.is_none();
        if known.is_some_and(is_same) {
            return Ok(ReadResult::Touched(file.path.clone(), state));
        }
        if let Some(row) = self.plan.row_of(&file.path, state.hash, detail) {
            return Ok(ReadResult::Known { is_new, row, state });
        }
        let source = &content.source;
        let (parsed, unparsed) = match detail {
            Detail::Words => (vectorcode_source::chunk_by_lines(&file.path, file.language, source), None),
            Detail::Structure => {
                Parsers::of(self.scope.root()).try_parse(&file.path, file.language, source)?
            }
        };
        if unparsed == Some(Unparsed::Killed) {
            // Recorded as if only its words were read, so that the next run parses it again.
            state.content_version = Detail::Words.content_version();
        }
        let texts: Vec<String> = parsed.chunks.iter().map(Chunk::embedding_text).collect();
        let static_vectors = texts.iter().map(|text| static_vector(text)).collect();
        let known_vectors = self.known_vectors(detail, &texts);
        let update = Box::new(FileUpdate { state, parsed, static_vectors, known_vectors });
        let prepared = prepare(&update);
        let secrets_masked = content.source.masked_secrets as u64;
        Ok(ReadResult::Changed { is_new, update, prepared, secrets_masked, unparsed })
    }

    /// Temporary chunks cut by lines are not looked up: nobody has embedded them.
    fn known_vectors(&self, detail: Detail, texts: &[String]) -> Vec<Option<Vec<f32>>> {
        let Some(KnownVectors { cache, space }) = self.known_vectors.filter(|_| detail == Detail::Structure)
        else {
            return Vec::new();
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        cache.get_many(space, &texts)
    }
}

fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, EngineError> {
    thread::Builder::new().spawn_scoped(scope, work).map_err(EngineError::no_thread)
}

/// Skips a file that makes the program panic. Otherwise it would end this run and every later one.
fn skip_on_panic(file: &FoundFile, read: impl FnOnce() -> Outcome) -> Outcome {
    // Safe: nothing half-changed is left behind that a later read uses.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        tracing::warn!(path = file.path, "a bug in vectorcode: the file is left out");
        Ok(ReadResult::Unfit(file.path.clone(), SkipReason::Crashed))
    })
}

fn static_vector(text: &str) -> Option<Vec<f32>> {
    let mut vector = [0.0; StaticModel::DIMENSIONS];
    StaticModel::bundled().embed_into(text, &mut vector).then(|| vector.to_vec())
}

/// Gathers results into batches until there are no more, or one is an error. A failed writer takes no more batches;
/// returning then drops the receiver, which stops the readers.
fn gather(
    readings: Receiver<Outcome>,
    full: &Sender<Batch>,
    meter: &mut Meter<'_>,
    report: &mut StageOneReport,
) -> Result<(), EngineError> {
    let mut batch = Batch::default();
    let mut failure = Ok(());
    for reading in readings {
        match reading {
            Ok(reading) => meter.advance(1, batch.add(reading, report)),
            Err(error) => {
                failure = Err(error);
                break;
            }
        }
        if batch.is_full() && full.send(std::mem::take(&mut batch)).is_err() {
            return Ok(());
        }
    }
    // If the writer failed, its own thread returns the error.
    let _ = full.send(batch);
    failure
}

/// The single writer: each batch is one transaction. Passes the written files on to be freed.
fn write_batches(
    batches: Receiver<Batch>,
    written: &Sender<Vec<FileUpdate>>,
    writer: &mut dyn IndexWriter,
    destination: Destination,
) -> Result<WriteOutcome, EngineError> {
    let mut outcome = WriteOutcome::default();
    for batch in batches {
        let written = match destination {
            Destination::WorkingTree => batch.write(writer, written)?,
            Destination::Commit => batch.write_beside(writer, written)?,
        };
        outcome.chunks_new += written.chunks_new;
        outcome.chunks_unchanged += written.chunks_unchanged;
        outcome.vectors_known += written.vectors_known;
    }
    Ok(outcome)
}

#[derive(Default)]
struct Batch {
    updates: Vec<FileUpdate>,
    /// One per update.
    prepared: Vec<PreparedFile>,
    touched: Vec<(String, FileState)>,
    /// Rows of contents that the index already has, with modification times.
    known: Vec<(FileRow, i64)>,
    unfit: Vec<String>,
    bytes: usize,
}

impl Batch {
    /// Returns the number of source bytes that the file had.
    fn add(&mut self, reading: ReadResult, report: &mut StageOneReport) -> u64 {
        match reading {
            ReadResult::Changed { is_new, update, prepared, secrets_masked, unparsed } => {
                let size = update.state.size;
                report.files_changed += 1;
                report.files_added += u64::from(is_new);
                report.secrets_masked += secrets_masked;
                report.unparsed.extend(unparsed.map(|reason| (update.parsed.path.clone(), reason)));
                self.bytes += size as usize;
                self.updates.push(*update);
                self.prepared.push(prepared);
                size
            }
            ReadResult::Touched(path, state) => {
                let size = state.size;
                self.touched.push((path, state));
                size
            }
            ReadResult::Known { is_new, row, state } => {
                report.files_changed += 1;
                report.files_added += u64::from(is_new);
                self.known.push((row, state.mtime_ns));
                state.size
            }
            ReadResult::Unfit(path, reason) => {
                *report.skipped.entry(reason).or_default() += 1;
                self.unfit.push(path);
                0
            }
        }
    }

    fn is_full(&self) -> bool {
        let others = self.touched.len() + self.known.len() + self.unfit.len();
        self.bytes >= BATCH_BYTES || self.updates.len() + others >= BATCH_FILES
    }

    /// Writes contents for a commit. Unsuitable files are in no tree, so there is nothing to remove.
    fn write_beside(
        self,
        writer: &mut dyn IndexWriter,
        written: &Sender<Vec<FileUpdate>>,
    ) -> Result<WriteOutcome, EngineError> {
        if !self.updates.is_empty() {
            writer.write_contents(&self.updates, self.prepared)?;
            let _ = written.send(self.updates);
        }
        Ok(WriteOutcome::default())
    }

    fn write(
        self,
        writer: &mut dyn IndexWriter,
        written: &Sender<Vec<FileUpdate>>,
    ) -> Result<WriteOutcome, EngineError> {
        let mut outcome = WriteOutcome::default();
        if !self.updates.is_empty() {
            outcome = writer.write_prepared(&self.updates, self.prepared)?;
            // If the receiver is gone, they are freed here.
            let _ = written.send(self.updates);
        }
        if !self.touched.is_empty() {
            writer.touch_files(&self.touched)?;
        }
        if !self.known.is_empty() {
            writer.link_files(&self.known)?;
        }
        if !self.unfit.is_empty() {
            writer.remove_files(&self.unfit)?;
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_source::by_path;

    use super::*;

    #[test]
    fn a_file_over_which_the_program_panics_is_left_out() {
        let language = by_path("bad.rs").expect("a known extension");
        let file = FoundFile { path: "bad.rs".into(), mtime_ns: 0, changed_ns: 0, size: 0, language };
        let reading = skip_on_panic(&file, || panic!("told to"));
        assert!(matches!(reading, Ok(ReadResult::Unfit(path, SkipReason::Crashed)) if path == "bad.rs"));
    }
}
