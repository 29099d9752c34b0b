//! The connections of a process to one database, shared by all of its projects.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use vectorcode_core::lock;

use super::address::Address;
use super::error::is_worth_a_retry;
use super::schema;
use super::session::Session;
use crate::contract::Result;

/// A server runs four calls in the engine at a time, and a call across projects queries several projects at once.
const MAX_CONNECTIONS: usize = 12;
/// How long a call is retried while the server restarts or a standby is promoted.
const RETRY_FOR: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Pool {
    address: Address,
    sessions: Mutex<Sessions>,
    freed: Condvar,
    /// The number of transactions that this process has committed. What it cached before the latest may be out of date.
    written: AtomicU64,
    is_migrated: Mutex<bool>,
}

#[derive(Debug, Default)]
struct Sessions {
    idle: Vec<Session>,
    used: usize,
}

impl Pool {
    /// The pool for a URL. Projects with the same URL share it.
    pub fn of(url: &str) -> Result<Arc<Self>> {
        static POOLS: LazyLock<Mutex<HashMap<String, Arc<Pool>>>> = LazyLock::new(Mutex::default);
        let mut pools = lock(&POOLS);
        if let Some(pool) = pools.get(url) {
            return Ok(pool.clone());
        }
        let pool = Arc::new(Self {
            address: Address::parse(url)?,
            sessions: Mutex::default(),
            freed: Condvar::new(),
            written: AtomicU64::new(0),
            is_migrated: Mutex::default(),
        });
        pools.insert(url.to_owned(), pool.clone());
        Ok(pool)
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Acquire)
    }

    pub fn count_write(&self) {
        self.written.fetch_add(1, Ordering::AcqRel);
    }

    /// Runs `work` with a connection. If the connection is lost, `work` is repeated with another one: every call of the contract
    /// is one transaction and can be repeated.
    pub fn run<T>(&self, mut work: impl FnMut(&mut Session) -> Result<T>) -> Result<T> {
        self.retrying(|| {
            let _place = self.take_place();
            let mut session = self.session()?;
            self.migrated(&mut session)?;
            let result = work(&mut session)?;
            // Only on success: after an error the connection is closed, which is simpler than determining the state of its
            // transaction.
            self.keep(session);
            Ok(result)
        })
    }

    /// Retries while the server restarts or a standby is promoted. If the server was never reached, the error is returned at once.
    pub fn retrying<T>(&self, mut work: impl FnMut() -> Result<T>) -> Result<T> {
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let error = match work() {
                Err(error) if is_worth_a_retry(&error) => error,
                result => return result,
            };
            if !self.has_connected() || began.elapsed() > RETRY_FOR {
                return Err(error);
            }
            tracing::warn!(%error, "trying again");
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Creates the tables on first use, and checks their version.
    fn migrated(&self, session: &mut Session) -> Result<()> {
        let mut done = lock(&self.is_migrated);
        if !*done {
            schema::migrate(session)?;
            *done = true;
        }
        Ok(())
    }

    fn has_connected(&self) -> bool {
        *lock(&self.is_migrated)
    }

    /// Opens a connection outside the pool, whose locks live as long as it does.
    pub fn connect(&self) -> Result<Session> {
        Session::connect(&self.address)
    }

    /// Waits until fewer than [`MAX_CONNECTIONS`] are in use.
    fn take_place(&self) -> TakenPlace<'_> {
        let mut sessions = lock(&self.sessions);
        while sessions.used >= MAX_CONNECTIONS {
            sessions = self.freed.wait(sessions).unwrap_or_else(PoisonError::into_inner);
        }
        sessions.used += 1;
        TakenPlace(self)
    }

    fn session(&self) -> Result<Session> {
        let idle = || lock(&self.sessions).idle.pop();
        let open = std::iter::from_fn(idle).find(|session| !session.is_closed());
        open.map_or_else(|| self.connect(), Ok)
    }

    fn keep(&self, session: Session) {
        // All connections are kept: a new one costs the server a process, and its first statements have to be planned again.
        lock(&self.sessions).idle.push(session);
    }
}

/// A slot for a connection in use. It is freed on a panic, too.
struct TakenPlace<'p>(&'p Pool);

impl Drop for TakenPlace<'_> {
    fn drop(&mut self) {
        lock(&self.0.sessions).used -= 1;
        self.0.freed.notify_one();
    }
}
