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
    names: FxHashMap<String, Name>,
}

#[derive(Clone, Copy, Debug)]
struct Name {
    id: i64,
    /// Its words are in `name_words`.
    defined: bool,
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

    /// The id of a name that is used.
    pub fn used_name(&mut self, conn: &Connection, name: &str) -> rusqlite::Result<i64> {
        if let Some(known) = self.names.get(name) {
            return Ok(known.id);
        }
        let found = match find_name(conn, name)? {
            Some(found) => found,
            None => Name { id: insert_name(conn, name, 0)?, defined: false },
        };
        self.remember(name, found);
        Ok(found.id)
    }

    /// The id of a name that is defined, and can be found by its words.
    pub fn defined_name(&mut self, conn: &Connection, name: &str) -> rusqlite::Result<i64> {
        let known = match self.names.get(name) {
            Some(known) => Some(*known),
            None => find_name(conn, name)?,
        };
        let id = match known {
            Some(Name { id, defined: true }) => id,
            Some(Name { id, defined: false }) => define_name(conn, id, name)?,
            None => {
                let words = words_of(name);
                let id = insert_name(conn, name, words.len())?;
                insert_words(conn, id, &words)?;
                id
            }
        };
        self.remember(name, Name { id, defined: true });
        Ok(id)
    }

    fn remember(&mut self, name: &str, found: Name) {
        if let Some(known) = self.names.get_mut(name) {
            *known = found;
            return;
        }
        if self.names.len() >= MAX_REMEMBERED_NAMES {
            self.names.clear();
        }
        self.names.insert(name.to_owned(), found);
    }

    /// Drops those of these names that nothing defines or uses any more.
    pub fn release(&mut self, conn: &Connection, ids: &HashSet<i64>) -> rusqlite::Result<()> {
        let mut exists = conn.prepare_cached(
            "SELECT name, EXISTS (SELECT 1 FROM symbols WHERE name_id = id),
                 EXISTS (SELECT 1 FROM refs WHERE name_id = id) FROM names WHERE id = ?",
        )?;
        for id in ids {
            let (name, defined, used): (String, bool, bool) =
                exists.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            if !defined {
                delete_words(conn, *id, &name)?;
                self.names.remove(&name);
            }
            if !defined && !used {
                conn.prepare_cached("DELETE FROM names WHERE id = ?")?.execute([id])?;
            }
        }
        Ok(())
    }
}

fn find_name(conn: &Connection, name: &str) -> rusqlite::Result<Option<Name>> {
    let mut find =
        conn.prepare_cached("SELECT id, words > 0 FROM names WHERE name = ?1 COLLATE NOCASE AND name = ?1")?;
    find.query_row([name], |row| Ok(Name { id: row.get(0)?, defined: row.get(1)? })).optional()
}

fn insert_name(conn: &Connection, name: &str, words: usize) -> rusqlite::Result<i64> {
    conn.prepare_cached("INSERT INTO names (name, words) VALUES (?, ?)")?.insert((name, words))
}

/// The distinct words of a name; a name without any (`_`) stands for itself.
pub(crate) fn words_of(name: &str) -> HashSet<String> {
    let mut words: HashSet<String> = words::lowercase_words(name).into_iter().collect();
    if words.is_empty() {
        words.insert(name.to_lowercase());
    }
    words
}

/// Makes a name that was only used so far one that can be found by its words.
fn define_name(conn: &Connection, id: i64, name: &str) -> rusqlite::Result<i64> {
    let words = words_of(name);
    conn.prepare_cached("UPDATE names SET words = ? WHERE id = ?")?.execute((words.len(), id))?;
    insert_words(conn, id, &words)?;
    Ok(id)
}

fn insert_words(conn: &Connection, id: i64, words: &HashSet<String>) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO name_words (word, name_id) VALUES (?, ?)")?;
    words.iter().try_for_each(|word| insert.execute((word, id)).map(drop))
}

fn delete_words(conn: &Connection, id: i64, name: &str) -> rusqlite::Result<()> {
    conn.prepare_cached("UPDATE names SET words = 0 WHERE id = ?")?.execute([id])?;
    let mut delete = conn.prepare_cached("DELETE FROM name_words WHERE word = ? AND name_id = ?")?;
    words_of(name).iter().try_for_each(|word| delete.execute((word, id)).map(drop))
}
