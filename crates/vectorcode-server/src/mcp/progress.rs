//! Progress notifications of a long call, for callers that sent a progress token.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use vectorcode_core::{Phase, Progress};

use super::render::progress_line;

/// Sends progress notifications to the caller. The number only ever grows, as the protocol requires.
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
        self.send(overall_percent(progress), progress_line(progress)).await;
    }

    /// The last notification, sent even if the run ended before the first report.
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

/// All phases on one scale, weighted by the time that they usually take.
fn overall_percent(progress: &Progress) -> f64 {
    let (start, end) = match progress.phase {
        Phase::Discover => (0.0, 5.0),
        Phase::Chunk => (5.0, 30.0),
        Phase::Embed => (30.0, 100.0),
    };
    let within = progress.percent().clamp(0.0, 100.0) / 100.0;
    start + (end - start) * within
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn progress(phase: Phase, done: u64, total: u64) -> Progress {
        Progress { phase, done, total, bytes: 0, chunks: None, elapsed: Duration::from_secs(2) }
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
}
