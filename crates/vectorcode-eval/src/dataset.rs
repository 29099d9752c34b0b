//! Loads labelled questions from disk: `repos.json` and `annotations/<name>.json`.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use vectorcode_measure::metrics::Target;

/// A folder of labelled questions.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub repositories: Vec<Repository>,
}

/// A repository and its questions.
#[derive(Clone, Debug)]
pub struct Repository {
    pub name: String,
    pub language: String,
    /// The folder to index; `None`: the whole repository.
    pub root: Option<String>,
    pub questions: Vec<LabelledQuery>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct LabelledQuery {
    pub query: String,
    pub category: String,
    /// The commit that the question was made from. Only older history is used, because this commit contains the answer.
    #[serde(default)]
    pub commit: Option<String>,
    #[serde(default)]
    relevant: Vec<Label>,
    #[serde(default)]
    secondary: Vec<Label>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Label {
    File(String),
    Lines { path: String, start_line: Option<u32>, end_line: Option<u32> },
}

#[derive(Deserialize)]
struct RepositoryEntry {
    name: String,
    language: String,
    root: Option<String>,
}

impl Dataset {
    pub fn load(folder: &Path) -> Result<Self> {
        let entries: Vec<RepositoryEntry> = read_json(&folder.join("repos.json"))?;
        let load = |entry: RepositoryEntry| {
            let questions = read_json(&folder.join("annotations").join(format!("{}.json", entry.name)))?;
            Ok(Repository { name: entry.name, language: entry.language, root: entry.root, questions })
        };
        Ok(Self { repositories: entries.into_iter().map(load).collect::<Result<_>>()? })
    }

    /// Keeps only these repositories; an empty list keeps all.
    pub fn only(mut self, names: &[String]) -> Self {
        self.repositories.retain(|repository| names.is_empty() || names.contains(&repository.name));
        self
    }
}

impl LabelledQuery {
    pub fn targets(&self, root: Option<&str>) -> Vec<Target> {
        self.relevant.iter().chain(&self.secondary).map(|label| label.target(root)).collect()
    }
}

impl Label {
    fn target(&self, root: Option<&str>) -> Target {
        let (path, lines) = match self {
            Self::File(path) => (path, None),
            Self::Lines { path, start_line, end_line } => (path, start_line.zip(*end_line)),
        };
        let inside = root.filter(|root| !path.starts_with(&format!("{root}/")));
        let paths =
            std::iter::once(path.clone()).chain(inside.map(|root| format!("{root}/{path}"))).collect();
        Target { paths, lines }
    }
}

/// Reads a file with one JSON object per line.
pub fn read_json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let parse = |(line, number): (&str, usize)| {
        serde_json::from_str(line).with_context(|| format!("{}: line {number} is no issue", path.display()))
    };
    lines.map(parse).collect()
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} has an unknown shape", path.display()))
}
