//! The HTTP server: the web page, the REST API and MCP on one address, behind one access check.

mod admission;
mod guard;
mod headers;
mod listener;
mod options;
mod page;
mod problem;
mod rest;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use tokio::net::TcpListener;
use vectorcode_engine::Engine;

use crate::backend::Backend;
use crate::error::ServerError;
use crate::runtime::runtime;
use crate::{hints, lifetime, mcp};
use guard::Guard;
pub use options::HttpOptions;

/// Serves the web page, the REST API, and MCP at `/mcp`, until the process is asked to terminate. `ready` gets the
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
        let stop = async {
            shutdown_signal.await;
            // Ends open event streams, so that their connections can close.
            backend.shutdown().cancel();
        };
        tokio::select! {
            () = listener::accept(listener, router(&backend, guard, http.default_project), stop) => {}
            () = hints::serve(&backend) => {}
        }
        backend.stop();
        Ok(())
    });
    runtime.shutdown_background();
    served
}

fn router(backend: &Arc<Backend>, guard: Guard, default_project: mcp::DefaultProject) -> Router {
    let guard = Arc::new(guard);
    let private = Router::new()
        .nest_service("/mcp", mcp::service(backend, default_project))
        .merge(rest::routes(backend))
        .layer(from_fn(guard::read_body))
        .layer(from_fn_with_state(guard.clone(), guard::check_token));
    Router::new()
        .merge(private)
        .merge(page::routes())
        .fallback(rest::not_found)
        .method_not_allowed_fallback(rest::method_not_allowed)
        .layer(from_fn_with_state(guard, guard::check))
        .layer(map_response(headers::add))
}
