//! Locks by role: advisory locks on one connection, which the process keeps open for them. The server releases them when that
//! connection ends, however the process ended.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use super::pool::Pool;
use super::rows::key_of;
use super::session::{Param, Session};
use crate::contract::{LockGuard, LockRole, Result, WhenHeld};
use crate::file_lock::UNKNOWN_HOLDER;
use crate::{StoreError, process_label};
use vectorcode_core::lock;

/// A wait inside the server could not be cancelled, so locks are polled at this interval.
const POLL: Duration = Duration::from_millis(50);

/// The locks that this process holds in one database.
#[derive(Debug, Default)]
struct HeldLocks {
    session: Option<Session>,
    /// The number of connections so far. Each starts without the locks of the previous one.
    connections: u64,
    /// A connection may take its own lock twice, so this process has to know which ones it holds.
    keys: BTreeSet<i64>,
}

type HeldByDatabase = Vec<(String, Arc<Mutex<HeldLocks>>)>;

/// The locks that this process holds in all databases.
static HELD: LazyLock<Mutex<HeldByDatabase>> = LazyLock::new(Mutex::default);

fn held_in(pool: &Pool) -> Arc<Mutex<HeldLocks>> {
    let place = pool.address().to_string();
    let mut all = lock(&HELD);
    if let Some((_, held)) = all.iter().find(|(known, _)| *known == place) {
        return held.clone();
    }
    let held = Arc::<Mutex<HeldLocks>>::default();
    all.push((place, held.clone()));
    held
}

/// A held lock.
#[derive(Debug)]
struct AdvisoryLock {
    held: Arc<Mutex<HeldLocks>>,
    key: i64,
    connection: u64,
}

impl LockGuard for AdvisoryLock {
    fn is_held(&self) -> bool {
        let held = lock(&self.held);
        held.connections == self.connection
            && held.session.as_ref().is_some_and(|session| !session.is_closed())
    }
}

impl Drop for AdvisoryLock {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        held.keys.remove(&self.key);
        let params: [Param<'_>; 1] = [&self.key];
        let released =
            held.session.as_mut().map(|session| session.query("SELECT pg_advisory_unlock($1)", &params));
        // A lost connection has released its locks already. A connection that is not needed any longer is closed.
        if held.keys.is_empty() || matches!(released, Some(Err(_))) {
            held.session = None;
        }
    }
}

pub(super) fn key(project: i64, checkout: i64, role: LockRole) -> i64 {
    key_of(&format!("lock {project} {checkout} {role:?}"))
}

pub(super) fn acquire(pool: &Pool, key: i64, when_held: WhenHeld<'_>) -> Result<Box<dyn LockGuard>> {
    let held = held_in(pool);
    loop {
        if let Some(connection) = pool.retrying(|| try_acquire(pool, &mut lock(&held), key))? {
            return Ok(Box::new(AdvisoryLock { held, key, connection }));
        }
        match when_held {
            WhenHeld::Wait(cancel) if !cancel.is_cancelled() => std::thread::sleep(POLL),
            _ => {
                let holder = holder(pool, key).unwrap_or_else(|| UNKNOWN_HOLDER.into());
                return Err(StoreError::locked(&holder));
            }
        }
    }
}

/// The number of the connection that took the lock; `None` if another process, or another thread of this one, holds it.
fn try_acquire(pool: &Pool, held: &mut HeldLocks, key: i64) -> Result<Option<u64>> {
    if held.keys.contains(&key) {
        return Ok(None);
    }
    let mut session = match held.session.take().filter(|session| !session.is_closed()) {
        Some(session) => session,
        None => reconnect(pool, held)?,
    };
    let is_taken = try_lock(&mut session, key)?;
    // A connection that failed is not put back: the next attempt opens a new one.
    held.session = Some(session);
    if is_taken {
        held.keys.insert(key);
    }
    Ok(is_taken.then_some(held.connections))
}

/// Reconnects after a restart of the server and takes the locks again that this process still relies on. Another process may have
/// taken one of them first. That loses no data: every write locks its manifest, so two writers take turns.
fn reconnect(pool: &Pool, held: &mut HeldLocks) -> Result<Session> {
    let mut session = pool.connect()?;
    held.connections += 1;
    for key in &held.keys {
        if !try_lock(&mut session, *key)? {
            tracing::warn!("a lock was lost with its connection and is now held by another process");
        }
    }
    Ok(session)
}

fn try_lock(session: &mut Session, key: i64) -> Result<bool> {
    let params: [Param<'_>; 1] = [&key];
    Ok(session.query_one("SELECT pg_try_advisory_lock($1)", &params)?.get(0))
}

/// The process that holds a lock right now.
pub(super) fn holder(pool: &Pool, key: i64) -> Option<String> {
    if lock(&held_in(pool)).keys.contains(&key) {
        return Some(process_label());
    }
    let (high, low) = ((key >> 32) as u32, key as u32);
    let found = pool.run(|session| {
        let params: [Param<'_>; 2] = [&high, &low];
        session.query(
            "SELECT a.application_name, host(a.client_addr) FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
             WHERE l.locktype = 'advisory' AND l.classid = $1 AND l.objid = $2 AND l.objsubid = 1 AND l.granted
                 AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            &params,
        )
    });
    let rows = found.ok()?;
    let row = rows.first()?;
    let name: Option<String> = row.get(0);
    let host: Option<String> = row.get(1);
    let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| UNKNOWN_HOLDER.into());
    Some(host.map_or_else(|| name.clone(), |host| format!("{name} at {host}")))
}
