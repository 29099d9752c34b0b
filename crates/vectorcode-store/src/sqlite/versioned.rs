//! [`Versioned`]: a value that is read once for each version of the index.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::change_log;

#[derive(Debug)]
pub(crate) struct Versioned<T>(Mutex<Option<Known<T>>>);

#[derive(Debug)]
struct Known<T> {
    /// The last transaction that it knows.
    seq: i64,
    value: Arc<T>,
}

impl<T> Default for Versioned<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Versioned<T> {
    /// The file was replaced.
    pub fn forget(&self) {
        *self.lock() = None;
    }

    /// The value of the version that the connection sees, by `read` where it is not known.
    pub fn at(
        &self,
        conn: &Connection,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Arc<T>> {
        let seq = change_log::last(conn)?;
        if let Some(known) = self.lock().as_ref().filter(|known| known.seq == seq) {
            return Ok(known.value.clone());
        }
        let value = Arc::new(read(conn)?);
        let mut known = self.lock();
        // A reader of an older version must not take the place of the newer one.
        if known.as_ref().is_none_or(|known| known.seq < seq) {
            *known = Some(Known { seq, value: value.clone() });
        }
        Ok(value)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
