//! Repairs, in place, an index whose rows contradict each other.
//!
//! If a statement violates a constraint, there are rows that should not be there. SQLite's pages are sound in that case, so the file
//! is not damaged: a bug of this program has left rows without their parents. They are deleted, together with the files and the
//! history that are incomplete without them, which the next run reads again. All other chunks keep their rows and vectors.

use rusqlite::Connection;

use super::checkouts::Checkout;
use super::interner::Interner;
use super::meta;
use super::write_batch::WriteBatch;

/// Tables with at most one row per chunk, whose key is the chunk's id.
const OF_CHUNKS: [&str; 2] = ["refused", "vec_provider"];
/// Tables whose rows chunks may share; their key is `chunk_rows.body`.
const OF_BODIES: [&str; 3] = ["chunk_text", "chunk_words", "vec_static"];
/// The tables that must have a row for every chunk.
const PARTS_OF_CHUNKS: [&str; 2] = ["chunk_text", "chunk_words"];
const OF_FILES: [&str; 3] = ["symbols", "file_facts", "checkout_files"];

pub(super) fn repair(
    conn: &Connection,
    interner: &mut Interner,
    touched: &mut Vec<i64>,
) -> rusqlite::Result<()> {
    forget_history(conn)?;
    // Indexed commits are read again when they are queried. Their file versions are deleted when the next commit is forgotten.
    conn.execute("DELETE FROM trees", [])?;
    raise_sequence(conn)?;
    interner.forget();
    let mut batch = WriteBatch::new(conn, Checkout::Main, interner, touched)?;
    for row in rows(conn, "SELECT id FROM chunk_rows WHERE file_id NOT IN (SELECT id FROM source_files)")? {
        batch.delete_chunk(row)?;
    }
    for table in OF_CHUNKS {
        let orphans = format!("SELECT id FROM {table} WHERE id NOT IN (SELECT id FROM chunk_rows)");
        rows(conn, &orphans)?.into_iter().try_for_each(|row| batch.delete_parts(row))?;
    }
    for table in OF_BODIES {
        conn.execute(&format!("DELETE FROM {table} WHERE id NOT IN (SELECT body FROM chunk_rows)"), [])?;
    }
    for file in broken_files(conn)? {
        batch.delete_file(file)?;
    }
    for table in OF_FILES {
        let sql = format!("DELETE FROM {table} WHERE file_id NOT IN (SELECT id FROM source_files)");
        conn.execute(&sql, [])?;
    }
    batch.finish().map(drop)
}

/// Deletes the history, which is read again in seconds.
fn forget_history(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute_batch("DELETE FROM commits; DELETE FROM commit_text; DELETE FROM commit_paths;")?;
    meta::forget_history(conn)?;
    meta::next_history_version(conn)
}

/// Raises the sequence of row ids: no row id of a chunk may be reused.
fn raise_sequence(conn: &Connection) -> rusqlite::Result<()> {
    let used = "SELECT max(id) AS row FROM chunk_rows UNION ALL SELECT max(last_row) FROM segments
        UNION ALL SELECT max(row) FROM dead";
    let last: Option<i64> =
        conn.query_row(&format!("SELECT max(row) FROM ({used})"), [], |row| row.get(0))?;
    conn.execute(
        "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'chunk_rows'",
        [last.unwrap_or(0)],
    )
    .map(drop)
}

/// Files with an incomplete chunk, or with a definition in a chunk that does not exist.
fn broken_files(conn: &Connection) -> rusqlite::Result<Vec<i64>> {
    let parts = PARTS_OF_CHUNKS.map(|part| format!("body NOT IN (SELECT id FROM {part})")).join(" OR ");
    let sql = format!(
        "SELECT id FROM source_files WHERE id IN (SELECT file_id FROM chunk_rows WHERE {parts}
             UNION SELECT file_id FROM symbols WHERE chunk_id NOT IN (SELECT id FROM chunk_rows)
                 OR name_id NOT IN (SELECT id FROM names))"
    );
    conn.prepare(&sql)?.query_map([], |row| row.get(0))?.collect()
}

fn rows(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<i64>> {
    conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}
