//! Strings that many rows share are stored once; this caches their ids between rows and transactions.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;
use vectorcode_core::words;

/// Beyond this many names the memory is emptied; the database still knows them.
const MAX_REMEMBERED_NAMES: usize = 200_000;

#[derive(Debug, Default)]
pub(crate) struct Interner {
    labels: FxHashMap<String, i64>,
    names: FxHashMap<String, i64>,
}

impl Interner {
    /// After a failed transaction some ids may never have been stored.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The id of a language or kind.
    pub fn label(&mut self, conn: &Connection, label: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.labels.get(label) {
            return Ok(*id);
        }
        conn.prepare_cached("INSERT OR IGNORE INTO labels (name) VALUES (?)")?.execute([label])?;
        let id: i64 = conn
            .prepare_cached("SELECT id FROM labels WHERE name = ?")?
            .query_row([label], |row| row.get(0))?;
        self.labels.insert(label.to_owned(), id);
        Ok(id)
    }

    /// The id of a name that is defined, and can be found by its words.
    pub fn name(&mut self, conn: &Connection, name: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.names.get(name) {
            return Ok(*id);
        }
        let id = match find_name(conn, name)? {
            Some(id) => id,
            None => insert_name(conn, name)?,
        };
        if self.names.len() >= MAX_REMEMBERED_NAMES {
            self.names.clear();
        }
        self.names.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Drops those of these names that nothing defines any more.
    pub fn release(&mut self, conn: &Connection, ids: &HashSet<i64>) -> rusqlite::Result<()> {
        let mut delete = conn.prepare_cached(
            "DELETE FROM names WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM symbols WHERE name_id = ?1) RETURNING name",
        )?;
        for id in ids {
            let name: Option<String> = delete.query_row([id], |row| row.get(0)).optional()?;
            if let Some(name) = name {
                delete_words(conn, *id, &name)?;
                self.names.remove(&name);
            }
        }
        Ok(())
    }
}

fn find_name(conn: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    let mut find =
        conn.prepare_cached("SELECT id FROM names WHERE name = ?1 COLLATE NOCASE AND name = ?1")?;
    find.query_row([name], |row| row.get(0)).optional()
}

fn insert_name(conn: &Connection, name: &str) -> rusqlite::Result<i64> {
    let words = words_of(name);
    let id =
        conn.prepare_cached("INSERT INTO names (name, words) VALUES (?, ?)")?.insert((name, words.len()))?;
    let mut insert = conn.prepare_cached("INSERT INTO name_words (word, name_id) VALUES (?, ?)")?;
    words.iter().try_for_each(|word| insert.execute((word, id)).map(drop))?;
    Ok(id)
}

/// The distinct words of a name; a name without any (`_`) stands for itself.
pub(crate) fn words_of(name: &str) -> HashSet<String> {
    let mut words: HashSet<String> = words::lowercase_words(name).into_iter().collect();
    if words.is_empty() {
        words.insert(name.to_lowercase());
    }
    words
}

fn delete_words(conn: &Connection, id: i64, name: &str) -> rusqlite::Result<()> {
    let mut delete = conn.prepare_cached("DELETE FROM name_words WHERE word = ? AND name_id = ?")?;
    words_of(name).iter().try_for_each(|word| delete.execute((word, id)).map(drop))
}
