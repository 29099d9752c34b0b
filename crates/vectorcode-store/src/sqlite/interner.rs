//! Assigns ids to strings that many rows share, and caches these ids between rows and transactions.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashMap;

use super::multi_insert::{Target, insert_all};
use super::name_words::{self, NameOfWord};
use crate::index::name_match::words_of;

/// If there are more names than this, the cache is cleared. The database still has them.
const MAX_REMEMBERED_NAMES: usize = 200_000;

#[derive(Debug, Default)]
pub(crate) struct Interner {
    labels: FxHashMap<String, i64>,
    names: FxHashMap<String, i64>,
    new: NewNames,
}

/// Names of one transaction that have an id but no row yet: written in sorted order, they take a third of the time.
#[derive(Debug, Default)]
struct NewNames {
    names: Vec<(i64, String)>,
    last_id: i64,
    /// Whether every name of the database is cached, so that nothing has to be looked up while an index is new.
    are_all_known: bool,
}

impl Interner {
    /// Clears the cache. After a failed transaction, some of its ids may never have been stored.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The id of a language or syntax kind.
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

    /// Must be called before the first name of a transaction.
    pub fn begin_names(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        if self.names.len() >= MAX_REMEMBERED_NAMES {
            self.names.clear();
        }
        let last_id: i64 =
            conn.prepare_cached("SELECT coalesce(max(id), 0) FROM names")?.query_row([], |row| row.get(0))?;
        self.new = NewNames { names: Vec::new(), last_id, are_all_known: self.names.len() as i64 == last_id };
        Ok(())
    }

    /// The id of a defined name. The name can be found by its words once [`Self::write_names`] has run.
    pub fn name(&mut self, conn: &Connection, name: &str) -> rusqlite::Result<i64> {
        if let Some(id) = self.names.get(name) {
            return Ok(*id);
        }
        let known = if self.new.are_all_known { None } else { find_name(conn, name)? };
        let id = known.unwrap_or_else(|| self.new.add(name));
        self.names.insert(name.to_owned(), id);
        Ok(id)
    }

    /// Writes the new names of the transaction.
    pub fn write_names(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        std::mem::take(&mut self.new).write(conn)
    }

    /// Deletes those of these names that are no longer defined anywhere.
    pub fn release(&mut self, conn: &Connection, ids: &HashSet<i64>) -> rusqlite::Result<()> {
        let mut delete = conn.prepare_cached(
            "DELETE FROM names WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM symbols WHERE name_id = ?1) RETURNING name",
        )?;
        for id in ids {
            let name: Option<String> = delete.query_row([id], |row| row.get(0)).optional()?;
            if let Some(name) = name {
                words_of(&name).iter().try_for_each(|word| name_words::remove(conn, word, *id))?;
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

impl NewNames {
    fn add(&mut self, name: &str) -> i64 {
        // A damaged table may contain the highest possible id; then the insertion fails.
        self.last_id = self.last_id.saturating_add(1);
        self.names.push((self.last_id, name.to_owned()));
        self.last_id
    }

    fn write(self, conn: &Connection) -> rusqlite::Result<()> {
        let mut rows: Vec<(i64, String, usize)> = Vec::with_capacity(self.names.len());
        let mut words: Vec<(String, NameOfWord)> = Vec::new();
        for (name_id, name) in self.names {
            let own = words_of(&name);
            let listed = NameOfWord { name_id, words: own.len() as u32 };
            rows.push((name_id, name, own.len()));
            words.extend(own.into_iter().map(|word| (word, listed)));
        }
        rows.sort_by_cached_key(|(_, name, _)| name.to_ascii_lowercase());
        let names = Target { table: "names", columns: "id, name, words" };
        insert_all(conn, names, &rows, |values, (id, name, words)| {
            values.push(id)?;
            values.push(name)?;
            values.push(words)
        })?;
        name_words::write(conn, words)
    }
}
