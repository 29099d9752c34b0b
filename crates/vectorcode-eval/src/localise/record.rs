//! The results of a run, one line per issue as soon as it is done, so that an interrupted run can continue.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The result for one issue. The dataset's reference scorer reads the first two fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub id: String,
    /// Distinct files, best first.
    pub files: Vec<String>,
    /// How long one search took; absent for keywords, whose index is built for these very questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<f64>,
}

/// A growing file with one JSON object per line.
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    file: File,
}

impl Lines {
    pub fn open(path: PathBuf) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, file })
    }

    /// Writes with a single call, so that a line is never written partially.
    pub fn append(&mut self, row: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Earlier results, by issue id.
pub fn answered(path: &Path) -> Result<HashMap<String, Answered>> {
    Ok(rows(path)?.into_iter().map(|row: Answered| (row.id.clone(), row)).collect())
}

fn rows<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let parse = |line| serde_json::from_str(line).with_context(|| format!("{} is damaged", path.display()));
    text.lines().map(parse).collect()
}
