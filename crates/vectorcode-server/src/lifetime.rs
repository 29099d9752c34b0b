//! When a server has to end besides its client saying so.

use std::time::Duration;

#[cfg(unix)]
const PARENT_POLL: Duration = Duration::from_secs(1);

/// Returns on Ctrl-C or a request of the system to end.
pub(crate) async fn told_to_end() {
    tokio::select! {
        () = interrupted() => {}
        () = terminated() => {}
    }
}

/// Returns when the process that started this one is gone. Its end of our stdin usually closes with it, but not
/// when some other process has inherited that end.
#[cfg(unix)]
pub(crate) async fn parent_gone() {
    let parent = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == parent {
        tokio::time::sleep(PARENT_POLL).await;
    }
}

#[cfg(not(unix))]
pub(crate) async fn parent_gone() {
    // Handles are not inherited by accident here: stdin closes with the parent.
    std::future::pending().await
}

async fn interrupted() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::debug!(%error, "Ctrl-C cannot be caught");
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(error) => {
            tracing::debug!(%error, "SIGTERM cannot be caught");
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}
