//! The REST API: one table of operations, each in its own file. To add one: a file with its [`Operation`] and a
//! line in [`ALL`]; its route and its part of the OpenAPI document follow.

mod about;
mod codevec;
mod context;
mod events;
mod file;
mod graph;
mod index;
mod input;
mod markup;
mod openapi;
mod operation;
mod projects;
mod search;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use tokio::sync::Semaphore;

use self::operation::{Call, Operation, Reply};
use super::limits;
use super::problem::Problem;
use crate::arguments::Arguments;
use crate::backend::Backend;

/// All operations, in the order in which the document shows them.
const ALL: [&Operation; 19] = [
    &search::SEARCH,
    &search::SEARCH_POST,
    &search::SIMILAR,
    &search::SIMILAR_POST,
    &file::FILE,
    &graph::GRAPH,
    &graph::SYMBOLS,
    &context::LIST,
    &context::SEARCH,
    &projects::LIST,
    &status::STATUS,
    &index::STATE,
    &index::START,
    &index::CANCEL,
    &events::EVENTS,
    &about::HEALTH,
    &about::ABOUT,
    &codevec::QUERY,
    &codevec::INDEX,
];

/// An operation of one server.
struct Served {
    operation: &'static Operation,
    backend: Arc<Backend>,
}

pub(crate) fn routes(backend: &Arc<Backend>) -> Router {
    let routes = ALL.iter().fold(Router::new(), |router, operation| {
        let served = Arc::new(Served { operation, backend: backend.clone() });
        let handler = move |request: Request| answer(served.clone(), request);
        router.route(operation.path, on(operation.input.method(), handler))
    });
    let routes = routes.merge(openapi::route(backend));
    let slots = Arc::new(Semaphore::new(limits::MOST_REQUESTS));
    routes.layer(from_fn_with_state(slots, limits::admit))
}

async fn answer(served: Arc<Served>, request: Request) -> Response {
    served.respond(request).await.map_or_else(IntoResponse::into_response, IntoResponse::into_response)
}

impl Served {
    async fn respond(&self, request: Request) -> Result<Reply, Problem> {
        let (given, notation) = input::read(self.operation.input, request).await?;
        let known = (self.operation.arguments)(&self.backend.engine().config().search);
        let arguments = Arguments::check(&known, given, notation)?;
        let work = (self.operation.call)(Call { backend: self.backend.clone(), arguments });
        match self.operation.patience.limit() {
            None => work.await,
            Some(limit) => tokio::time::timeout(limit, work).await.map_err(|_| {
                let message = format!("There was no answer within {} seconds.", limit.as_secs());
                Problem::new(StatusCode::GATEWAY_TIMEOUT, message, None)
            })?,
        }
    }
}

pub(crate) async fn not_found() -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        "There is nothing at this path.",
        "GET /api/openapi.json lists what there is.",
    )
}

pub(crate) async fn method_not_allowed() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "This path does not take this method.",
        "The Allow header names those that it takes.",
    )
}
