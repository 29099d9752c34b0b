//! Stands in until the store brings its own lock, cache and rebuild.

use std::fs::File;
use std::path::{Path, PathBuf};

use vectorcode_core::VectorSpace;
use vectorcode_store::{IndexSpaces, SqliteWriter, StoreError};

#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

impl WriterLock {
    fn open(dir: &Path, name: &str) -> File {
        File::options().create(true).truncate(false).read(true).write(true).open(dir.join(name)).expect("lock file")
    }
    pub fn wait(dir: &Path) -> Result<Self, StoreError> {
        let file = Self::open(dir, "lock");
        file.lock().expect("lock");
        Ok(Self { _file: file })
    }
    pub fn acquire(dir: &Path) -> Result<Self, StoreError> {
        Self::acquire_named(dir, "lock")
    }
    pub fn acquire_named(dir: &Path, name: &str) -> Result<Self, StoreError> {
        let _ = std::fs::create_dir_all(dir);
        let file = Self::open(dir, name);
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(_) => Err(StoreError::Locked { by: "another process".into() }),
        }
    }
    pub fn is_held(dir: &Path, name: &str) -> bool {
        dir.join(name).exists() && Self::open(dir, name).try_lock().is_err()
    }
}

#[derive(Debug)]
pub struct EmbeddingCache;

impl EmbeddingCache {
    pub fn open(_dir: &Path, _size: u64) -> Result<Self, StoreError> {
        Ok(Self)
    }
    pub fn get_many(&self, _space: &VectorSpace, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        vec![None; texts.len()]
    }
    pub fn put_many<'a>(&self, _space: &VectorSpace, _items: impl Iterator<Item = (&'a str, &'a [f32])>) {}
}

pub struct Rebuild {
    path: PathBuf,
    new: PathBuf,
    writer: SqliteWriter,
}

impl Rebuild {
    pub fn begin(path: &Path, spaces: &IndexSpaces) -> Result<Self, StoreError> {
        let new = path.with_extension("db.new");
        let _ = std::fs::remove_file(&new);
        Ok(Self { path: path.into(), writer: SqliteWriter::create(&new, spaces)?, new })
    }
    pub fn writer(&mut self) -> &mut SqliteWriter {
        &mut self.writer
    }
    pub fn abandon(self) -> Result<(), StoreError> {
        let _ = std::fs::remove_file(&self.new);
        Ok(())
    }
    pub fn commit(self) -> Result<(), StoreError> {
        let (path, new) = (self.path.clone(), self.new.clone());
        drop(self);
        let _ = std::fs::rename(new, path);
        Ok(())
    }
}
