//! What names, messages and parts of a query are measured against: the pool, and the files that it lies in.

use super::super::candidates::Candidate;
use super::super::files::Files;
use super::super::probe::Probe;
use super::super::words::{WordSet, WordWeights};
use super::{Signal, Signals};

/// What is known of the pool and its files when names, messages and parts are measured.
pub(super) struct PoolContext<'c> {
    pub probe: &'c Probe,
    pub pool: &'c [Candidate],
    pub files: &'c Files,
    /// The words of the query in each candidate's text.
    pub texts: &'c [WordSet],
    pub weights: &'c WordWeights,
}

/// Gives each chunk the best value among the chunks of its file.
pub(super) fn share_best(files: &Files, signals: &mut [Signals], signal: Signal) {
    let mut best = vec![0.0_f32; files.facts.len()];
    for (file, signals) in files.of_candidates.iter().zip(signals.iter()) {
        best[*file] = best[*file].max(signals[signal]);
    }
    for (file, signals) in files.of_candidates.iter().zip(signals) {
        signals[signal] = best[*file];
    }
}
