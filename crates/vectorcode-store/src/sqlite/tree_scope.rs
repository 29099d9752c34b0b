//! Which files a connection sees: those of the working tree, or those of a commit.
//!
//! Each reading connection gets temporary views: `source_files`, which stands before the table of that name, and
//! `outside_files`, the rest. So one set of statements answers for every tree, and none can forget which it is asked about.

use std::sync::Arc;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension};

use crate::index::row_bitmap::RowBitmap;

#[derive(Clone, Debug, Default)]
pub(crate) enum TreeScope {
    #[default]
    Working,
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
            Self::Working => 0,
            Self::Commit(tree) => tree.missing,
        }
    }

    /// Whether the index still has the tree. A transaction that sees its row sees all of its files.
    pub fn is_there(&self, conn: &Connection) -> rusqlite::Result<bool> {
        match self {
            Self::Working => Ok(true),
            Self::Commit(tree) => {
                let mut row = conn.prepare_cached("SELECT 1 FROM trees WHERE id = ?")?;
                Ok(row.query_row([tree.id], |_| Ok(())).optional()?.is_some())
            }
        }
    }
}
