//! Pulls vectors before the first ones of an index are computed, if the settings name a location.

use std::time::Instant;

use vectorcode_core::{CancelToken, Phase, Progress, ProgressSink};
use vectorcode_engine::{PullTarget, SharedVectors};

use crate::TeamError;
use crate::vectors::Location;
use crate::vectors::pull::{PullReport, PullRequest, pull};

/// Pulls according to the settings of each project. Settings of a project's own file that the user has not approved are not
/// included.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutoPull;

impl SharedVectors for AutoPull {
    fn pull(
        &self,
        index: &dyn PullTarget,
        progress: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<Option<String>, Box<dyn std::error::Error + Send + Sync>> {
        let settings = index.share_settings();
        let location = Location::parse(&settings.url, index.root())?;
        let started = Instant::now();
        let show = |done: u64, total: u64| {
            let elapsed = started.elapsed();
            progress.report(&Progress { phase: Phase::Embed, done, total, bytes: 0, chunks: None, elapsed });
        };
        let request = PullRequest { location: &location, settings: &settings, progress: &show, cancel };
        match pull(index, &request) {
            // Whoever cancelled it knows, so no note is needed.
            Err(TeamError::Cancelled) => Ok(None),
            report => Ok(Some(sentence(&report?))),
        }
    }
}

fn sentence(report: &PullReport) -> String {
    let mut sentences = report.notes.clone();
    if let Some(commit) = &report.commit {
        sentences.insert(
            0,
            format!(
                "{} of {} vectors came from {} (commit {}).",
                report.filled,
                report.missing,
                report.place,
                &commit[..commit.len().min(10)]
            ),
        );
    }
    sentences.join(" ")
}
