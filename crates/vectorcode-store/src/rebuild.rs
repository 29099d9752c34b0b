//! Building a new index beside the one in use, and putting it in its place at one stroke.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::contract::{IndexSpaces, IndexWriter, Result};
use crate::damage::{remove_database, set_aside};
use crate::database::{connect_writer, with_suffix};
use crate::{SqliteReader, SqliteWriter, StoreError};

/// How long the swap waits between two tries while a reader holds it up.
const RETRY: Duration = Duration::from_millis(20);
const MAX_RETRIES: usize = 500;

/// A new index in the making. Until [`Rebuild::commit`] the one in use is not touched; dropped before that, nothing
/// is left behind.
#[derive(Debug)]
pub struct Rebuild {
    target: PathBuf,
    path: PathBuf,
    writer: Option<SqliteWriter>,
}

impl Rebuild {
    /// Begins a new index that is to replace the one at `target`. The caller lets only one begin at a time, and holds the
    /// [`crate::WriterLock`] when it is committed.
    pub fn begin(target: &Path, spaces: &IndexSpaces) -> Result<Self> {
        let path = with_suffix(target, ".new");
        remove_database(&path)?;
        let writer = SqliteWriter::create(&path, spaces)?;
        Ok(Self { target: target.into(), path, writer: Some(writer) })
    }

    pub fn writer(&mut self) -> &mut SqliteWriter {
        self.writer.as_mut().expect("the writer is there until the rebuild is committed or dropped")
    }

    /// Puts the new index in the place of the old one. Readers see the old one until it is done, and the new one from
    /// then on.
    pub fn commit(mut self) -> Result<()> {
        let mut writer = self.writer.take().expect("a rebuild is committed once");
        writer.compact()?;
        match SqliteReader::open(&self.target) {
            Ok(old) => {
                writer.continue_log(old.last_change()?)?;
                drop(old);
                self.copy_over(&mut writer)
            }
            Err(error) => {
                drop(writer);
                if !matches!(error, StoreError::NotInitialized) {
                    set_aside(&self.target)?;
                }
                std::fs::rename(&self.path, &self.target)
                    .map_err(|error| StoreError::io("replace", &self.target, error))
            }
        }
    }

    /// Copies the new index over the old one in one transaction of the old one. A rename would be quicker, but would
    /// pull the file from under the processes that have it open, and let them mix its log with the new one's.
    fn copy_over(&self, writer: &mut SqliteWriter) -> Result<()> {
        let mut target = connect_writer(&self.target)?;
        let source = writer.connection();
        copy(source, &mut target).map_err(|error| StoreError::sqlite(&self.target, error))?;
        // The log is now as long as the index; readers may delay this, then the next checkpoint does it.
        target.pragma_update(None, "wal_checkpoint", "TRUNCATE").ok();
        Ok(())
    }
}

fn copy(source: &Connection, target: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(source, target)?;
    for _ in 0..MAX_RETRIES {
        if backup.step(-1)? == StepResult::Done {
            return Ok(());
        }
        std::thread::sleep(RETRY);
    }
    Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY), None))
}

impl Drop for Rebuild {
    fn drop(&mut self) {
        self.writer = None;
        if let Err(error) = remove_database(&self.path) {
            tracing::warn!(%error, "an unfinished index could not be removed");
        }
    }
}
