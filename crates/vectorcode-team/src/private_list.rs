//! A list that several processes read and change: one JSON file, readable only by its owner, replaced atomically under a
//! lock.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use vectorcode_core::private_files::{self, Links};

use crate::TeamError;

const VERSION: u32 = 1;
/// Enough for about fifty thousand entries.
const MAX_BYTES: u64 = 16 << 20;

/// The list in a file, which need not exist yet.
#[derive(Clone, Debug)]
pub(crate) struct PrivateList<T> {
    path: PathBuf,
    entries: PhantomData<T>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents<T> {
    version: u32,
    entries: Vec<T>,
}

impl<T: Serialize + DeserializeOwned> PrivateList<T> {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, entries: PhantomData }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All entries in order; `None` if there is no file.
    pub(crate) fn read(&self) -> Result<Option<Vec<T>>, TeamError> {
        let text = match private_files::read_text(&self.path, MAX_BYTES, Links::Follow) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(&error)),
        };
        if !private_files::is_changed_by_owner_only(&self.path) {
            return Err(self.failed(&"other users may change it"));
        }
        let contents: Contents<T> = serde_json::from_str(&text).map_err(|error| self.failed(&error))?;
        if contents.version != VERSION {
            return Err(self.failed(&format!("it has the version {}, not {VERSION}", contents.version)));
        }
        Ok(Some(contents.entries))
    }

    /// Reads, changes and replaces the list under a lock. After an error, the list is unchanged.
    pub(crate) fn change<R>(
        &self,
        change: impl FnOnce(&mut Vec<T>) -> Result<R, TeamError>,
    ) -> Result<R, TeamError> {
        let directory = self.path.parent().unwrap_or(Path::new(""));
        private_files::create_directory(directory, Links::Follow).map_err(|error| self.failed(&error))?;
        let lock = private_files::open_or_create(&self.path.with_extension("lock"));
        let lock = lock.map_err(|error| self.failed(&error))?;
        lock.lock().map_err(|error| self.failed(&error))?;
        let mut entries = self.read()?.unwrap_or_default();
        let outcome = change(&mut entries)?;
        let text = serde_json::to_vec_pretty(&Contents { version: VERSION, entries });
        let text = text.map_err(|error| self.failed(&error))?;
        private_files::replace(&self.path, &text).map_err(|error| self.failed(&error))?;
        Ok(outcome)
    }

    fn failed(&self, problem: &dyn std::fmt::Display) -> TeamError {
        TeamError::PrivateFile { path: self.path.clone(), problem: problem.to_string() }
    }
}
