//! `projects`: lists the indexed projects, watches them, and removes their indexes.

use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use vectorcode_core::api::ProjectsResponse;

use super::operation::{Input, Operation, OperationCall, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments, NoArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

pub(super) const LIST: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/projects",
    id: "projects",
    summary: "Lists all registered projects and their state.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<ProjectsResponse>)],
    errors: &[],
    subject: OperationSubject::Server,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| Box::pin(async move { Reply::ok(&call.backend.list(&call.project, &call.caller).await?) }),
};

pub(super) const WATCH: Operation = Operation {
    input: Input::Json,
    path: "/api/v1/projects/watch",
    id: "watchProject",
    summary: "Watches a project for changes and keeps it open; stops watching with `watch: false`.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<WatchState>)],
    errors: &[404],
    subject: OperationSubject::Project,
    scope: Scope::Index,
    arguments: ArgumentSchema::of::<WatchArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(watch),
};

pub(super) const REMOVE: Operation = Operation {
    path: "/api/v1/projects/remove",
    id: "removeProject",
    summary: "Deletes the index of the project that `project` names, and stops all work on it.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<Removed>)],
    arguments: ArgumentSchema::of::<NoArguments>,
    scope: Scope::Admin,
    call: |call| Box::pin(remove(call)),
    ..WATCH
};

#[derive(Debug, Deserialize, JsonSchema)]
struct WatchArguments {
    /// Whether to watch for changes.
    #[serde(default = "default_watch")]
    watch: bool,
}

fn default_watch() -> bool {
    true
}

impl CallArguments for WatchArguments {}

/// Whether some process follows the changes of a project.
#[derive(Debug, Serialize, JsonSchema)]
struct WatchState {
    root: String,
    /// The requested state.
    watch: bool,
}

/// The project whose index is gone.
#[derive(Debug, Serialize, JsonSchema)]
struct Removed {
    root: String,
}

async fn watch(project: Arc<ServedProject>, arguments: WatchArguments) -> Result<Reply, Problem> {
    if arguments.watch {
        project.watch()?;
    } else {
        project.unwatch().await?;
    }
    Reply::ok(&WatchState { root: project.root().display().to_string(), watch: arguments.watch })
}

async fn remove(call: OperationCall) -> Result<Reply, Problem> {
    Reply::ok(&Removed { root: call.backend.remove(call.project, call.is_named).await? })
}
