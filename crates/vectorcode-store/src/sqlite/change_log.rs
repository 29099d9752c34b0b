//! The table `changes`: a log of the latest transactions, each with the rows of `chunks` that it touched.
//!
//! From the log, readers in any process learn that the index changed and which rows to reload. An entry without rows means that
//! anything may have changed.

use rusqlite::Connection;

use crate::index::change_log::{LOGGED_ROWS, LOGGED_TRANSACTIONS, from_blob, to_blob};

/// The number of the latest transaction.
pub(crate) fn last(conn: &Connection) -> rusqlite::Result<i64> {
    conn.prepare_cached("SELECT max(seq) FROM changes")?.query_row([], |row| row.get(0))
}

/// Starts the log with the time of creation as first number, so that an index which replaces another one is recognised as
/// different.
pub(crate) fn start(conn: &Connection) -> rusqlite::Result<()> {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |elapsed| elapsed.as_nanos() as i64);
    append_at(conn, now)
}

/// Continues the numbering of another index, which this one replaces.
pub(crate) fn continue_from(conn: &Connection, other: i64) -> rusqlite::Result<()> {
    let seq = last(conn)?.max(other).saturating_add(1);
    append_at(conn, seq)
}

fn append_at(conn: &Connection, seq: i64) -> rusqlite::Result<()> {
    conn.execute("INSERT INTO changes (seq, rows) VALUES (?, NULL)", [seq]).map(drop)
}

/// Logs a transaction after which every row has to be reloaded.
pub(crate) fn append_everything(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute("INSERT INTO changes (rows) VALUES (NULL)", []).map(drop)
}

/// Logs a transaction that touched no chunk: cached results are out of date, copies of chunks are still valid.
pub(crate) fn append_nothing(conn: &Connection) -> rusqlite::Result<()> {
    append_rows(conn, Some(Vec::new()))
}

/// Logs the rows that a transaction touched, and deletes the oldest entries.
pub(crate) fn append(conn: &Connection, touched: &[i64]) -> rusqlite::Result<()> {
    if touched.is_empty() {
        return Ok(());
    }
    append_rows(conn, (touched.len() <= LOGGED_ROWS).then(|| to_blob(touched)))
}

fn append_rows(conn: &Connection, rows: Option<Vec<u8>>) -> rusqlite::Result<()> {
    let seq = conn.prepare_cached("INSERT INTO changes (rows) VALUES (?)")?.insert([rows])?;
    conn.prepare_cached("DELETE FROM changes WHERE seq <= ?")?
        .execute([seq.saturating_sub(LOGGED_TRANSACTIONS)])?;
    Ok(())
}

/// The rows touched after transaction `seq`, in ascending order; `None` if the log does not cover that.
pub(crate) fn touched_since(conn: &Connection, seq: i64) -> rusqlite::Result<Option<Vec<i64>>> {
    let mut log = conn.prepare_cached("SELECT seq, rows FROM changes WHERE seq > ? ORDER BY seq")?;
    let mut entries = log.query([seq])?;
    let (mut touched, mut expected) = (Vec::new(), seq.saturating_add(1));
    while let Some(entry) = entries.next()? {
        let rows: Option<Vec<u8>> = entry.get(1)?;
        match rows {
            Some(rows) if entry.get::<_, i64>(0)? == expected => touched.extend(from_blob(&rows)),
            _ => return Ok(None),
        }
        expected = expected.saturating_add(1);
    }
    touched.sort_unstable();
    touched.dedup();
    Ok(Some(touched))
}
