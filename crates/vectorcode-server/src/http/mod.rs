//! The HTTP server: the web page, the REST API and MCP on one address, behind one access check.

mod admission;
mod body;
mod guard;
mod headers;
mod health;
mod listener;
mod mcp_routes;
mod observe;
mod open_body;
mod options;
mod page;
mod problem;
mod rest;
mod webhook;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn_with_state, map_response};
use tokio::net::TcpListener;
use vectorcode_engine::Engine;

use crate::backend::Backend;
use crate::error::ServerError;
use crate::runtime::runtime;
use crate::{hints, lifetime};
use guard::Guard;
pub(crate) use open_body::holding;
pub use options::HttpOptions;
pub(crate) use problem::Problem;
pub use webhook::Webhook;

/// Serves the web page, the REST API, and MCP at `/mcp`, until the process is asked to terminate. `ready` is called with the
/// address once the server listens.
pub fn serve_http(
    engine: Arc<Engine>,
    http: &HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServerError> {
    let guard = Guard::new(http, &engine.config().server)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let shutdown_signal = lifetime::shutdown_signal();
        let listener = TcpListener::bind(http.address)
            .await
            .map_err(|source| ServerError::Listen { address: http.address, source })?;
        let backend = Backend::start(engine)?;
        ready(listener.local_addr().unwrap_or(http.address));
        let settings = backend.start_project().engine().config().server.clone();
        let stop = async {
            shutdown_signal.await;
            tracing::info!("the server was told to stop");
            backend.start_draining();
            unless_told_again(tokio::time::sleep(Duration::from_secs(settings.drain_delay_secs))).await;
        };
        let finish = async {
            unless_told_again(backend.drained(Duration::from_secs(settings.drain_secs))).await;
            // Ends event streams and sessions, so that their connections can close.
            backend.shutdown().cancel();
        };
        let guard = Arc::new(guard);
        tokio::spawn(guard::end_revoked(guard.clone(), backend.shutdown().clone()));
        let router = router(&backend, guard, http);
        tokio::select! {
            () = listener::accept(listener, router, stop, finish) => {}
            () = hints::serve(&backend) => {}
        }
        backend.stop();
        Ok(())
    });
    runtime.shutdown_background();
    served
}

/// Waits, unless a second signal arrives.
async fn unless_told_again(wait: impl Future<Output = ()>) {
    tokio::select! {
        () = wait => {}
        () = lifetime::shutdown_signal() => {}
    }
}

fn router(backend: &Arc<Backend>, guard: Arc<Guard>, http: &HttpOptions) -> Router {
    let private = Router::new()
        .nest_service("/mcp", mcp_routes::routes(backend, http.default_project))
        .merge(rest::routes(backend))
        .merge(health::metrics(backend))
        .layer(from_fn_with_state(body::large_body_slots(), body::read))
        .layer(from_fn_with_state(guard.clone(), guard::check_token));
    Router::new()
        .merge(private)
        .merge(page::routes())
        .merge(health::probes(backend))
        .merge(http.webhook.clone().map(webhook::route).unwrap_or_default())
        .fallback(rest::not_found)
        .method_not_allowed_fallback(rest::method_not_allowed)
        .layer(from_fn_with_state(guard, guard::check))
        .layer(map_response(headers::add))
        .layer(from_fn_with_state(backend.clone(), observe::observe))
}
