//! Opens, configures and checks database connections, and shares them between threads.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};
use vectorcode_core::{canonical, lock, private_files};

use super::change_log;
use super::database_file::{FileIdentity, has_log, with_suffix};
use super::error::store_error;
use super::schema;
use super::tree_scope::TreeScope;
use crate::contract::Result;
use crate::index::row_bitmap::MAX_ROW;
use crate::{StoreError, StoreErrorCode};

/// How long a statement waits for another process's transaction.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const BUSY_PAUSE: Duration = Duration::from_millis(5);
const STATEMENT_CACHE: usize = 64;
/// More threads may read at once, but only this many idle connections stay open.
const MAX_IDLE_CONNECTIONS: usize = 4;
/// For each connection. Chunks, which searches read most, are cached once for all connections (`chunk_cache`).
const READER_CACHE_KIB: i64 = 2 * 1024;
const WRITER_CACHE_KIB: i64 = 32 * 1024;
/// A bulk write checkpoints every 32 MiB of log instead of every 8.
const WAL_AUTOCHECKPOINT_PAGES: i64 = 4096;
/// The log is truncated to this size after a checkpoint.
const WAL_SIZE_LIMIT_BYTES: i64 = 16 * 1024 * 1024;
/// Chunks of a kilobyte and blocks of vectors fill pages of this size better than SQLite's default of 4 KiB.
const PAGE_SIZE: i64 = 8192;

/// Opens the file for writing, creating it if it is missing.
pub(crate) fn connect_writer(path: &Path) -> Result<Connection> {
    let conn = open_or_create(path)?;
    set_up_writer(&conn).map_err(|error| store_error(path, error))?;
    Ok(conn)
}

/// Opens a database file for writing. A missing file is created with access for this user only, because it contains source code.
/// SQLite gives its log the same mode.
pub(crate) fn open_or_create(path: &Path) -> Result<Connection> {
    // Only a missing file is created here. Opening and closing an existing one would drop SQLite's locks on it.
    match private_files::create_new(path, b"") {
        Err(error)
            if error.kind() != std::io::ErrorKind::AlreadyExists
                && path.parent().is_some_and(Path::exists) =>
        {
            return Err(StoreError::io("create", path, error));
        }
        _ => {}
    }
    private_files::restrict(path);
    open_without_links(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// Does not follow links: a repository may have put them there so that another file is read or written.
fn open_without_links(path: &Path, flags: OpenFlags) -> Result<Connection> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let path = with_suffix(path, suffix);
        private_files::check(&path).map_err(|error| StoreError::io("open", &path, error))?;
    }
    let flags = flags | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let file = resolved(path);
    let opened = if flags.contains(OpenFlags::SQLITE_OPEN_URI) {
        Connection::open_with_flags(immutable_uri(&file), flags)
    } else {
        Connection::open_with_flags(file, flags)
    };
    opened.map_err(|error| store_error(path, error))
}

/// SQLite rejects a link anywhere in a path, but only the last component matters here: `/tmp` is a link on macOS.
fn resolved(path: &Path) -> PathBuf {
    let place = || Some(canonical(path.parent()?).ok()?.join(path.file_name()?));
    place().unwrap_or_else(|| path.to_path_buf())
}

fn set_up_writer(conn: &Connection) -> rusqlite::Result<()> {
    set_up(conn)?;
    // SQLite accepts these two settings only while the file is empty.
    conn.pragma_update(None, "page_size", PAGE_SIZE)?;
    conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    keep_write_ahead_log(conn)?;
    // Checking foreign keys would cost a lookup of the parent row for each inserted row. Code that deletes a parent also deletes
    // its children.
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    conn.pragma_update(None, "wal_autocheckpoint", WAL_AUTOCHECKPOINT_PAGES)?;
    conn.pragma_update(None, "journal_size_limit", WAL_SIZE_LIMIT_BYTES)
}

/// Turns on WAL mode, in which readers are not blocked by a writer. If two processes do this to a new file at once, SQLite
/// rejects one of them immediately, regardless of the timeout.
pub(crate) fn keep_write_ahead_log(conn: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match conn.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                thread::sleep(BUSY_PAUSE);
            }
            result => break result?,
        }
    }
    conn.pragma_update(None, "synchronous", "NORMAL")
}

fn set_up(conn: &Connection) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // Without this guarantee, a plan may depend on the values bound to it, and a cached statement is compiled again when it gets
    // new values.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")
}

/// Opens the file for reading, in the most capable way that the directory permits.
fn connect_reader(path: &Path, scope: &TreeScope) -> Result<Connection> {
    // A reader of a WAL database writes to its shared-memory file, so opening it read-only is the second choice.
    let shared = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let first = match try_reader(path, shared, scope) {
        Ok(conn) => return Ok(conn),
        Err(error) => error,
    };
    if first.code() == StoreErrorCode::ReadOnly {
        if let Ok(conn) = try_reader(path, read_only, scope) {
            return Ok(conn);
        }
        if !has_log(path) {
            return try_reader(path, read_only | OpenFlags::SQLITE_OPEN_URI, scope);
        }
    }
    Err(first)
}

fn try_reader(path: &Path, flags: OpenFlags, scope: &TreeScope) -> Result<Connection> {
    let conn = open_without_links(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    let prepare = || {
        set_up(&conn)?;
        // This must come before `query_only`, which forbids even the creation of a view.
        scope.apply(&conn)?;
        conn.pragma_update(None, "query_only", true)?;
        conn.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
        // The first statement that reads the file: only now is it known whether the file is readable.
        schema::version(&conn)
    };
    prepare().map_err(|error| store_error(path, error))?;
    Ok(conn)
}

/// No shared-memory file can be created in a read-only directory. Nobody can write there either, so the file can be read as
/// immutable.
fn immutable_uri(path: &Path) -> PathBuf {
    let escaped = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    PathBuf::from(format!("file:{escaped}?immutable=1"))
}

/// Read connections to one file. Each is used by one thread at a time.
#[derive(Debug)]
pub(crate) struct ConnectionPool {
    path: PathBuf,
    scope: TreeScope,
    idle: Mutex<Idle>,
}

#[derive(Debug)]
struct Idle {
    identity: FileIdentity,
    connections: Vec<Connection>,
}

impl ConnectionPool {
    /// Opens a pool whose connections see the files of `scope`.
    pub fn open(path: &Path, scope: TreeScope) -> Result<Self> {
        let identity = FileIdentity::of(path)?;
        let conn = connect_reader(path, &scope)?;
        if check(path, &conn)? < *schema::KNOWN.end() {
            migrate(path)?;
        }
        Ok(Self { path: path.into(), scope, idle: Mutex::new(Idle { identity, connections: vec![conn] }) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The maximum size of the page caches of all idle connections.
    pub fn cache_bytes(&self) -> usize {
        self.idle.try_lock().map_or(0, |idle| idle.connections.len() * READER_CACHE_KIB as usize * 1024)
    }

    /// Closes idle connections.
    pub fn shrink(&self) {
        self.idle().connections.clear();
    }

    /// Whether the file at the path was replaced since the last call. If so, connections to the old file are closed.
    pub fn check_replaced(&self) -> Result<bool> {
        let identity = FileIdentity::of(&self.path)?;
        let mut idle = self.idle();
        let replaced = idle.identity != identity;
        if replaced {
            *idle = Idle { identity, connections: Vec::new() };
        }
        Ok(replaced)
    }

    /// Runs `work` in one read transaction, so that all of its statements see the same state.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> std::result::Result<T, ReadFailure>,
    ) -> Result<T> {
        let (identity, conn) = self.take()?;
        let result = in_transaction(&conn, work);
        if result.is_ok() {
            self.give_back(identity, conn);
        }
        result.map_err(|failure| match failure {
            ReadFailure::Statement(error) => store_error(&self.path, error),
            ReadFailure::Refused(error) => error,
        })
    }

    /// Runs `work` with two connections whose transactions see the same state, for use on two threads. If a writer committed in
    /// between, or if no second connection is available, `work` gets only the first.
    pub fn read_by_two<T>(
        &self,
        work: impl FnOnce(&Connection, Option<&mut Connection>) -> std::result::Result<T, ReadFailure>,
    ) -> Result<T> {
        let Ok((identity, mut second)) = self.take() else { return self.read(|first| work(first, None)) };
        let result = self.read(|first| {
            second.execute_batch("BEGIN")?;
            let is_same = change_log::last(first)? == change_log::last(&second)?;
            let result = work(first, is_same.then_some(&mut second))?;
            second.execute_batch("COMMIT")?;
            Ok(result)
        });
        if result.is_ok() {
            self.give_back(identity, second);
        }
        result
    }

    fn take(&self) -> Result<(FileIdentity, Connection)> {
        let mut idle = self.idle();
        let (identity, taken) = (idle.identity, idle.connections.pop());
        drop(idle);
        let conn = match taken {
            Some(conn) => conn,
            None => connect_reader(&self.path, &self.scope)?,
        };
        Ok((identity, conn))
    }

    fn give_back(&self, identity: FileIdentity, conn: Connection) {
        let mut idle = self.idle();
        if idle.identity == identity && idle.connections.len() < MAX_IDLE_CONNECTIONS {
            idle.connections.push(conn);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        lock(&self.idle)
    }
}

/// Cheap checks that a file is a complete index of ours: a few reads, whatever its size. Damage inside is found by the statement
/// that encounters it. Returns the schema version.
fn check(path: &Path, conn: &Connection) -> Result<i64> {
    let read = || -> rusqlite::Result<(i32, i64, u64, u64)> {
        let number = |pragma: &str| conn.pragma_query_value(None, pragma, |row| row.get::<_, u64>(0));
        let application = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
        Ok((application, schema::version(conn)?, number("page_count")?, number("page_size")?))
    };
    let (application, version, pages, page_size) = read().map_err(|error| store_error(path, error))?;
    if application != schema::APPLICATION_ID || version < 1 {
        return Err(StoreError::damaged(path));
    }
    if version < *schema::KNOWN.start() {
        return Err(unreleased_schema(path, version));
    }
    if version > *schema::KNOWN.end() {
        return Err(newer_schema(path, version));
    }
    let last_row: Option<i64> = conn
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'chunk_rows'", [], |row| row.get(0))
        .optional()
        .map_err(|error| store_error(path, error))?;
    if last_row.is_some_and(|row| !(0..=MAX_ROW).contains(&row)) {
        return Err(StoreError::damaged(path));
    }
    // While there is a log, the last pages may only be in the log.
    let expected = pages.saturating_mul(page_size);
    let truncated = path.metadata().is_ok_and(|file| file.len() < expected) && !has_log(path);
    if truncated { Err(StoreError::damaged(path)) } else { Ok(version) }
}

/// Migrates an older schema. SQLite's own lock is sufficient for this, because it is a single transaction.
fn migrate(path: &Path) -> Result<()> {
    let mut conn = connect_writer(path)?;
    schema::migrate(&mut conn).map_err(|error| store_error(path, error))
}

/// Reported as damage, so that an index run rebuilds the index.
fn unreleased_schema(path: &Path, found: i64) -> StoreError {
    let message = format!(
        "the index {} has schema {found}, which no release of vectorcode has used; it has to be rebuilt",
        path.display()
    );
    StoreError::new(StoreErrorCode::Damaged, message)
}

fn newer_schema(path: &Path, found: i64) -> StoreError {
    let message = format!(
        "the index {} has schema {found}, written by a newer vectorcode; this one supports schemas up to {}",
        path.display(),
        schema::KNOWN.end()
    );
    StoreError::new(StoreErrorCode::NewerSchema, message)
}

/// Why a read failed.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    /// A statement failed.
    Statement(rusqlite::Error),
    /// The request does not fit the index.
    Refused(StoreError),
}

impl From<rusqlite::Error> for ReadFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Statement(error)
    }
}

fn in_transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&Connection) -> std::result::Result<T, ReadFailure>,
) -> std::result::Result<T, ReadFailure> {
    let tx = conn.unchecked_transaction()?;
    let result = work(&tx)?;
    tx.finish()?;
    Ok(result)
}
