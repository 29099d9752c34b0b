//! `vec_reindex`: an index run requested by an agent, which waits until it ends or the timeout is over.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, MissedTickBehavior};
use vectorcode_core::api::IndexRequest;

use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments, IndexArguments};
use crate::failure::Failure;
use crate::mcp::answer::{Rendered, ToolAnswer};
use crate::mcp::progress::ProgressReporter;
use crate::mcp::render::reindex as render;
use crate::mcp::texts::reindex as texts;
use crate::reindex::{AlreadyRunning, Job, JobState};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_reindex",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::Writes,
    listing: Listing::Always,
    subject: ToolSubject::Project,
    arguments: ArgumentSchema::of::<ReindexArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_reindex),
};

/// Long enough for a small update, short enough that an agent does not think the call is stuck.
const DEFAULT_WAIT_SECONDS: u64 = 3;
const MAX_WAIT_SECONDS: u64 = 600;
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug, Deserialize, JsonSchema)]
struct ReindexArguments {
    #[serde(flatten)]
    index: IndexArguments,
    /// Stop the running reindex instead of starting one.
    #[serde(default)]
    cancel: bool,
    /// Seconds to wait for the run to finish before it continues in the background.
    #[serde(default = "default_wait")]
    #[schemars(range(min = 0, max = MAX_WAIT_SECONDS))]
    wait: u64,
}

fn default_wait() -> u64 {
    DEFAULT_WAIT_SECONDS
}

impl CallArguments for ReindexArguments {}

async fn vec_reindex(call: ToolCall, arguments: ReindexArguments) -> Result<ToolAnswer, Failure> {
    call.caller.require(Scope::Index)?;
    if arguments.cancel {
        return cancel(&call).await;
    }
    let request = arguments.index.request(call.project.engine())?;
    run(call, request, Duration::from_secs(arguments.wait)).await
}

/// Stops all work on the index.
async fn cancel(call: &ToolCall) -> Result<ToolAnswer, Failure> {
    let cancellation = call.project.cancel().await?;
    let activity = call.project.run(|engine| Ok(engine.activity())).await?;
    Ok(render::cancelled(cancellation, &activity).answer(call.format))
}

/// Starts a run and waits for it up to `timeout`; after that it continues in the background.
pub(super) async fn run(
    call: ToolCall,
    request: IndexRequest,
    timeout: Duration,
) -> Result<ToolAnswer, Failure> {
    match call.project.start_run(request) {
        Ok(job) => follow(call, job, timeout).await,
        Err(AlreadyRunning(job)) => Ok(render::already_running(&job.state()).answer(call.format)),
    }
}

/// Reports progress until the job ends, the timeout is over, or the caller cancels the request.
async fn follow(call: ToolCall, mut job: Job, timeout: Duration) -> Result<ToolAnswer, Failure> {
    let ToolCall { project, mut progress, cancelled, format, .. } = call;
    let deadline = Instant::now() + timeout;
    let mut tick = tokio::time::interval(PROGRESS_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            // Polled in this order, so that a job that has ended is reported as such even if the timeout is over too.
            biased;
            () = job.ended() => return Ok(finished(&job, progress.as_mut()).await?.answer(format)),
            () = cancelled.cancelled() => {
                job.cancel();
                job.ended().await;
            }
            () = project.workers().shutdown().cancelled() => return Ok(render::interrupted(&job.state()).answer(format)),
            () = tokio::time::sleep_until(deadline) => return Ok(render::in_background(&job.state()).answer(format)),
            _ = tick.tick() => report(&job, progress.as_mut()).await,
        }
    }
}

async fn report(job: &Job, reporter: Option<&mut ProgressReporter>) {
    if let (Some(reporter), JobState::Running(Some(progress))) = (reporter, job.state()) {
        reporter.report(&progress).await;
    }
}

async fn finished(job: &Job, reporter: Option<&mut ProgressReporter>) -> Result<Rendered, Failure> {
    match job.state() {
        JobState::Done(result) => match &*result {
            Ok(report) => {
                if let Some(reporter) = reporter {
                    reporter.complete().await;
                }
                Ok(render::done(report))
            }
            Err(error) => Err(error.into()),
        },
        JobState::Running(_) | JobState::Panicked => Err(Failure::panicked()),
    }
}
