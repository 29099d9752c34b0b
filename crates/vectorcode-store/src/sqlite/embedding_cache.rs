//! A per-user cache of provider vectors across projects, branches and worktrees, so that no text is embedded twice.
//!
//! Losing the cache only costs time, so a damaged one is deleted and recreated. If it exceeds its size limit, the entries that
//! were not used for the longest time are evicted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use vectorcode_core::private_files::{self, Links};
use vectorcode_core::{TextKey, VectorSpace, lock, quantize};

use super::connection::{BUSY_TIMEOUT, keep_write_ahead_log, open_or_create};
use super::database_file;
use super::error::store_error;
use crate::StoreError;
use crate::contract::Result;

const FILE_NAME: &str = "embeddings.db";
/// A full cache evicts one entry in this many, least recently used first.
const EVICTED_SHARE: i64 = 8;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS vectors (
        id     INTEGER PRIMARY KEY,
        key    BLOB NOT NULL UNIQUE,  -- first half of blake3 of the space and the text
        vector BLOB NOT NULL,         -- 8 bits per component, as in an index
        used   INTEGER NOT NULL       -- the day of its last use
    );
    CREATE INDEX IF NOT EXISTS vectors_used ON vectors (used);";

/// Vectors by space and exact text. Any number of processes may share one cache.
#[derive(Debug)]
pub struct EmbeddingCache {
    path: PathBuf,
    max_bytes: u64,
    /// `None` if a damaged cache could not be recreated.
    conn: Mutex<Option<Connection>>,
}

impl EmbeddingCache {
    /// Opens the cache in `directory`, creating both if they are missing.
    pub fn open(directory: &Path, max_bytes: u64) -> Result<Self> {
        // The user may have put the cache on another disk through a link.
        private_files::create_directory(directory, Links::Follow)
            .map_err(|error| StoreError::io("create", directory, error))?;
        let path = directory.join(FILE_NAME);
        let conn = match connect(&path) {
            Err(error) if error.is_damaged() => start_over(&path)?,
            opened => opened?,
        };
        Ok(Self { path, max_bytes, conn: Mutex::new(Some(conn)) })
    }

    /// The vectors of these texts, in order and normalised to length 1; `None` for a text that is not cached.
    pub fn get_many(&self, space: &VectorSpace, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let keys: Vec<TextKey> = texts.iter().map(|text| space.text_key(text)).collect();
        let Some(CachedVectors { vectors, unused }) = self.with(|conn| find(conn, &keys, today())) else {
            return vec![None; texts.len()];
        };
        // A separate step: the vectors are still usable if the disk is full or another process writes for a long time.
        self.with(|conn| mark_used(conn, &unused, today()));
        vectors
    }

    /// Stores these vectors. Existing entries are not changed.
    pub fn put_many<'v>(&self, space: &VectorSpace, entries: impl Iterator<Item = (&'v str, &'v [f32])>) {
        let rows: Vec<(TextKey, Vec<u8>)> = entries
            .map(|(text, vector)| (space.text_key(text), quantize::as_blob(&quantize::to_int8(vector))))
            .collect();
        self.with(|conn| insert(conn, &rows, today()).and_then(|()| evict(conn, self.max_bytes)));
    }

    /// `None` if the cache fails. A damaged cache is replaced; callers need not know.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Option<T> {
        let mut conn = self.lock();
        let error = match work(conn.as_mut()?) {
            Ok(result) => return Some(result),
            Err(error) => store_error(&self.path, error),
        };
        tracing::debug!(%error, "the embedding cache failed");
        if error.is_damaged() {
            // Close it first: Windows cannot delete an open file.
            *conn = None;
            *conn = start_over(&self.path).ok();
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Option<Connection>> {
        lock(&self.conn)
    }
}

fn start_over(path: &Path) -> Result<Connection> {
    tracing::info!(path = %path.display(), "the embedding cache is damaged and will be recreated");
    database_file::remove(path)?;
    connect(path)
}

fn connect(path: &Path) -> Result<Connection> {
    let conn = open_or_create(path)?;
    let prepare = || {
        conn.busy_timeout(BUSY_TIMEOUT)?;
        keep_write_ahead_log(&conn)?;
        conn.execute_batch(SCHEMA)
    };
    prepare().map_err(|error| store_error(path, error))?;
    Ok(conn)
}

fn today() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| (elapsed.as_secs() / 86_400) as i64)
}

/// The cached vectors of some texts.
struct CachedVectors {
    /// In the order of the texts.
    vectors: Vec<Option<Vec<f32>>>,
    /// The entries that were not yet used today.
    unused: Vec<i64>,
}

fn find(conn: &Connection, keys: &[TextKey], today: i64) -> rusqlite::Result<CachedVectors> {
    let (mut vectors, mut unused) = (Vec::with_capacity(keys.len()), Vec::new());
    let mut select = conn.prepare_cached("SELECT id, vector, used FROM vectors WHERE key = ?")?;
    for key in keys {
        let found: Option<(i64, Vec<u8>, i64)> =
            select.query_row([key.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
        unused.extend(found.as_ref().filter(|(_, _, used)| *used < today).map(|(id, ..)| *id));
        vectors.push(found.map(|(_, blob, _)| quantize::to_unit_f32(&quantize::from_blob(&blob))));
    }
    Ok(CachedVectors { vectors, unused })
}

/// Updates an entry at most once a day, so that most lookups do not write.
fn mark_used(conn: &mut Connection, ids: &[i64], today: i64) -> rusqlite::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut update = tx.prepare_cached("UPDATE vectors SET used = ? WHERE id = ?")?;
        ids.iter().try_for_each(|id| update.execute([today, *id]).map(drop))?;
    }
    tx.commit()
}

fn insert(conn: &mut Connection, rows: &[(TextKey, Vec<u8>)], today: i64) -> rusqlite::Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert =
            tx.prepare_cached("INSERT OR IGNORE INTO vectors (key, vector, used) VALUES (?, ?, ?)")?;
        rows.iter().try_for_each(|(key, vector)| insert.execute((key.0, vector, today)).map(drop))?;
    }
    tx.commit()
}

fn evict(conn: &Connection, max_bytes: u64) -> rusqlite::Result<()> {
    let number = |pragma: &str| conn.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
    let used_pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    if used_pages * number("page_size")? <= max_bytes {
        return Ok(());
    }
    let mut delete = conn.prepare_cached(
        "DELETE FROM vectors WHERE id IN
             (SELECT id FROM vectors ORDER BY used, id LIMIT (SELECT count(*) / ? + 1 FROM vectors))",
    )?;
    delete.execute([EVICTED_SHARE]).map(drop)
}
