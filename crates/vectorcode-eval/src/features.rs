//! The signals of every candidate of every question, one line of JSON each: what the ranker is fitted on.

use std::collections::BTreeMap;

use serde::Serialize;
use vectorcode_core::api::Hit;
use vectorcode_measure::metrics::{RankedSpan, Target};

/// One candidate with its signals.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateRow {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// Indexes of the targets that it hits.
    pub hits: Vec<usize>,
    /// By name; a signal that is silent is left out.
    pub signals: BTreeMap<String, f32>,
}

/// A question with all its candidates.
#[derive(Clone, Debug, Serialize)]
pub struct QuestionRow {
    pub repo: String,
    pub language: String,
    pub category: String,
    pub query: String,
    pub targets: usize,
    pub candidates: Vec<CandidateRow>,
}

pub fn candidate(answer: RankedSpan, hit: &Hit, targets: &[Target]) -> CandidateRow {
    let hits = (0..targets.len()).filter(|index| targets[*index].is_hit_by(&answer)).collect();
    let signals = hit.signals.iter().map(|signal| (signal.name.clone(), signal.value)).collect();
    CandidateRow {
        path: answer.path,
        start_line: answer.start_line,
        end_line: answer.end_line,
        hits,
        signals,
    }
}
