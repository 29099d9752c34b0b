//! Builds a new index while the old one stays in use, then replaces the old one in a single step.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::connection::connect_writer;
use super::error::store_error;
use super::reader::SqliteReader;
use super::writer::SqliteWriter;
use super::{checkouts, database_file};
use crate::contract::{IndexReader, IndexSpaces, IndexWriter, Rebuild, Result};
use crate::{StoreError, StoreErrorCode};

/// The swap is retried while a reader delays it, for up to ten seconds: as long as any other statement waits (`BUSY_TIMEOUT`).
const RETRY: Duration = Duration::from_millis(20);
const MAX_RETRIES: usize = 500;

/// A new index that is being built next to the one at `target`.
#[derive(Debug)]
pub(super) struct SqliteRebuild {
    target: PathBuf,
    path: PathBuf,
    /// The linked worktree that is indexed; `None` for the main one.
    linked: Option<String>,
    /// `None` once the rebuild is committed or dropped.
    writer: Option<SqliteWriter>,
}

impl SqliteRebuild {
    pub(super) fn begin(target: &Path, linked: Option<&str>, spaces: &IndexSpaces) -> Result<Self> {
        let path = database_file::rebuild_of(target);
        database_file::remove(&path)?;
        let writer = SqliteWriter::create(&path, linked, spaces)?;
        Ok(Self { target: target.into(), path, linked: linked.map(str::to_owned), writer: Some(writer) })
    }

    /// Copies the new index over the old one, in one transaction of the old one. A rename would be faster, but processes that
    /// have the old file open would continue to read it, and could mix up its log with that of the new one.
    fn copy_over(&self, writer: &mut SqliteWriter) -> Result<()> {
        let mut target = connect_writer(&self.target)?;
        let source = writer.connection();
        copy(source, &mut target).map_err(|error| store_error(&self.target, error))?;
        // The log is now as long as the index. Readers may prevent this checkpoint; then the next one truncates the log.
        target.pragma_update(None, "wal_checkpoint", "TRUNCATE").ok();
        Ok(())
    }

    fn rename_over(&self) -> Result<()> {
        std::fs::rename(&self.path, &self.target)
            .map_err(|error| StoreError::io("replace", &self.target, error))
    }
}

impl Rebuild for SqliteRebuild {
    fn writer(&mut self) -> &mut dyn IndexWriter {
        self.writer.as_mut().expect("the writer is there until the rebuild is committed or dropped")
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        let mut writer = self.writer.take().expect("a rebuild is committed once");
        writer.compact()?;
        let copied = SqliteReader::open(&self.target).and_then(|old| {
            writer.continue_log(old.version()?)?;
            old.read(|old| checkouts::carry_over(old, writer.connection(), self.linked.as_deref()))?;
            drop(old);
            self.copy_over(&mut writer)
        });
        match copied {
            Ok(()) => Ok(()),
            Err(error) if error.is_not_initialized() => {
                drop(writer);
                self.rename_over()
            }
            Err(error) if error.is_damaged() || error.code() == StoreErrorCode::NewerSchema => {
                drop(writer);
                database_file::set_aside(&self.target)?;
                self.rename_over()
            }
            Err(error) => Err(error),
        }
    }
}

/// Copies one database over another.
pub(super) fn copy(source: &Connection, target: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(source, target)?;
    for _ in 0..MAX_RETRIES {
        if backup.step(-1)? == StepResult::Done {
            return Ok(());
        }
        std::thread::sleep(RETRY);
    }
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None))
}

impl Drop for SqliteRebuild {
    fn drop(&mut self) {
        self.writer = None;
        if let Err(error) = database_file::remove(&self.path) {
            tracing::warn!(%error, "cannot delete an unfinished index");
        }
    }
}
