//! An index that an older program made is brought up to date by an ordinary sync.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::Config;
use vectorcode_testkit::TempProject;

use crate::project::{Indexed, index_with};

/// What the program of schema 1 (with `vec0` tables, without content versions) made of these files.
const OLD_INDEX: &[u8] = include_bytes!("upgrade/schema-1.db");

/// Path, text, and the modification time that the old index knows.
const FILES: [(&str, &str, u64); 3] = [
    ("README.md", include_str!("upgrade/README.md.txt"), 1_794_758_321_423_243_429),
    ("src/parser.rs", include_str!("upgrade/parser.rs.txt"), 1_794_758_321_414_043_649),
    ("src/retry.py", include_str!("upgrade/retry.py.txt"), 1_794_758_321_419_297_509),
];

fn old_project() -> Indexed {
    let files = TempProject::empty();
    for (path, text, mtime_ns) in FILES {
        files.write(path, text);
        let file = File::options().append(true).open(files.path(path)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_nanos(mtime_ns)).unwrap();
    }
    files.write(".vectorcode/index.db", OLD_INDEX);
    Indexed::of(files, Config::default())
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
