//! `index`: the index brought up to date, or built anew, on demand.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::StatusCode;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use vectorcode_core::api::{IndexReport, IndexRequest};

use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::arguments::Argument;
use crate::backend::{Backend, Panicked};
use crate::failure::Failure;
use crate::http::problem::Problem;
use crate::mcp::texts::reindex as texts;
use crate::reindex::{AlreadyRunning, Job, JobState};

pub(super) const STATE: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/index",
    id: "indexState",
    summary: "The last run that was asked for through this server.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<IndexRun>)],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| Box::pin(async move { Reply::ok(&IndexRun::of(&call.backend)) }),
};

pub(super) const START: Operation = Operation {
    input: Input::Json,
    path: "/api/v1/index",
    id: "index",
    summary: "Brings the index up to date. Answers at once with 202, or with `wait` at the end.",
    answers: &[
        Answer::ok(SchemaGenerator::subschema_for::<IndexRun>),
        Answer::accepted(SchemaGenerator::subschema_for::<IndexRun>),
    ],
    refusals: &[409],
    arguments: |_| {
        vec![
            Argument::text("path", texts::PATH),
            Argument::flag("full", texts::FULL).or(false),
            Argument::flag("wait", WAIT).or(false),
        ]
    },
    patience: Patience::Endless,
    call: |call| Box::pin(start(call)),
};

pub(super) const CANCEL: Operation = Operation {
    input: Input::Json,
    path: "/api/v1/index/cancel",
    id: "cancelIndex",
    summary: "Stops the run that is under way, if there is one. What it has done stays.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<Cancelled>)],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| {
        Box::pin(async move { Reply::ok(&Cancelled { cancelled: call.backend.reindexer().cancel() }) })
    },
};

const WAIT: &str = "Answer when the run has ended.";

/// A run that was asked for through this server.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub(super) enum IndexRun {
    /// None was asked for.
    None,
    /// Under way; the activity says how far it is.
    Running,
    Done {
        report: IndexReport,
    },
    Failed {
        error: Failure,
    },
}

/// Whether there was something to stop.
#[derive(Debug, Serialize, JsonSchema)]
struct Cancelled {
    cancelled: bool,
}

impl IndexRun {
    pub(super) fn of(backend: &Backend) -> Self {
        backend.reindexer().last().map_or(Self::None, |job| Self::at(&job.state()))
    }

    fn at(state: &JobState) -> Self {
        match state {
            JobState::Running(_) => Self::Running,
            JobState::Broken => Self::Failed { error: Panicked.into() },
            JobState::Done(outcome) => match &**outcome {
                Ok(report) => Self::Done { report: report.clone() },
                Err(error) => Self::Failed { error: error.into() },
            },
        }
    }
}

async fn start(call: Call) -> Result<Reply, Problem> {
    let full = call.arguments.flag("full");
    let path = call.arguments.text("path").map(PathBuf::from);
    if let Some(path) = &path {
        call.backend.engine().project().relative(path)?;
        if full {
            let message = "A full rebuild is always one of the whole project.";
            return Err(Failure::mendable(message, "Leave out `path`, or leave out `full`.").into());
        }
    }
    let request = IndexRequest { full, paths: path.into_iter().collect(), stage_one_only: false };
    let job = begin(&call.backend, request)?;
    if call.arguments.flag("wait") { ended(&call.backend, job).await } else { running() }
}

/// Starts a run, unless one is under way: that one may have passed what the caller wants indexed.
pub(super) fn begin(backend: &Arc<Backend>, request: IndexRequest) -> Result<Job, Problem> {
    backend.reindexer().start(backend.engine(), request).map_err(|AlreadyRunning(_)| {
        Problem::new(
            StatusCode::CONFLICT,
            "A run is under way already.",
            "Ask again when it has ended, or stop it with POST /api/v1/index/cancel.",
        )
    })
}

pub(super) fn running() -> Result<Reply, Problem> {
    Reply::accepted(&IndexRun::Running)
}

async fn ended(backend: &Backend, mut job: Job) -> Result<Reply, Problem> {
    tokio::select! {
        () = job.ended() => {}
        () = backend.ending().cancelled() => return Err(Problem::busy("The server is about to end.")),
    }
    match IndexRun::at(&job.state()) {
        IndexRun::Failed { error } => Err(error.into()),
        run => Reply::ok(&run),
    }
}
