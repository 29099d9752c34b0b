//! The writing half of the engine: who may write when, and what becomes of an index that does not fit the settings.
//!
//! Two locks keep writers apart. `lock` is held while files are written, and for each write of vectors. `embed.lock` is
//! held for as long as somebody embeds or rebuilds, so that nobody does it twice. Who embeds does not hold `lock` while
//! the provider takes its time: edits get in meanwhile.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::{CancelToken, ProgressSink, SilentProgress, VectorSpace};
use vectorcode_embed::StaticModel;
use vectorcode_source::Scope;
use vectorcode_store::{
    ChunkRow, IndexReader, IndexSpaces, IndexWriter, Rebuild, SqliteWriter, StoreError, WriterLock,
};

use crate::index::{CREATED, IndexRun, Turns};
use crate::settings::Settings;
use crate::time::now_iso8601;
use crate::{Engine, EngineError};

const EMBED_LOCK: &str = "embed.lock";
/// Longer than it takes those who wait for a lock to notice that it is free.
const HANDOVER: Duration = Duration::from_millis(60);

/// What to do when another process is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenLocked {
    Wait,
    Fail,
}

/// How much [`Engine::remove`] deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// What can be made again.
    Index,
    /// The settings too.
    Everything,
}

/// One call of [`Engine::index`].
struct Order<'a> {
    request: &'a IndexRequest,
    /// Relative to the root.
    paths: Vec<String>,
    when_locked: WhenLocked,
    sink: &'a dyn ProgressSink,
    cancel: &'a CancelToken,
}

impl Engine {
    /// Makes an empty index, if there is none.
    pub fn init(&self) -> Result<(), EngineError> {
        self.project().check_root()?;
        let _lock = self.lock(WhenLocked::Wait, &CancelToken::default())?;
        self.create_if_missing()?;
        self.registration().add();
        Ok(())
    }

    /// Brings the index up to date, making it first where there is none.
    pub fn index(
        &self,
        request: &IndexRequest,
        when_locked: WhenLocked,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        self.project().check_root()?;
        let paths = request.paths.iter().map(|path| self.project().relative(path));
        let paths = paths.collect::<Result<_, _>>()?;
        let order = Order { request, paths, when_locked, sink, cancel };
        let mut report = if request.full { self.rebuild(&order) } else { self.update(&order) }?;
        report.notes.extend(self.settings_problems().chain(self.project().index_place_note()));
        self.registration().add();
        Ok(report)
    }

    /// Reads what changed, if nobody else writes: another process may be at it, or the directory is read-only. The index
    /// still answers then, span by span checked.
    pub fn freshen(&self, cancel: &CancelToken) {
        let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
        if let Err(error) = self.index(&request, WhenLocked::Fail, &SilentProgress, cancel) {
            tracing::debug!(%error, root = %self.project().root().display(), "the index was not brought up to date");
        }
    }

    /// Deletes the index; with [`Removal::Everything`] the project's settings too.
    pub fn remove(&self, removal: Removal) -> Result<(), EngineError> {
        let cancel = CancelToken::default();
        let locks = (self.embedding_turn(WhenLocked::Fail, &cancel)?, self.lock(WhenLocked::Fail, &cancel)?);
        self.forget_reader();
        drop(locks);
        // The index first: Windows refuses while another process has it open, and then the settings must stay.
        let database = self.project().database();
        if database.exists() {
            std::fs::remove_file(&database).map_err(EngineError::io("delete", database))?;
        }
        self.project().delete_index_files()?;
        if removal == Removal::Everything {
            self.project().delete_directory()?;
        }
        self.registration().remove()
    }

    fn update(&self, order: &Order<'_>) -> Result<IndexReport, EngineError> {
        let lock = self.lock(order.when_locked, order.cancel)?;
        let doing = self.activity_board().begin();
        let sink = doing.tee(order.sink);
        let (mut writer, note) = self.open_or_replace()?;
        check_statics(&writer)?;
        let with_vectors = !order.request.stage_one_only;
        if with_vectors {
            self.settle_provider(&mut writer)?;
        }
        let (scope, settings) = (self.scope()?, self.settings());
        let turns = || self.lock(WhenLocked::Wait, order.cancel).map(Some);
        let run = run(&settings, &scope, &turns, &sink, order.cancel);
        let mut report = run.read_files(&order.paths, &mut writer)?;
        drop(lock);
        if with_vectors && run.has_vectors_to_make(&writer)? {
            let _turn = self.embedding_turn(order.when_locked, order.cancel)?;
            run.make_vectors(&mut writer, &mut report)?;
        }
        run.finish(&mut writer, &mut report)?;
        report.notes.extend(note);
        Ok(report)
    }

    /// Builds a new file beside the old one, which answers, and takes up edits, until the new one is swapped in.
    fn rebuild(&self, order: &Order<'_>) -> Result<IndexReport, EngineError> {
        let _turn = self.embedding_turn(order.when_locked, order.cancel)?;
        let doing = self.activity_board().begin();
        let sink = doing.tee(order.sink);
        let mut rebuild = Rebuild::begin(&self.project().database(), &self.spaces())?;
        rebuild.writer().set_meta(CREATED, &now_iso8601())?;
        let (scope, settings) = (self.scope()?, self.settings());
        // Nobody else writes to the new file.
        let run = run(&settings, &scope, &|| Ok(None), &sink, order.cancel);
        let mut report = run.read_files(&[], rebuild.writer())?;
        if !order.request.stage_one_only && run.has_vectors_to_make(rebuild.writer())? {
            run.make_vectors(rebuild.writer(), &mut report)?;
        }
        let _lock = self.lock(WhenLocked::Wait, order.cancel)?;
        // What was edited meanwhile went into the old index.
        let scope = self.scope()?;
        let late = IndexRun { sink: &SilentProgress, scope: &scope, ..run };
        report.chunks_new += late.read_files(&[], rebuild.writer())?.chunks_new;
        late.finish(rebuild.writer(), &mut report)?;
        if !report.cancelled {
            rebuild.commit()?;
            self.forget_reader();
        }
        Ok(report)
    }

    /// Embeds pending chunks until the token says stop; not where somebody else is at it.
    pub(crate) fn embed_pending(&self, cancel: &CancelToken) -> Result<(), EngineError> {
        let turn = self.embedding_turn(WhenLocked::Fail, cancel)?;
        let doing = self.activity_board().begin();
        let sink = doing.tee(&SilentProgress);
        let lock = self.lock(WhenLocked::Wait, cancel)?;
        let mut writer = SqliteWriter::open(&self.project().database())?;
        self.settle_provider(&mut writer)?;
        drop(lock);
        let (scope, settings) = (self.scope()?, self.settings());
        let turns = || self.lock(WhenLocked::Wait, cancel).map(Some);
        run(&settings, &scope, &turns, &sink, cancel).embed_only(&mut writer)?;
        drop(turn);
        if cancel.is_cancelled() {
            std::thread::sleep(HANDOVER);
        }
        Ok(())
    }

    /// Makes the index one of the provider that the settings name now, if that one works. Vectors of another provider
    /// go; the user's cache still has them.
    pub(crate) fn adopt_provider(&self, cancel: &CancelToken) -> Result<(), EngineError> {
        let embedder = self.embedder()?;
        embedder.check_ready()?;
        let _turn = self.embedding_turn(WhenLocked::Wait, cancel)?;
        let _lock = self.lock(WhenLocked::Wait, cancel)?;
        let mut writer = SqliteWriter::open(&self.project().database())?;
        if writer.spaces()?.provider != *embedder.space() {
            tracing::info!(space = %embedder.space(), "the provider has changed; all vectors are made anew");
            writer.change_provider(embedder.space())?;
        }
        Ok(())
    }

    /// Vectors that a search made are kept if nobody else is writing; they are not worth waiting for.
    pub(crate) fn keep_vectors(&self, vectors: &[(ChunkRow, Vec<f32>)]) {
        if vectors.is_empty() {
            return;
        }
        let kept = self.lock(WhenLocked::Fail, &CancelToken::default()).and_then(|_lock| {
            SqliteWriter::open(&self.project().database())?.write_vectors(vectors)?;
            Ok(())
        });
        if let Err(error) = kept {
            tracing::debug!(%error, "vectors of this search were not kept");
        }
    }

    /// Opens the index for writing. A damaged one makes way for an empty one: it is a cache, and the run that follows
    /// fills it from the sources.
    fn open_or_replace(&self) -> Result<(SqliteWriter, Option<String>), EngineError> {
        self.create_if_missing()?;
        let path = self.project().database();
        match SqliteWriter::open(&path) {
            Ok(writer) => Ok((writer, None)),
            Err(error @ StoreError::Damaged { .. }) => {
                self.forget_reader();
                let note = format!("{error}, and a new one was built.");
                Ok((create(&path, &self.spaces())?, Some(note)))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn create_if_missing(&self) -> Result<(), EngineError> {
        if !self.project().is_indexed() {
            self.project().create_directory()?;
            create(&self.project().database(), &self.spaces())?;
        }
        Ok(())
    }

    /// The spaces of the models in force. That of a provider that cannot be made is not known yet.
    fn spaces(&self) -> IndexSpaces {
        let unknown = || VectorSpace::unknown(self.config().provider.name.as_str());
        IndexSpaces {
            statics: statics(),
            provider: self.embedder().map_or_else(|_| unknown(), |embedder| embedder.space().clone()),
        }
    }

    /// An index without vectors takes any provider; one with vectors of another must be built anew. A provider that
    /// cannot be made has no vectors to mix with others.
    fn settle_provider(&self, writer: &mut SqliteWriter) -> Result<(), EngineError> {
        let Ok(embedder) = self.embedder() else { return Ok(()) };
        let made_with = writer.spaces()?.provider;
        if made_with == *embedder.space() {
            return Ok(());
        }
        if writer.stats()?.embedded > 0 {
            return Err(StoreError::provider_mismatch(&made_with, embedder.space()).into());
        }
        Ok(writer.change_provider(embedder.space())?)
    }

    fn lock(&self, when_locked: WhenLocked, cancel: &CancelToken) -> Result<WriterLock, EngineError> {
        self.project().create_directory()?;
        let directory = self.project().index_directory();
        Ok(match when_locked {
            WhenLocked::Wait => WriterLock::wait(directory, cancel)?,
            WhenLocked::Fail => WriterLock::acquire(directory)?,
        })
    }

    fn embedding_turn(
        &self,
        when_locked: WhenLocked,
        cancel: &CancelToken,
    ) -> Result<WriterLock, EngineError> {
        self.project().create_directory()?;
        let directory = self.project().index_directory();
        Ok(match when_locked {
            WhenLocked::Wait => WriterLock::wait_named(directory, EMBED_LOCK, cancel)?,
            WhenLocked::Fail => WriterLock::acquire_named(directory, EMBED_LOCK)?,
        })
    }
}

fn run<'a>(
    settings: &'a Settings,
    scope: &'a Scope,
    turns: Turns<'a>,
    sink: &'a dyn ProgressSink,
    cancel: &'a CancelToken,
) -> IndexRun<'a> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    IndexRun {
        scope,
        embedder: settings.embedder().map(|embedder| &**embedder).map_err(Arc::clone),
        cache: settings.cache(),
        threads: settings.config.indexing.concurrency.clamp(1, cores),
        turns,
        sink,
        cancel,
    }
}

fn create(path: &Path, spaces: &IndexSpaces) -> Result<SqliteWriter, EngineError> {
    let mut writer = SqliteWriter::create(path, spaces)?;
    writer.set_meta(CREATED, &now_iso8601())?;
    Ok(writer)
}

fn statics() -> VectorSpace {
    VectorSpace::new("static", StaticModel::NAME, StaticModel::DIMENSIONS)
}

fn check_statics(index: &dyn IndexReader) -> Result<(), EngineError> {
    let made_with = index.spaces()?.statics;
    let in_force = statics();
    if made_with == in_force {
        return Ok(());
    }
    Err(StoreError::provider_mismatch(&made_with, &in_force).into())
}
