//! [`SqliteStore`]: the index of one project as files of one directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::reader::SqliteReader;
use super::rebuild::SqliteRebuild;
use super::writer::SqliteWriter;
use super::{copy, database_file};
use crate::FileLock;
use crate::contract::{
    IndexReader, IndexSpaces, IndexWriter, LockGuard, LockRole, Rebuild, Result, Store, TreeKey, WhenHeld,
};

const DATABASE: &str = "index.db";

/// An index in `index.db` of a directory, with its lock files beside it.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    directory: PathBuf,
    database: PathBuf,
}

impl SqliteStore {
    /// The store in a directory. Touches nothing: neither has to exist yet.
    pub fn open_in(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf(), database: directory.join(DATABASE) }
    }

    fn lock_file(&self, role: LockRole) -> PathBuf {
        self.directory.join(match role {
            LockRole::Write => "lock",
            LockRole::Embed => "embed.lock",
            LockRole::Watch => "watch.lock",
            LockRole::Remove => "remove.lock",
        })
    }
}

impl Store for SqliteStore {
    fn exists(&self) -> bool {
        self.database.exists()
    }

    fn tree_reader(&self, key: &TreeKey) -> Result<Option<Arc<dyn IndexReader>>> {
        let reader = SqliteReader::open_tree(&self.database, key)?;
        Ok(reader.map(|reader| Arc::new(reader) as Arc<dyn IndexReader>))
    }

    fn reader(&self) -> Result<Arc<dyn IndexReader>> {
        Ok(Arc::new(SqliteReader::open(&self.database)?))
    }

    fn writer(&self) -> Result<Box<dyn IndexWriter>> {
        Ok(Box::new(SqliteWriter::open(&self.database)?))
    }

    fn create(&self, spaces: &IndexSpaces) -> Result<Box<dyn IndexWriter>> {
        Ok(Box::new(SqliteWriter::create(&self.database, spaces)?))
    }

    fn copy_of(&self, directory: &Path) -> Result<bool> {
        copy::begin(&self.database, &directory.join(DATABASE))
    }

    fn rebuild(&self, spaces: &IndexSpaces) -> Result<Box<dyn Rebuild>> {
        Ok(Box::new(SqliteRebuild::begin(&self.database, spaces)?))
    }

    fn set_aside(&self) -> Result<String> {
        Ok(database_file::set_aside(&self.database)?.display().to_string())
    }

    fn remove(&self) -> Result<()> {
        database_file::remove_with_relatives(&self.database)?;
        LockRole::ALL.iter().try_for_each(|role| database_file::remove_file(&self.lock_file(*role)))
    }

    fn lock(&self, role: LockRole, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>> {
        let file = self.lock_file(role);
        let lock = match when_held {
            WhenHeld::Fail => FileLock::acquire(&file)?,
            WhenHeld::Wait(cancel) => FileLock::wait(&file, cancel)?,
        };
        // A rebuild runs under this lock, so whatever lies there now is of one that was killed.
        if role == LockRole::Embed {
            database_file::remove_unfinished_rebuild(&self.database)?;
        }
        Ok(Box::new(lock))
    }

    fn is_locked(&self, role: LockRole) -> bool {
        FileLock::is_held(&self.lock_file(role))
    }

    fn holder(&self, role: LockRole) -> Option<String> {
        FileLock::holder(&self.lock_file(role))
    }
}
