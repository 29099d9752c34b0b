//! How long a warm search takes, in process, with the embedding of the query.

use std::time::Instant;

use anyhow::Result;
use vectorcode_core::api::SearchMode;

use crate::dataset::Repository;
use crate::trees::{Asked, Tree};

/// Milliseconds of each search. Asks every question `rounds` times, after one round that is not counted. Each round writes
/// the questions a little differently, or the engine would give the answers of a moment ago.
pub fn times(repository: &Repository, tree: &Tree, mode: SearchMode, rounds: usize) -> Result<Vec<f64>> {
    let mut times = Vec::new();
    for round in 0..=rounds {
        for question in &repository.questions {
            let query = format!("{}{}", question.query, " ".repeat(round));
            let started = Instant::now();
            tree.answers(&Asked::text(&query, mode))?;
            if round > 0 {
                times.push(started.elapsed().as_secs_f64() * 1000.0);
            }
        }
    }
    Ok(times)
}
