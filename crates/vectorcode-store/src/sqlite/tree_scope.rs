//! Limits a connection to the files of the main worktree, of a linked one, or of a commit.
//!
//! Each read connection gets temporary views: `source_files`, which shadows the table of that name, and `outside_files`, the
//! remaining rows. So one set of statements works for every tree, and none can read the wrong one by mistake.

use std::borrow::Cow;
use std::sync::Arc;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension};

use super::checkouts::{self, Checkout};
use crate::StoreError;
use crate::index::row_bitmap::RowBitmap;

#[derive(Clone, Debug, Default)]
pub(crate) enum TreeScope {
    #[default]
    Working,
    /// A linked worktree, by git's name for it.
    Linked(Arc<str>),
    Commit(Arc<StoredTree>),
}

/// The files of a commit: a row of `trees`.
#[derive(Debug)]
pub(crate) struct StoredTree {
    pub id: i64,
    /// Ids of `source_files`.
    pub files: RowBitmap,
    /// The number of files that could not be read.
    pub missing: u64,
}

impl TreeScope {
    /// Creates the views. A connection keeps them until it is closed.
    pub fn apply(&self, conn: &Connection) -> rusqlite::Result<()> {
        let (inside, outside) = match self {
            Self::Working => ("working = 1", "working IS NULL"),
            Self::Linked(name) => return apply_linked(conn, name),
            Self::Commit(tree) => {
                let tree = Arc::clone(tree);
                let flags = FunctionFlags::SQLITE_UTF8
                    | FunctionFlags::SQLITE_DETERMINISTIC
                    | FunctionFlags::SQLITE_INNOCUOUS;
                conn.create_scalar_function("in_tree", 1, flags, move |context| {
                    Ok(tree.files.contains(context.get(0)?))
                })?;
                ("in_tree(id)", "NOT in_tree(id)")
            }
        };
        conn.execute_batch(&format!(
            "CREATE TEMP VIEW source_files AS SELECT * FROM main.source_files WHERE {inside};
             CREATE TEMP VIEW outside_files AS SELECT * FROM main.source_files WHERE {outside};"
        ))
    }

    pub fn missing_files(&self) -> u64 {
        match self {
            Self::Working | Self::Linked(_) => 0,
            Self::Commit(tree) => tree.missing,
        }
    }

    /// The error to report if the tree is no longer in the index. A transaction that sees the tree's row sees all of its files.
    pub fn why_gone(&self, conn: &Connection) -> rusqlite::Result<Option<StoreError>> {
        let (is_there, error) = match self {
            Self::Working => return Ok(None),
            Self::Linked(name) => {
                (Checkout::find(conn, Some(name))?.is_some(), StoreError::not_initialized())
            }
            Self::Commit(tree) => {
                let mut row = conn.prepare_cached("SELECT 1 FROM trees WHERE id = ?")?;
                (row.query_row([tree.id], |_| Ok(())).optional()?.is_some(), StoreError::tree_gone())
            }
        };
        Ok((!is_there).then_some(error))
    }

    /// The name of the linked worktree.
    pub fn linked(&self) -> Option<&str> {
        match self {
            Self::Linked(name) => Some(name),
            Self::Working | Self::Commit(_) => None,
        }
    }

    /// The key in `meta` of a value that every worktree has for itself.
    pub fn meta_key<'k>(&self, key: &'k str) -> Cow<'k, str> {
        match self.linked() {
            Some(name) => Cow::Owned(checkouts::meta_prefix(name) + key),
            None => Cow::Borrowed(key),
        }
    }
}

/// The modification time of a file is that of the worktree; everything else belongs to the file version. `CROSS JOIN` makes
/// SQLite look up the file version first, by path or id: in the other order it reads the whole list of the worktree for one file.
fn apply_linked(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    let name = name.replace('\'', "''");
    let own = format!("checkout = (SELECT id FROM main.checkouts WHERE name = '{name}')");
    conn.execute_batch(&format!(
        "CREATE TEMP VIEW source_files AS
             SELECT f.id, f.path, 1 AS working, f.blob, c.mtime_ns, f.size, f.hash, f.language, f.class, f.flags, f.indexed_at,
                 f.content_version
             FROM main.source_files AS f CROSS JOIN main.checkout_files AS c WHERE c.{own} AND c.file_id = f.id;
         CREATE TEMP VIEW outside_files AS SELECT * FROM main.source_files AS f
             WHERE NOT EXISTS (SELECT 1 FROM main.checkout_files WHERE {own} AND file_id = f.id);"
    ))
}
