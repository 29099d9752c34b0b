//! [`WordNames`]: the names that hold a word, of words that were asked for lately.
//!
//! A common word is in thousands of names, each of which has to be looked up for the number of its words, and the questions
//! about one project have their common words in common: at 250,000 chunks this took 1.8 of the 3.5 ms of a lookup.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use crate::sqlite::change_log;

/// Names of all words together; an entry takes 16 bytes.
const MAX_NAMES: usize = 1 << 16;

/// A name that holds a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameOfWord {
    pub name_id: i64,
    /// How many words it has.
    pub words: u32,
}

#[derive(Debug, Default)]
pub(crate) struct WordNames(Mutex<Known>);

/// Lists of one version of the index.
#[derive(Debug, Default)]
struct Known {
    /// The last transaction that they know.
    seq: i64,
    lists: FxHashMap<String, Arc<[NameOfWord]>>,
    /// In all lists.
    names: usize,
}

impl WordNames {
    /// The file was replaced.
    pub fn forget(&self) {
        *self.lock() = Known::default();
    }

    pub(super) fn of(&self, conn: &Connection, word: &str) -> rusqlite::Result<Arc<[NameOfWord]>> {
        let seq = change_log::last(conn)?;
        let known = self.lock();
        if let Some(list) = known.lists.get(word).filter(|_| known.seq == seq) {
            return Ok(list.clone());
        }
        drop(known);
        let list: Arc<[NameOfWord]> = read(conn, word)?.into();
        self.lock().keep(seq, word, &list);
        Ok(list)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn keep(&mut self, seq: i64, word: &str, list: &Arc<[NameOfWord]>) {
        // A reader that still sees an older index keeps nothing.
        if seq < self.seq || list.len() > MAX_NAMES {
            return;
        }
        if seq > self.seq || self.names + list.len() > MAX_NAMES {
            *self = Self { seq, ..Self::default() };
        }
        self.names += list.len();
        self.lists.insert(word.to_owned(), list.clone());
    }
}

fn read(conn: &Connection, word: &str) -> rusqlite::Result<Vec<NameOfWord>> {
    let mut names = conn.prepare_cached(
        "SELECT name_id, words FROM name_words JOIN names ON names.id = name_id WHERE word = ?",
    )?;
    let name = |row: &rusqlite::Row<'_>| Ok(NameOfWord { name_id: row.get(0)?, words: row.get(1)? });
    names.query_map([word], name)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> Arc<[NameOfWord]> {
        vec![NameOfWord { name_id: 1, words: 1 }; count].into()
    }

    #[test]
    fn lists_of_an_older_index_and_too_many_are_dropped() {
        let mut known = Known::default();
        known.keep(3, "get", &list(10));
        known.keep(2, "old", &list(10));
        known.keep(3, "set", &list(MAX_NAMES - 10));
        assert_eq!((known.lists.len(), known.names), (2, MAX_NAMES));
        known.keep(3, "run", &list(1));
        assert_eq!((known.lists.len(), known.names), (1, 1));
        known.keep(4, "get", &list(2));
        assert!(known.lists.keys().eq(["get"]) && known.seq == 4);
    }
}
