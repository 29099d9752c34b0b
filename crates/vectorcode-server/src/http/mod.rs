//! The HTTP server that all faces share: where it listens, who may ask, and how it ends.

mod guard;
mod headers;
mod limits;
mod listener;
mod page;
mod problem;
mod rest;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use tokio::net::TcpListener;
use vectorcode_core::config::Secret;
use vectorcode_engine::Engine;

use crate::backend::Backend;
use crate::{ServerError, lifetime, mcp, runtime};
use guard::Guard;

/// Where and for whom to serve.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// Required on every request when set; must be set when others can reach the address.
    pub token: Option<Secret>,
}

/// Serves the web page, the REST API, and MCP at `/mcp`, until the system asks to end. `ready` gets the address once
/// it listens.
pub fn serve_http(
    engine: Arc<Engine>,
    http: &HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServerError> {
    let guard = Guard::new(http)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let told_to_end = lifetime::told_to_end();
        let listener = TcpListener::bind(http.address)
            .await
            .map_err(|source| ServerError::Listen { address: http.address, source })?;
        let backend = Backend::start(engine)?;
        ready(listener.local_addr().unwrap_or(http.address));
        let stop = async {
            told_to_end.await;
            // Open event streams end with this, so that their connections can close.
            backend.ending().cancel();
        };
        listener::accept(listener, router(&backend, guard), stop).await;
        backend.stop();
        Ok(())
    });
    runtime.shutdown_background();
    served
}

fn router(backend: &Arc<Backend>, guard: Guard) -> Router {
    let guard = Arc::new(guard);
    let private = Router::new()
        .nest_service("/mcp", mcp::service(backend))
        .merge(rest::routes(backend))
        .layer(from_fn(guard::read_body))
        .layer(from_fn_with_state(guard.clone(), guard::ask_for_token));
    Router::new()
        .merge(private)
        .merge(page::routes())
        .fallback(rest::not_found)
        .method_not_allowed_fallback(rest::method_not_allowed)
        .layer(from_fn_with_state(guard, guard::check))
        .layer(map_response(headers::add))
}
