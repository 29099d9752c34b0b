//! Measures the latency of warm searches in process, including the embedding of the query.

use std::time::Instant;

use anyhow::Result;
use vectorcode_core::api::SearchMode;

use crate::dataset::Repository;
use crate::trees::{Tree, TreeQuery};

/// The time of each search in milliseconds. Runs every question `rounds` times, after one round that is not counted. Each
/// round writes the questions slightly differently, because otherwise the engine would return cached results.
pub fn times(repository: &Repository, tree: &Tree, mode: SearchMode, rounds: usize) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for round in 0..=rounds {
        for question in &repository.questions {
            let query = format!("{}{}", question.query, " ".repeat(round));
            let started = Instant::now();
            tree.answers(&TreeQuery::text(&query, mode))?;
            if round > 0 {
                times.push(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    Ok(times)
}
