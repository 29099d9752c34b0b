//! Which rows of `source_files` belong to which worktree.
//!
//! The rows of the main worktree are marked in the table itself (`working`), so that it is searched as fast as if it were alone.
//! Each linked worktree lists its rows in `checkout_files`: content that two worktrees have at the same path is stored once.
//!
//! A linked worktree opens the index of the main one under its own name (`SqliteStore::of_worktree`). Its own directory has its
//! watch lock; the locks for writing, embedding and removing are shared.

use rusqlite::{Connection, OptionalExtension};

use crate::contract::FileState;
use crate::index::enum_codes;
use crate::index::pending_order::pending_order;

/// The main worktree, where rows of several worktrees are distinguished by a number.
pub(super) const MAIN: i64 = 0;

/// A worktree of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Checkout {
    Main,
    /// The id of a row in `checkouts`.
    Linked(i64),
}

impl Checkout {
    /// The worktree that git calls `name`; `None` if it is not in the index.
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

    /// The value of `source_files.working` for a file of this worktree.
    pub fn mark(self) -> Option<i64> {
        (self == Self::Main).then_some(1)
    }

    /// The row of the file that this worktree has at a path.
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

    /// Makes a row this worktree's file at the row's path, where it has none yet.
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

    /// Removes a row from this worktree. The row stays for others.
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

    /// Whether another worktree has the row.
    pub fn shares(self, conn: &Connection, file: i64) -> rusqlite::Result<bool> {
        let mut used = conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM checkout_files WHERE file_id = ?1 AND checkout <> ?2)
                 OR (?2 <> 0 AND EXISTS (SELECT 1 FROM source_files WHERE id = ?1 AND working = 1))",
        )?;
        used.query_row((file, self.number()), |row| row.get(0))
    }

    /// Updates the modification time of a file whose content is unchanged.
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

/// The linked worktrees in the index.
pub(super) fn names(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut names = conn.prepare_cached("SELECT name FROM checkouts ORDER BY name")?;
    names.query_map([], |row| row.get(0))?.collect()
}

/// Adds a linked worktree without files.
pub(super) fn add(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    conn.execute("INSERT OR IGNORE INTO checkouts (name) VALUES (?)", [name]).map(drop)
}

/// Forgets a linked worktree. The file versions that nothing else uses are found by [`super::trees::unused_files`].
pub(super) fn forget(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    let Some(Checkout::Linked(id)) = Checkout::find(conn, Some(name))? else { return Ok(()) };
    conn.execute("DELETE FROM checkout_files WHERE checkout = ?", [id])?;
    conn.execute("DELETE FROM skipped WHERE checkout = ?", [id])?;
    conn.execute("DELETE FROM meta WHERE substr(key, 1, length(?1)) = ?1", [meta_prefix(name)])?;
    conn.execute("DELETE FROM checkouts WHERE id = ?", [id]).map(drop)
}

/// The prefix of a linked worktree's keys in `meta`.
pub(super) fn meta_prefix(name: &str) -> String {
    format!("checkout {name}/")
}

/// Copies the worktrees of an index to the one that replaces it, except for the worktree that the new index was built for. They
/// keep the files whose contents the new index has; the next run of each worktree reads the rest.
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
