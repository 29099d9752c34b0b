//! [`SqliteStore`]: the index of one project in a directory, or a linked worktree's part of the main worktree's index.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use super::database_file;
use super::reader::SqliteReader;
use super::rebuild::SqliteRebuild;
use super::writer::SqliteWriter;
use crate::FileLock;
use crate::contract::{
    IndexReader, IndexSpaces, IndexWriter, LockGuard, LockRole, Rebuild, Result, Store, TreeKey, WhenHeld,
};

const DATABASE: &str = "index.db";

/// An index in a directory: `index.db` and its lock files.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    directory: PathBuf,
    database: PathBuf,
    linked: Option<LinkedWorktree>,
}

/// A worktree that shares the index of the main one.
#[derive(Clone, Debug)]
struct LinkedWorktree {
    /// Git's name for it.
    name: String,
    /// Its own directory, for what is not shared: the lock of the process that watches it.
    directory: PathBuf,
}

impl SqliteStore {
    /// The store in a directory. Does not touch the file system: neither the directory nor the index has to exist yet.
    pub fn open_in(directory: &Path) -> Self {
        Self { directory: directory.to_path_buf(), database: directory.join(DATABASE), linked: None }
    }

    /// The same store for a linked worktree, which git calls `name` and which has a directory of its own.
    #[must_use]
    pub fn of_worktree(self, name: &str, own_directory: &Path) -> Self {
        let linked = LinkedWorktree { name: name.to_owned(), directory: own_directory.to_path_buf() };
        Self { linked: Some(linked), ..self }
    }

    fn linked(&self) -> Option<&str> {
        self.linked.as_ref().map(|linked| linked.name.as_str())
    }

    fn lock_file(&self, role: LockRole) -> PathBuf {
        let own = || self.linked.as_ref().map_or(&self.directory, |linked| &linked.directory);
        match role {
            LockRole::Write => self.directory.join("lock"),
            LockRole::Embed => self.directory.join("embed.lock"),
            LockRole::Watch => own().join("watch.lock"),
            LockRole::Remove => self.directory.join("remove.lock"),
        }
    }
}

impl Store for SqliteStore {
    fn exists(&self) -> bool {
        let is_known = || {
            let opened = SqliteReader::open_checkout(&self.database, self.linked());
            !opened.is_err_and(|error| error.is_not_initialized())
        };
        self.database.exists() && (self.linked.is_none() || is_known())
    }

    fn tree_reader(&self, key: &TreeKey) -> Result<Option<Arc<dyn IndexReader>>> {
        let reader = SqliteReader::open_tree(&self.database, key)?;
        Ok(reader.map(|reader| Arc::new(reader) as Arc<dyn IndexReader>))
    }

    fn reader(&self) -> Result<Arc<dyn IndexReader>> {
        Ok(Arc::new(SqliteReader::open_checkout(&self.database, self.linked())?))
    }

    fn writer(&self) -> Result<Box<dyn IndexWriter>> {
        Ok(Box::new(SqliteWriter::open(&self.database, self.linked())?))
    }

    fn create(&self, spaces: &IndexSpaces) -> Result<Box<dyn IndexWriter>> {
        Ok(Box::new(SqliteWriter::create(&self.database, self.linked(), spaces)?))
    }

    fn rebuild(&self, spaces: &IndexSpaces) -> Result<Box<dyn Rebuild>> {
        Ok(Box::new(SqliteRebuild::begin(&self.database, self.linked(), spaces)?))
    }

    fn set_aside(&self) -> Result<String> {
        Ok(database_file::set_aside(&self.database)?.display().to_string())
    }

    fn remove(&self) -> Result<()> {
        if let Some(linked) = &self.linked {
            if self.exists() {
                SqliteWriter::open(&self.database, None)?.forget_checkouts(slice::from_ref(&linked.name))?;
            }
            return database_file::remove_file(&self.lock_file(LockRole::Watch));
        }
        database_file::remove_with_relatives(&self.database)?;
        LockRole::ALL.iter().try_for_each(|role| database_file::remove_file(&self.lock_file(*role)))
    }

    fn lock(&self, role: LockRole, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>> {
        let file = self.lock_file(role);
        let lock = match when_held {
            WhenHeld::Fail => FileLock::acquire(&file)?,
            WhenHeld::Wait(cancel) => FileLock::wait(&file, cancel)?,
        };
        // A rebuild runs under this lock, so whatever is there now was left by a killed process.
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
