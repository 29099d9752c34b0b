//! Which rows of `source_files` are the files of a work tree.
//!
//! The main work tree's are marked in the table itself (`working`), so that it is searched as fast as if it were alone. Each work tree
//! that git has linked to it names its rows in `checkout_files`: what two of them have at a path is stored once.

use rusqlite::{Connection, OptionalExtension};

use crate::contract::FileState;
use crate::index::enum_codes;
use crate::index::pending_order::pending_order;

/// The main work tree, where rows of several are told apart by a number.
pub(super) const MAIN: i64 = 0;

/// A work tree of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checkout {
    Main,
    /// A row of `checkouts`.
    Linked(i64),
}

impl Checkout {
    /// The work tree that git calls `name`; `None` where the index does not know it.
    pub fn find(conn: &Connection, name: Option<&str>) -> rusqlite::Result<Option<Self>> {
        let Some(name) = name else { return Ok(Some(Self::Main)) };
        let mut checkout = conn.prepare_cached("SELECT id FROM main.checkouts WHERE name = ?")?;
        let id = checkout.query_row([name], |row| row.get(0)).optional()?;
        Ok(id.map(Self::Linked))
    }

    pub fn number(self) -> i64 {
        match self {
            Self::Main => MAIN,
            Self::Linked(id) => id,
        }
    }

    /// What `source_files.working` says of a file that this work tree has.
    pub fn mark(self) -> Option<i64> {
        (self == Self::Main).then_some(1)
    }

    /// The row that it has at a path.
    pub fn file_at(self, conn: &Connection, path: &str) -> rusqlite::Result<Option<i64>> {
        match self {
            Self::Main => {
                let mut file =
                    conn.prepare_cached("SELECT id FROM source_files WHERE path = ? AND working = 1")?;
                file.query_row([path], |row| row.get(0)).optional()
            }
            Self::Linked(id) => {
                let mut file = conn.prepare_cached(
                    "SELECT f.id FROM source_files AS f CROSS JOIN checkout_files AS c
                     WHERE f.path = ? AND c.checkout = ? AND c.file_id = f.id",
                )?;
                file.query_row((path, id), |row| row.get(0)).optional()
            }
        }
    }

    /// Makes a row its file at that row's path, where it has none.
    pub fn take(self, conn: &Connection, file: i64, mtime_ns: i64) -> rusqlite::Result<()> {
        match self {
            Self::Main => conn
                .prepare_cached("UPDATE source_files SET working = 1, mtime_ns = ?2 WHERE id = ?1")?
                .execute((file, mtime_ns)),
            Self::Linked(id) => conn
                .prepare_cached(
                    "INSERT OR REPLACE INTO checkout_files (checkout, file_id, mtime_ns) VALUES (?, ?, ?)",
                )?
                .execute((id, file, mtime_ns)),
        }
        .map(drop)
    }

    /// The row is no file of it any more, and stays for others.
    pub fn release(self, conn: &Connection, file: i64) -> rusqlite::Result<()> {
        match self {
            Self::Main => {
                conn.prepare_cached("UPDATE source_files SET working = NULL WHERE id = ?")?.execute([file])
            }
            Self::Linked(id) => conn
                .prepare_cached("DELETE FROM checkout_files WHERE checkout = ? AND file_id = ?")?
                .execute((id, file)),
        }
        .map(drop)
    }

    /// Whether another work tree has the row.
    pub fn shares(self, conn: &Connection, file: i64) -> rusqlite::Result<bool> {
        let mut used = conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM checkout_files WHERE file_id = ?1 AND checkout <> ?2)
                 OR (?2 <> 0 AND EXISTS (SELECT 1 FROM source_files WHERE id = ?1 AND working = 1))",
        )?;
        used.query_row((file, self.number()), |row| row.get(0))
    }

    /// Notes another time of a file whose content is the same.
    pub fn touch(self, conn: &Connection, path: &str, state: &FileState) -> rusqlite::Result<()> {
        let Some(file) = self.file_at(conn, path)? else { return Ok(()) };
        self.take(conn, file, state.mtime_ns)?;
        let mut flags = conn.prepare_cached("SELECT flags FROM source_files WHERE id = ?")?;
        let flags = enum_codes::flags_of(flags.query_row([file], |row| row.get(0))?);
        conn.prepare_cached("UPDATE chunk_rows SET pending = ?2 WHERE file_id = ?1 AND pending IS NOT NULL")?
            .execute((file, pending_order(state.mtime_ns, flags)))
            .map(drop)
    }
}

/// The linked work trees that the index knows.
pub(super) fn names(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = conn.prepare_cached("SELECT name FROM checkouts ORDER BY name")?;
    names.query_map([], |row| row.get(0))?.collect()
}

/// Makes a linked work tree known, without files.
pub(super) fn add(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    conn.execute("INSERT OR IGNORE INTO checkouts (name) VALUES (?)", [name]).map(drop)
}

/// Forgets a linked work tree. What nothing else has of it is for [`super::trees::unused_files`].
pub(super) fn forget(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    let Some(Checkout::Linked(id)) = Checkout::find(conn, Some(name))? else { return Ok(()) };
    conn.execute("DELETE FROM checkout_files WHERE checkout = ?", [id])?;
    conn.execute("DELETE FROM skipped WHERE checkout = ?", [id])?;
    conn.execute("DELETE FROM meta WHERE substr(key, 1, length(?1)) = ?1", [meta_prefix(name)])?;
    conn.execute("DELETE FROM checkouts WHERE id = ?", [id]).map(drop)
}

/// Before the names of what is kept in `meta` for a linked work tree.
pub(super) fn meta_prefix(name: &str) -> String {
    format!("checkout {name}/")
}

/// Gives an index that replaces another one the work trees of that, except the one for which it was made. They keep the files whose
/// content it has; the next run of each reads the rest.
pub(super) fn carry_over(
    old: &Connection,
    new: &mut Connection,
    except: Option<&str>,
) -> rusqlite::Result<()> {
    let tx = new.transaction()?;
    for name in names(old)? {
        add(&tx, &name)?;
    }
    let mut files = old.prepare(
        "SELECT NULL, path, hash, mtime_ns FROM main.source_files WHERE working = 1
         UNION ALL SELECT t.name, f.path, f.hash, c.mtime_ns FROM checkouts AS t
             JOIN checkout_files AS c ON c.checkout = t.id JOIN main.source_files AS f ON f.id = c.file_id",
    )?;
    let mut same = tx.prepare("SELECT id FROM source_files WHERE path = ? AND hash = ?")?;
    let mut rows = files.query([])?;
    while let Some(row) = rows.next()? {
        let name: Option<String> = row.get(0)?;
        let content: (String, [u8; 32]) = (row.get(1)?, row.get(2)?);
        if name.as_deref() != except
            && let Some(checkout) = Checkout::find(&tx, name.as_deref())?
            && let Some(file) = same.query_row(content, |row| row.get(0)).optional()?
        {
            checkout.take(&tx, file, row.get(3)?)?;
        }
    }
    drop(same);
    tx.commit()
}
