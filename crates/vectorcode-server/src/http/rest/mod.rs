//! The REST API. `operations` lists the operations, one file for each group. Routes and the OpenAPI document are generated from
//! that list.

mod about;
mod codevec;
mod context;
mod events;
mod file;
mod graph;
mod history;
mod index;
mod input;
mod markup;
mod openapi;
mod operation;
mod operations;
mod overview;
mod projects;
mod references;
mod search;
mod status;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::on;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use self::operation::{Operation, OperationCall, OperationSubject, Reply};
use super::problem::Problem;
use super::{admission, guard};
use crate::access::Caller;
use crate::arguments::{PROJECT, REF};
use crate::backend::Backend;
use crate::served_project::ServedProject;

pub(crate) fn routes(backend: &Arc<Backend>) -> Router {
    let routes = operations::ALL.iter().fold(Router::new(), |router, operation| {
        let backend = backend.clone();
        let handler = move |request: Request| respond(operation, backend.clone(), request);
        router.route(operation.path, on(operation.input.method(), handler))
    });
    let routes = routes.merge(openapi::route(backend));
    routes.layer(from_fn_with_state(backend.request_slots().clone(), admission::admit))
}

async fn respond(operation: &'static Operation, backend: Arc<Backend>, request: Request) -> Response {
    match run(operation, backend, request).await {
        Ok(reply) => reply.into_response(),
        Err(problem) => problem.into_response(),
    }
}

async fn run(operation: &Operation, backend: Arc<Backend>, request: Request) -> Result<Reply, Problem> {
    let caller = request.extensions().get::<Caller>().cloned().ok_or_else(guard::unguarded)?;
    caller.require(operation.scope)?;
    let (mut given, format) = input::read(operation.input, request).await?;
    let (project, is_named) = project_of(operation, &backend, &mut given, &caller).await?;
    let project = at_commit(operation, project, &mut given).await?;
    let schema = operation.schema(&project.engine().config().search);
    let arguments = schema.check(given, format)?;
    let work = (operation.call)(OperationCall { project, is_named, backend, caller, arguments });
    match operation.timeout.limit() {
        None => work.await,
        Some(limit) => tokio::time::timeout(limit, work).await.map_err(|_| {
            let message = format!("The request took longer than {} seconds.", limit.as_secs());
            Problem::new(StatusCode::GATEWAY_TIMEOUT, message, None)
        })?,
    }
}

/// The project that the arguments name, or the one that the server was started for, and whether it was named. A `project` that
/// is not a string is left for the argument check to reject.
async fn project_of(
    operation: &Operation,
    backend: &Arc<Backend>,
    given: &mut Map<String, Value>,
    caller: &Caller,
) -> Result<(Arc<ServedProject>, bool), Problem> {
    let start = backend.start_project();
    if operation.subject == OperationSubject::Server {
        return Ok((start.clone(), false));
    }
    let is_text = given.get(PROJECT).is_some_and(Value::is_string);
    if !is_text {
        return Ok((backend.start_project_for(caller).await?, false));
    }
    match given.remove(PROJECT) {
        Some(Value::String(named)) if !named.trim().is_empty() => {
            let project = backend.project(named.trim(), start, caller).await?;
            project.touch();
            Ok((project, true))
        }
        _ => Ok((backend.start_project_for(caller).await?, false)),
    }
}

/// The project at the commit that the arguments name. A `ref` that is not a string is left for the argument check to reject.
async fn at_commit(
    operation: &Operation,
    project: Arc<ServedProject>,
    given: &mut Map<String, Value>,
) -> Result<Arc<ServedProject>, Problem> {
    if operation.subject != OperationSubject::Code {
        return Ok(project);
    }
    let named = given.get(REF).and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
    let Some(revision) = named.or(project.engine().project().default_revision()).map(str::to_owned) else {
        return Ok(project);
    };
    given.remove(REF);
    Ok(project.at(revision, CancellationToken::new()).await?)
}

pub(crate) async fn not_found() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "There is no such path.", "GET /api/openapi.json lists all paths.")
}

pub(crate) async fn method_not_allowed() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "This path does not support this method.",
        "The Allow header lists the supported methods.",
    )
}
