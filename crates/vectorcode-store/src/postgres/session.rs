//! One database connection with its prepared statements, used by one thread at a time.
//!
//! The contract is synchronous and the client library is asynchronous. One thread drives all connections of the process; a caller
//! blocks until its own result is there. Statements that are sent together share one round trip.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt, try_join_all};
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use super::address::Address;
use super::error::{connect_error, statement_error};
use crate::contract::Result;
use crate::{StoreError, StoreErrorCode, process_label};

/// The settings sent before the first statement of each connection. A statement that runs this long has lost its server.
///
/// Searches read some hundred rows by key, which takes a few milliseconds. With default settings, the server may start a worker
/// process for such a statement, or read a whole table because it assumes the random access times of a spinning disk: 600 vectors
/// took 39 ms instead of 9, and 600 chunks 76 ms instead of 7.
///
/// Generic plans are for a project of average size. The statistics do not yet cover a project that is just being written, so a
/// custom plan for its key expects a single row: it joined every chunk with every file, 15 s per transaction at 30,000 chunks.
const SET_UP: &str = "SET statement_timeout = '10min'; SET idle_in_transaction_session_timeout = '10min'; \
    SET search_path = vectorcode; SET client_min_messages = warning; SET jit = off; \
    SET max_parallel_workers_per_gather = 0; SET random_page_cost = 1.1; SET plan_cache_mode = force_generic_plan; \
    SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3";

/// A value for a placeholder.
pub(super) type Param<'p> = &'p (dyn ToSql + Sync);

/// Drives all connections of the process. It is never dropped, so connections may be dropped anywhere.
static RUNTIME: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("postgres").enable_all().build()
});

pub(super) struct Session {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    /// Names the database in messages, without the password.
    place: String,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("place", &self.place).finish_non_exhaustive()
    }
}

/// One of several statements that are sent together.
pub(super) struct Query<'q> {
    pub sql: &'static str,
    pub params: &'q [Param<'q>],
}

impl Session {
    pub fn connect(address: &Address) -> Result<Self> {
        let runtime = RUNTIME.as_ref().map_err(|error| {
            StoreError::new(StoreErrorCode::Backend, format!("cannot start a thread: {error}"))
        })?;
        let mut config = address.config().clone();
        config.application_name(application_name());
        let tls = address.tls()?;
        let connecting = runtime.spawn(async move {
            let (client, connection) = config.connect(tls).await?;
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection to PostgreSQL ended");
                }
            });
            client.batch_execute(SET_UP).await?;
            Ok::<_, Error>(client)
        });
        let connected =
            wait(connecting).unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        let client = connected.map_err(|error| connect_error(address, error))?;
        Ok(Self { client, statements: HashMap::new(), place: address.to_string() })
    }

    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// The database, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Runs several statements without parameters, in order.
    pub fn batch(&self, sql: &str) -> Result<()> {
        wait(self.client.batch_execute(sql)).map_err(|error| statement_error(&self.place, error))
    }

    /// Ends a read transaction without waiting for the reply, which carries no information.
    pub fn end_reading(&self) {
        let _ = self.client.batch_execute("COMMIT").now_or_never();
    }

    pub fn query(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        Ok(self.pipeline(None, &[Query { sql, params }])?.swap_remove(0))
    }

    /// The single row that the statement must return.
    pub fn query_one(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<Row> {
        let mut rows = self.query(sql, params)?;
        if rows.len() == 1 { Ok(rows.remove(0)) } else { Err(self.damaged()) }
    }

    /// Sends all statements at once, after `first` if given, and returns the rows of each.
    pub fn pipeline(&mut self, first: Option<&str>, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>> {
        self.prepare(queries)?;
        let (client, statements) = (&self.client, &self.statements);
        let first = first.map(|sql| client.batch_execute(sql).map(|done| done.map(|()| Vec::new())).boxed());
        let rest = queries.iter().map(|query| client.query(&statements[query.sql], query.params).boxed());
        let has_first = first.is_some();
        let all: Vec<BoxFuture<'_, std::result::Result<Vec<Row>, Error>>> =
            first.into_iter().chain(rest).collect();
        let mut answers = wait(try_join_all(all)).map_err(|error| statement_error(&self.place, error))?;
        if has_first {
            answers.remove(0);
        }
        Ok(answers)
    }

    fn prepare(&mut self, queries: &[Query<'_>]) -> Result<()> {
        let mut missing: Vec<&'static str> = queries.iter().map(|query| query.sql).collect();
        missing.retain(|sql| !self.statements.contains_key(sql));
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let prepared = wait(try_join_all(missing.iter().map(|sql| self.client.prepare(sql))));
        let prepared = prepared.map_err(|error| statement_error(&self.place, error))?;
        self.statements.extend(missing.into_iter().zip(prepared));
        Ok(())
    }

    /// The error for an impossible value.
    pub fn damaged(&self) -> StoreError {
        super::error::damaged(&self.place)
    }
}

/// PostgreSQL keeps 63 bytes, and the process id is at the end of the label.
fn application_name() -> String {
    const MAX_BYTES: usize = 63;
    let label = process_label();
    let from = label.len().saturating_sub(MAX_BYTES);
    (from..label.len()).find_map(|at| label.get(at..)).unwrap_or_default().to_owned()
}

/// Blocks this thread until the future is ready. Needs no runtime on this thread, so it may be called from anywhere.
pub(super) fn wait<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park_timeout(Duration::from_secs(1)),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
