//! How long a warm search takes, in process, with the embedding of the query.

use std::time::Instant;

use anyhow::Result;
use vectorcode_core::api::SearchMode;

use crate::dataset::Repository;
use crate::trees::Tree;

/// Percentiles of one repository's searches, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    pub searches: usize,
    pub median: f64,
    pub p90: f64,
    pub p99: f64,
}

/// Asks every question `rounds` times, after one round that is not counted. Each round writes the questions a little
/// differently, or the engine would give the answers of a moment ago.
pub fn measure(repository: &Repository, tree: &Tree, mode: SearchMode, rounds: usize) -> Result<Speed> {
    let mut times = Vec::new();
    for round in 0..=rounds {
        for question in &repository.questions {
            let query = format!("{}{}", question.query, " ".repeat(round));
            let started = Instant::now();
            tree.answers(&query, mode)?;
            if round > 0 {
                times.push(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part).round() as usize];
    Ok(Speed { searches: times.len(), median: at(0.5), p90: at(0.9), p99: at(0.99) })
}
