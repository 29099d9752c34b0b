//! `index`: starts index runs, reports their state and cancels them.

use std::sync::Arc;

use axum::http::StatusCode;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use vectorcode_core::api::{IndexReport, IndexRequest};

use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments, IndexArguments, NoArguments};
use crate::failure::Failure;
use crate::http::problem::Problem;
use crate::reindex::{AlreadyRunning, Job, JobState};
use crate::served_project::{Cancellation, ServedProject};

pub(super) const STATE: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/index",
    id: "indexState",
    summary: "The last run that was requested through this server.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<IndexRun>)],
    errors: &[],
    subject: OperationSubject::Project,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| Box::pin(async move { Reply::ok(&IndexRun::of(&call.project)) }),
};

pub(super) const START: Operation = Operation {
    input: Input::Json,
    path: "/api/v1/index",
    id: "index",
    summary: "Updates the index. Responds at once with 202, or with `wait` when the run is over.",
    successes: &[
        SuccessResponse::ok(SchemaGenerator::subschema_for::<IndexRun>),
        SuccessResponse::accepted(SchemaGenerator::subschema_for::<IndexRun>),
    ],
    errors: &[409],
    subject: OperationSubject::Project,
    scope: Scope::Index,
    arguments: ArgumentSchema::of::<StartArguments>,
    timeout: Timeout::None,
    call: |call| call.with(start),
};

pub(super) const CANCEL: Operation = Operation {
    input: Input::Json,
    path: "/api/v1/index/cancel",
    id: "cancelIndex",
    summary: "Stops all work on the index, in the background too, until the next run. What was done is kept.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<Cancelled>)],
    errors: &[],
    subject: OperationSubject::Project,
    scope: Scope::Index,
    arguments: ArgumentSchema::of::<NoArguments>,
    timeout: Timeout::Default,
    call: |call| {
        Box::pin(async move {
            let cancellation = call.project.cancel().await?;
            Reply::ok(&Cancelled {
                cancelled: cancellation != Cancellation::Nothing,
                stopped: cancellation != Cancellation::Stopping,
            })
        })
    },
};

#[derive(Debug, Deserialize, JsonSchema)]
struct StartArguments {
    #[serde(flatten)]
    index: IndexArguments,
    /// Respond when the run is over.
    #[serde(default)]
    wait: bool,
}

impl CallArguments for StartArguments {}

/// A run that was requested through this server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub(super) enum IndexRun {
    /// None was requested.
    None,
    /// In progress; the activity shows how far it is.
    Running,
    Done {
        report: IndexReport,
    },
    Failed {
        error: Failure,
    },
}

/// Whether there was something to stop, and whether it has stopped.
#[derive(Debug, Serialize, JsonSchema)]
struct Cancelled {
    cancelled: bool,
    /// False while the current batch is still in progress.
    stopped: bool,
}

impl IndexRun {
    pub(super) fn of(project: &ServedProject) -> Self {
        project.last_run().map_or(Self::None, |job| Self::at(&job.state()))
    }

    fn at(state: &JobState) -> Self {
        match state {
            JobState::Running(_) => Self::Running,
            JobState::Panicked => Self::Failed { error: Failure::panicked() },
            JobState::Done(result) => match &**result {
                Ok(report) => Self::Done { report: report.clone() },
                Err(error) => Self::Failed { error: error.into() },
            },
        }
    }
}

async fn start(project: Arc<ServedProject>, arguments: StartArguments) -> Result<Reply, Problem> {
    let request = arguments.index.request(project.engine())?;
    let job = begin(&project, request)?;
    if arguments.wait { ended(&project, job).await } else { running() }
}

/// Starts a run. Fails if one is in progress: it may already have passed the files that the caller wants indexed.
pub(super) fn begin(project: &ServedProject, request: IndexRequest) -> Result<Job, Problem> {
    project.start_run(request).map_err(|AlreadyRunning(_)| {
        Problem::new(
            StatusCode::CONFLICT,
            "An index run is already in progress.",
            "Try again when it is over, or stop it with POST /api/v1/index/cancel.",
        )
    })
}

pub(super) fn running() -> Result<Reply, Problem> {
    Reply::accepted(&IndexRun::Running)
}

async fn ended(project: &ServedProject, mut job: Job) -> Result<Reply, Problem> {
    tokio::select! {
        () = job.ended() => {}
        () = project.workers().shutdown().cancelled() => return Err(Problem::busy("The server is stopping.")),
    }
    match IndexRun::at(&job.state()) {
        IndexRun::Failed { error } => Err(error.into()),
        run => Reply::ok(&run),
    }
}
