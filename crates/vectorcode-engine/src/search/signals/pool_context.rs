//! The pool and its files, as needed to measure names, messages and parts of a query.

use vectorcode_core::ContentClass;

use super::super::candidates::Candidate;
use super::super::files::Files;
use super::super::probe::Probe;
use super::super::words::{WordSet, WordWeights};
use super::{Signal, Signals};

/// The weight of a test, an example, a declaration or a document, which repeats what another file defines or says.
pub(super) const ASIDE: f32 = 0.3;

/// What is known about the pool and its files when names, messages and parts are measured.
pub(super) struct PoolContext<'c> {
    pub probe: &'c Probe,
    pub pool: &'c [Candidate],
    pub files: &'c Files,
    /// The words of the query in each candidate's text.
    pub texts: &'c [WordSet],
    pub weights: &'c WordWeights,
    /// For each file, whether it is a test, an example, a declaration, a document or a copy. Such a file repeats what
    /// another one defines or says, so it does not make the other one less certain.
    pub is_aside: Vec<bool>,
}

pub(super) fn files_aside(pool: &[Candidate], files: &Files) -> Vec<bool> {
    let is_aside = files
        .facts
        .iter()
        .map(|path| path.kind.test || path.kind.example || path.kind.declarations || path.kind.foreign);
    let mut is_aside: Vec<bool> = is_aside.collect();
    for (candidate, file) in pool.iter().zip(&files.of_candidates) {
        let chunk = &candidate.chunk;
        is_aside[*file] |= chunk.is_test || chunk.flags.test || chunk.class == ContentClass::Docs;
    }
    is_aside
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
