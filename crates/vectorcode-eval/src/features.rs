//! The signals of every candidate of every question, one JSON object per line: the training data of the ranker.

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
    /// Indices of the targets that it hits.
    pub hits: Vec<usize>,
    /// By name; signals without a value are left out.
    pub signals: BTreeMap<String, f32>,
}

/// A question with all of its candidates.
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
