//! Progress of a long call, for callers that asked for it with a progress token.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use vectorcode_core::{Phase, Progress};

use super::render::grouped;

/// Sends progress to the one who waits for a call. The number only ever grows, as the protocol demands.
#[derive(Debug)]
pub(crate) struct ProgressReporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    highest: f64,
}

impl ProgressReporter {
    pub(crate) fn for_request(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self { peer: context.peer.clone(), token, highest: -1.0 })
    }

    /// Sends `progress` if it is ahead of what was sent before.
    pub(crate) async fn report(&mut self, progress: &Progress) {
        self.send(overall_percent(progress), describe(progress)).await;
    }

    /// The last word, which even a run that was over in no time gets.
    pub(crate) async fn complete(&mut self) {
        self.send(100.0, "done".into()).await;
    }

    async fn send(&mut self, percent: f64, message: String) {
        if percent <= self.highest {
            return;
        }
        self.highest = percent;
        let notification = ProgressNotificationParam::new(self.token.clone(), percent)
            .with_total(100.0)
            .with_message(message);
        if let Err(error) = self.peer.notify_progress(notification).await {
            tracing::debug!(%error, "progress could not be sent");
        }
    }
}

/// All phases on one scale, by the share of the time that they usually take.
fn overall_percent(progress: &Progress) -> f64 {
    let (start, end) = match progress.phase {
        Phase::Discover => (0.0, 5.0),
        Phase::Chunk => (5.0, 30.0),
        Phase::Embed => (30.0, 100.0),
    };
    let within = progress.percent().clamp(0.0, 100.0) / 100.0;
    start + (end - start) * within
}

/// One line on where a run stands: `chunking: 120 of 2,515 files (350/s)`.
pub(crate) fn describe(progress: &Progress) -> String {
    let (verb, unit) = match progress.phase {
        Phase::Discover => ("discovering", "files"),
        Phase::Chunk => ("chunking", "files"),
        Phase::Embed => ("embedding", "chunks"),
    };
    let done = grouped(progress.done);
    let rate = progress.rate();
    match progress.total {
        0 => format!("{verb}: {done} {unit}"),
        total => format!("{verb}: {done} of {} {unit} ({rate:.0}/s)", grouped(total)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn progress(phase: Phase, done: u64, total: u64) -> Progress {
        Progress { phase, done, total, bytes: 0, elapsed: Duration::from_secs(2) }
    }

    #[test]
    fn phases_follow_each_other_on_one_scale() {
        let steps = [
            progress(Phase::Discover, 10, 0),
            progress(Phase::Chunk, 1, 10),
            progress(Phase::Chunk, 10, 10),
            progress(Phase::Embed, 5, 10),
            progress(Phase::Embed, 10, 10),
        ];
        let percents: Vec<f64> = steps.iter().map(overall_percent).collect();
        assert!(percents.is_sorted(), "{percents:?}");
        assert!((percents[4] - 100.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_line_says_what_is_done() {
        assert_eq!(describe(&progress(Phase::Chunk, 700, 2515)), "chunking: 700 of 2,515 files (350/s)");
        assert_eq!(describe(&progress(Phase::Discover, 9, 0)), "discovering: 9 files");
    }
}
