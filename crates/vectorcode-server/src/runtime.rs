//! The async runtime of a server.

use crate::error::ServerError;

/// Two worker threads are enough for protocol frames, because the engine's work runs on the blocking threads.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, ServerError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .thread_name("serve")
        .enable_all()
        .build()
        .map_err(ServerError::Runtime)
}
