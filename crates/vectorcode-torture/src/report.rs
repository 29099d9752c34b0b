//! Counts trials and violations, for the table and the exit code.

use std::collections::BTreeMap;
use std::fmt;

use crate::scene::{Scene, Violation};

/// The results of one scene.
#[derive(Debug, Default)]
struct Row {
    unit: &'static str,
    rounds: u64,
    trials: u64,
    violations: u64,
}

/// The outcome of a whole run.
#[derive(Debug, Default)]
pub struct Report {
    rows: BTreeMap<&'static str, Row>,
}

impl Report {
    pub fn add(&mut self, scene: &Scene, outcome: &Result<u64, Violation>) {
        let row = self.rows.entry(scene.name).or_default();
        row.unit = scene.unit;
        row.rounds += 1;
        match outcome {
            Ok(trials) => row.trials += trials,
            Err(_) => row.violations += 1,
        }
    }

    pub fn violations(&self) -> u64 {
        self.rows.values().map(|row| row.violations).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| scene | rounds | trials | violations |\n|---|---|---|---|")?;
        for (name, row) in &self.rows {
            writeln!(f, "| {name} | {} | {} {} | {} |", row.rounds, row.trials, row.unit, row.violations)?;
        }
        Ok(())
    }
}
