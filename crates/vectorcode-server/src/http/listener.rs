//! Connections: how many at once, how long a sender may take over its headers, and an orderly end.

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

const MOST_CONNECTIONS: usize = 256;
const HEADER_PATIENCE: Duration = Duration::from_secs(10);
/// How long open requests may go on once the server is to end.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// A pause after a failed accept, which mostly means that the process has no more file handles.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Serves connections until `stop` returns.
pub(crate) async fn accept(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let open = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
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
    if tokio::time::timeout(LAST_WORDS, open.shutdown()).await.is_err() {
        tracing::debug!("some connections were still open at the end");
    }
}

/// Waits for a free slot first: connections beyond the limit stay with the system until there is one.
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
        .header_read_timeout(HEADER_PATIENCE)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}
