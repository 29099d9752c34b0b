//! A run: the ranked results of every question, in the format of the reference scorer.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;
use vectorcode_measure::metrics::RankedSpan;

/// The ranked results of one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRow {
    pub repo: String,
    pub query: String,
    pub results: Vec<RankedSpan>,
}

/// Writes one JSON object per line and question.
pub fn write(path: &Path, run: &[RunRow]) -> Result<()> {
    let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut file = std::io::BufWriter::new(file);
    for answered in run {
        serde_json::to_writer(&mut file, answered)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}
