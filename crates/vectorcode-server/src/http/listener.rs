//! Accepts connections, limits their number and the time for sending headers, and shuts down gracefully.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::{MAX_CONNECTIONS, MAX_HEADER_BYTES};

/// Without it, a client that sends its headers byte by byte would hold a connection for ever.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// How long connections may take to close after their requests have been answered.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failed accept, which usually means that the process has run out of file descriptors.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Serves connections until `stop` returns. After that no new ones are accepted, and open ones are closed after their current
/// request. `finish` returns when the server should no longer wait for requests.
pub(crate) async fn accept(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()>,
    finish: impl Future<Output = ()>,
) {
    let open = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = next(&listener, &slots) => accepted,
            () = &mut stop => break,
        };
        match accepted {
            Ok((stream, slot)) => {
                let connection = open.watch(connection(stream, router.clone()));
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::debug!(%error, "a connection ended early");
                    }
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY).await;
            }
        }
    }
    drop(listener);
    let patience = async {
        finish.await;
        tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
    };
    tokio::select! {
        () = open.shutdown() => {}
        () = patience => tracing::debug!("some connections were still open at shutdown"),
    }
}

/// Waits for a free slot first: connections beyond the limit stay in the operating system's queue.
async fn next(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, slot))
}

fn connection(
    stream: TcpStream,
    router: Router,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<Router>> {
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}
