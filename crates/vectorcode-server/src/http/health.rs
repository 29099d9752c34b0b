//! Endpoints for monitoring: liveness, readiness and metrics.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use vectorcode_core::api::{ProjectState, ProjectsResponse};
use vectorcode_core::lock;

use crate::access::Caller;
use crate::backend::Backend;
use crate::workers::Workers;

/// Anybody may call this, so the result of a check is reused for this long.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// If the store takes longer, it counts as unavailable.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether the server can answer queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readiness {
    Ready,
    /// Works, but there is nothing to search yet.
    Empty,
    /// The first index is being built.
    Building,
    /// No index can be read.
    Unknown,
    /// The server is shutting down.
    Draining,
}

impl Readiness {
    fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Empty => "empty",
            Self::Building => "building",
            Self::Unknown => "unknown",
            Self::Draining => "draining",
        }
    }

    /// A server with nothing to search is in service, because repositories are registered through it.
    fn status(self) -> StatusCode {
        match self {
            Self::Ready | Self::Empty => StatusCode::OK,
            Self::Building | Self::Unknown | Self::Draining => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// The result of the last check.
#[derive(Debug, Default)]
struct CachedReadiness(Mutex<Option<(Instant, Readiness)>>);

/// Routes that need no token and return nothing but a status word.
pub(crate) fn probes(backend: &Arc<Backend>) -> Router {
    let (backend, cached) = (backend.clone(), Arc::new(CachedReadiness::default()));
    let ready = move || {
        let (backend, cached) = (backend.clone(), cached.clone());
        async move { answer(readiness(&backend, &cached).await) }
    };
    Router::new().route("/healthz", get(async || word(StatusCode::OK, "alive"))).route("/readyz", get(ready))
}

/// The metrics route, for callers with a token.
pub(crate) fn metrics(backend: &Arc<Backend>) -> Router {
    Router::new().route("/metrics", get(figures)).with_state(backend.clone())
}

async fn figures(State(backend): State<Arc<Backend>>, Extension(caller): Extension<Caller>) -> Response {
    let projects = backend.figures(&caller).await;
    ([(CONTENT_TYPE, OPEN_METRICS)], backend.metrics().text(&projects)).into_response()
}

fn answer(readiness: Readiness) -> Response {
    word(readiness.status(), readiness.as_str())
}

fn word(status: StatusCode, word: &str) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], format!("{{\"status\":\"{word}\"}}")).into_response()
}

async fn readiness(backend: &Arc<Backend>, cached: &CachedReadiness) -> Readiness {
    if backend.is_draining() {
        return Readiness::Draining;
    }
    let known = *lock(&cached.0);
    if let Some((at, readiness)) = known
        && at.elapsed() < CHECK_INTERVAL
    {
        return readiness;
    }
    let asked = backend.clone();
    let check = Workers::run_blocking_unslotted(move || check(&asked));
    let found = tokio::time::timeout(CHECK_TIMEOUT, check).await;
    let found = found.ok().and_then(Result::ok).unwrap_or(Readiness::Unknown);
    *lock(&cached.0) = Some((Instant::now(), found));
    found
}

/// Checks the start project, which stands for all since they share the store. If it has no index, any other indexed project
/// will do.
fn check(backend: &Backend) -> Readiness {
    let start = backend.start_project();
    if start.engine().is_indexed() {
        match start.engine().index_counts() {
            Ok(counts) if counts.chunks > 0 => return Readiness::Ready,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "the index cannot be read");
                return Readiness::Unknown;
            }
        }
    }
    match start.projects().list() {
        Ok(listed) => of_others(&listed, start.is_building_first_index()),
        Err(error) => {
            tracing::warn!(%error, "the list of projects cannot be read");
            Readiness::Unknown
        }
    }
}

fn of_others(listed: &ProjectsResponse, is_building: bool) -> Readiness {
    let is_ready =
        |state: ProjectState, chunks: Option<u64>| state == ProjectState::Ready && chunks > Some(0);
    if listed.projects.iter().any(|project| is_ready(project.state, project.chunks)) {
        return Readiness::Ready;
    }
    if is_building {
        return Readiness::Building;
    }
    let is_broken = listed.projects.iter().any(|project| project.state == ProjectState::Broken);
    if is_broken { Readiness::Unknown } else { Readiness::Empty }
}
