//! A run: the ranked answers to every question, in the format that the referee reads.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use vectorcode_measure::metrics::RankedSpan;

/// The ranked answers to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRow {
    pub repo: String,
    pub query: String,
    pub results: Vec<RankedSpan>,
}

/// Writes one line of JSON for each question.
pub fn write(path: &Path, run: &[RunRow]) -> Result<()> {
    let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut file = std::io::BufWriter::new(file);
    for answered in run {
        serde_json::to_writer(&mut file, answered)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}
