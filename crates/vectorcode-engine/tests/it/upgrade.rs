//! An index written by an older version is upgraded by an ordinary sync.

use std::sync::Arc;

use vectorcode_core::api::IndexRequest;

use crate::project::{Indexed, index_with};

const FILES: [(&str, &str); 3] = [
    ("README.md", "# Sample\n\nReads lines and retries what fails.\n"),
    (
        "src/parser.rs",
        "/// Splits a line at its equals sign.\npub fn parse_line(line: &str) -> Option<(&str, &str)> {\n    line.split_once('=')\n}\n",
    ),
    (
        "src/retry.py",
        "def retry_with_backoff(call, tries):\n    \"\"\"Calls again after a failure.\"\"\"\n    for _ in range(tries):\n        call()\n",
    ),
];

/// A project whose index was written by an older version, according to its content version.
fn old_project() -> Indexed {
    let project = Indexed::new(&FILES);
    project.index();
    let database = project.files.path(".vectorcode/index.db");
    let database = rusqlite::Connection::open(database).unwrap();
    assert_eq!(database.execute("UPDATE source_files SET content_version = 1", []).unwrap(), FILES.len());
    let engine = Arc::new(project.reopened(project.embedder.clone()));
    Indexed { engine, ..project }
}

fn sync(project: &Indexed) -> vectorcode_core::api::IndexReport {
    let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    index_with(&project.engine, &request).unwrap()
}

#[test]
fn an_old_index_answers_before_it_is_synced() {
    let project = old_project();
    assert!(project.finds_fast("retry_with_backoff", "src/retry.py"));
    assert_eq!(project.engine.status().unwrap().coverage.embedded, 3);
}

#[test]
fn files_of_an_older_version_are_read_again_and_keep_their_vectors() {
    let project = old_project();
    assert_eq!(
        project.engine.status().unwrap().pending.len(),
        3,
        "by content version: no time or size differs"
    );
    let report = sync(&project);
    assert_eq!((report.files_changed, report.chunks_new, report.files), (3, 0, 3), "{report:?}");
    let status = project.engine.status().unwrap();
    assert_eq!((status.coverage.embedded, status.coverage.total), (3, 3), "no vector was lost");
    assert!(status.pending.is_empty(), "{:?}", status.pending);
    assert!(project.finds_fast("parse_line", "src/parser.rs"));

    assert_eq!(sync(&project).files_changed, 0, "once is enough");
}

#[test]
fn an_upgrade_that_was_interrupted_goes_on() {
    let project = old_project();
    let request = IndexRequest {
        stage_one_only: true,
        paths: vec![project.files.path("src/parser.rs")],
        ..IndexRequest::default()
    };
    assert_eq!(index_with(&project.engine, &request).unwrap().files_changed, 1);
    assert_eq!(sync(&project).files_changed, 2);
}
