//! Which files a connection sees: those of the main work tree, of a linked one, or of a commit.
//!
//! Each reading connection gets temporary views: `source_files`, which stands before the table of that name, and
//! `outside_files`, the rest. So one set of statements answers for every tree, and none can forget which it is asked about.

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
    /// A linked work tree, by the name that git gives it.
    Linked(Arc<str>),
    Commit(Arc<StoredTree>),
}

/// The files of a commit: a row of `trees`.
#[derive(Debug)]
pub(crate) struct StoredTree {
    pub id: i64,
    /// Ids of `source_files`.
    pub files: RowBitmap,
    /// Files that could not be read.
    pub missing: u64,
}

impl TreeScope {
    /// Makes the views. A connection keeps them until it is closed.
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

    /// What is wrong if the index does not have the tree any more. A transaction that sees its row sees all of its files.
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

    /// The name of the linked work tree.
    pub fn linked(&self) -> Option<&str> {
        match self {
            Self::Linked(name) => Some(name),
            Self::Working | Self::Commit(_) => None,
        }
    }

    /// Under which key `meta` has what is kept for each work tree.
    pub fn meta_key<'k>(&self, key: &'k str) -> Cow<'k, str> {
        match self.linked() {
            Some(name) => Cow::Owned(checkouts::meta_prefix(name) + key),
            None => Cow::Borrowed(key),
        }
    }
}

/// The time of a file is that of the work tree; all else is the content's. `CROSS JOIN` has SQLite look up the content first, by path or
/// id: the other way round it reads the whole list of the work tree for one file.
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
