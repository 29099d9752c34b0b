//! The sample projects in `tests/fixtures`, and the queries that belong to them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A question about a sample project, and where its answer is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct FixtureQuery {
    pub query: String,
    /// Relative to the project, best first; a search is right when it finds one of them.
    pub expected_files: Vec<String>,
}

/// The directory of a sample project: `sample_ts`, `sample_py` or `sample_rs`.
pub fn fixture_path(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name);
    assert!(path.is_dir(), "no fixture at {}", path.display());
    path
}

/// The queries of a sample project, from its `queries.json`.
pub fn fixture_queries(name: &str) -> Vec<FixtureQuery> {
    let path = fixture_path(name).join("queries.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expected_file_of_every_query_exists() {
        for name in ["sample_ts", "sample_py", "sample_rs"] {
            let queries = fixture_queries(name);
            assert!(queries.len() >= 12, "{name} has {} queries", queries.len());
            for query in queries {
                assert!(!query.expected_files.is_empty(), "{name}: {}", query.query);
                for file in &query.expected_files {
                    assert!(fixture_path(name).join(file).is_file(), "{name}: {}: {file}", query.query);
                }
            }
        }
    }
}
