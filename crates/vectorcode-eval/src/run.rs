//! A run: the ranked answers to every question, in the format that the referee reads.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// One place in a ranked list; the path is relative to the repository's root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
}

/// The ranked answers to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answered {
    pub repo: String,
    pub query: String,
    pub results: Vec<Answer>,
}

/// Writes one line of JSON for each question.
pub fn write(path: &Path, run: &[Answered]) -> Result<()> {
    let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut file = std::io::BufWriter::new(file);
    for answered in run {
        serde_json::to_writer(&mut file, answered)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}
