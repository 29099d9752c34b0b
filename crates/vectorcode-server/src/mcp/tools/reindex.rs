//! `vec_reindex`: the index brought up to date, or built anew, by hand.

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};
use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec};
use crate::arguments::Argument;
use crate::backend::Panicked;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::progress::ProgressReporter;
use crate::mcp::render::reindex as page;
use crate::mcp::texts::reindex as texts;
use crate::reindex::{AlreadyRunning, Job, JobState};

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_reindex",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ChangesIndex,
    arguments,
    output: page::schema,
    call: |call| Box::pin(reindex(call)),
};

const DEFAULT_WAIT_SECONDS: u64 = 3;
const LONGEST_WAIT_SECONDS: u64 = 600;
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

fn arguments(_config: &SearchConfig) -> Vec<Argument> {
    vec![
        Argument::text("path", texts::PATH),
        Argument::flag("full", texts::FULL).or(false),
        Argument::flag("cancel", texts::CANCEL).or(false),
        Argument::integer("wait", texts::WAIT, 0, LONGEST_WAIT_SECONDS).or(DEFAULT_WAIT_SECONDS),
    ]
}

async fn reindex(call: Call) -> Result<Answer, Failure> {
    if call.arguments.flag("cancel") {
        return Ok(page::cancelled(call.backend.reindexer().cancel(), &call.backend.engine().activity()));
    }
    let request = request(&call)?;
    let wait = Duration::from_secs(call.arguments.count("wait").unwrap_or_default() as u64);
    run(call, request, wait).await
}

/// Starts a run, and waits so long for its end before it goes on in the background.
pub(super) async fn run(call: Call, request: IndexRequest, wait: Duration) -> Result<Answer, Failure> {
    match call.backend.reindexer().start(call.backend.engine(), request) {
        Ok(job) => follow(call, job, wait).await,
        Err(AlreadyRunning(job)) => Ok(page::already_running(&job.state())),
    }
}

fn request(call: &Call) -> Result<IndexRequest, Failure> {
    let full = call.arguments.flag("full");
    let path = call.arguments.text("path").map(PathBuf::from);
    if let Some(path) = &path {
        call.backend.engine().project().relative(path)?;
        if full {
            return Err(Failure::mendable(
                "A full rebuild is always one of the whole project.",
                "Leave out `path`, or leave out `full` to update that path only.",
            ));
        }
    }
    Ok(IndexRequest { full, paths: path.into_iter().collect(), stage_one_only: false })
}

/// Reports progress until the job ends, the caller has waited enough, or takes the call back.
async fn follow(call: Call, mut job: Job, wait: Duration) -> Result<Answer, Failure> {
    let Call { backend, mut progress, cancelled, .. } = call;
    let deadline = Instant::now() + wait;
    let mut tick = tokio::time::interval(PROGRESS_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            biased;
            () = job.ended() => return finished(&job, progress.as_mut()).await,
            () = cancelled.cancelled() => {
                job.cancel();
                job.ended().await;
            }
            () = backend.ending().cancelled() => return Ok(page::interrupted(&job.state())),
            () = tokio::time::sleep_until(deadline) => return Ok(page::in_background(&job.state())),
            _ = tick.tick() => report(&job, progress.as_mut()).await,
        }
    }
}

async fn report(job: &Job, reporter: Option<&mut ProgressReporter>) {
    if let (Some(reporter), JobState::Running(Some(progress))) = (reporter, job.state()) {
        reporter.report(&progress).await;
    }
}

async fn finished(job: &Job, reporter: Option<&mut ProgressReporter>) -> Result<Answer, Failure> {
    match job.state() {
        JobState::Done(outcome) => match &*outcome {
            Ok(report) => {
                if let Some(reporter) = reporter {
                    reporter.complete().await;
                }
                Ok(page::done(report))
            }
            Err(error) => Err(error.into()),
        },
        JobState::Running(_) | JobState::Broken => Err(Panicked.into()),
    }
}
