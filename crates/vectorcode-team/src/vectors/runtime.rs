//! Runs a transfer. `object_store` is asynchronous and the engine is not, so each transfer gets a small runtime on its own
//! thread, because the caller may itself be on a thread of a server's runtime.

use std::future::Future;
use std::time::Duration;

use vectorcode_core::CancelToken;

use crate::TeamError;

/// How soon a cancelled transfer ends.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Runs the future that `transfer` returns until it is done or the token is cancelled.
pub(crate) fn run<T, F>(cancel: &CancelToken, transfer: impl FnOnce() -> F + Send) -> Result<T, TeamError>
where
    T: Send,
    F: Future<Output = Result<T, TeamError>>,
{
    let on_thread = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(TeamError::Runtime)?;
        let done = runtime.block_on(async {
            tokio::select! {
                done = transfer() => done,
                () = cancelled(cancel) => Err(TeamError::Cancelled),
            }
        });
        // Otherwise it would wait for requests that are still in progress.
        runtime.shutdown_background();
        done
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("transfer".into()).spawn_scoped(scope, on_thread);
        let thread = thread.map_err(TeamError::Runtime)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

async fn cancelled(cancel: &CancelToken) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}
