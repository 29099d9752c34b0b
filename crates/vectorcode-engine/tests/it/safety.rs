//! Damage, full rebuilds, two writers, unusual trees: the index is a cache, never a reason to stop working.

use std::sync::Arc;

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, Progress, SilentProgress};
use vectorcode_engine::{EngineError, WhenLocked};
use vectorcode_testkit::{FakeEmbedder, TempProject};

use crate::project::{Indexed, about, index, index_with};

fn full() -> IndexRequest {
    IndexRequest { full: true, ..IndexRequest::default() }
}

#[test]
fn a_damaged_database_is_set_aside_and_rebuilt() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    let project = project.closed();
    for garbage in [vec![7_u8; 50_000], Vec::new(), b"SQLite format 3\0 and then nothing that fits".to_vec()]
    {
        project.files.write(".vectorcode/index.db", &garbage);
        let _ = std::fs::remove_file(project.files.path(".vectorcode/index.db-wal"));
        let engine = project.reopened(Arc::new(FakeEmbedder::new(32)));
        let report = index(&engine).unwrap();
        assert_eq!(report.files, 1);
        assert!(report.notes.iter().any(|note| note.contains("damaged")), "{:?}", report.notes);
    }
    let kept = std::fs::read_dir(project.files.path(".vectorcode"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("damaged"))
        .count();
    assert!(kept >= 1);
}

#[test]
fn a_cancelled_rebuild_leaves_the_old_index() {
    let project = Indexed::new(&[("a.rs", &about("apples")), ("b.rs", &about("bears"))]);
    project.index();
    let cancel = CancelToken::default();
    let stop = |_: &Progress| cancel.cancel();
    let _ = project.engine.index(&full(), WhenLocked::Wait, &stop, &cancel);
    assert!(project.finds("apples", "a.rs"));
    assert!(project.finds("bears", "b.rs"));
}

#[test]
fn a_run_that_is_cancelled_while_it_looks_for_files_has_not_failed() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let cancel = CancelToken::default();
    cancel.cancel();
    let run = project.engine.index(&IndexRequest::default(), WhenLocked::Wait, &SilentProgress, &cancel);
    assert!(matches!(run, Err(EngineError::Cancelled)), "{run:?}");
}

#[test]
fn searches_go_on_through_a_rebuild() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.index();
    assert!(project.finds("apples", "a.rs"));
    project.files.write("b.rs", about("bears"));
    index_with(&project.engine, &full()).unwrap();
    assert!(project.finds("apples", "a.rs"));
    assert!(project.finds("bears", "b.rs"), "an open reader notices the swap");
}

#[test]
fn two_writers_take_turns() {
    let files: Vec<(String, String)> =
        (0..30).map(|number| (format!("f{number}.rs"), about(&format!("topic{number}")))).collect();
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Indexed::new(&borrowed);
    let embedder = Arc::new(FakeEmbedder::new(32));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(index(&project.reopened(embedder.clone())).unwrap().files, 30));
        }
    });
    assert_eq!(project.engine.status().unwrap().chunks, embedder.documents().len() as u64);
}

#[test]
fn who_must_not_wait_is_told_who_writes() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    project.embedder.set_behaviour(vectorcode_testkit::Behaviour::Hang);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| index(&project.engine));
        while project.embedder.calls() == 0 {
            std::thread::yield_now();
        }
        let other = project.reopened(Arc::new(FakeEmbedder::new(32)));
        let error = other
            .index(&IndexRequest::default(), WhenLocked::Fail, &SilentProgress, &CancelToken::default())
            .unwrap_err();
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
        assert_eq!(other.status().unwrap().files, 1, "readers never wait");
        project.embedder.set_behaviour(vectorcode_testkit::Behaviour::Work);
        writing.join().unwrap().unwrap();
    });
}

#[test]
fn many_tiny_files_and_one_huge_file() {
    let mut config = Config::default();
    config.indexing.max_file_size = 30 << 20;
    let files = TempProject::empty();
    for number in 0..2_000 {
        files.write(&format!("d{}/f{number}.txt", number % 40), format!("note {number}\n"));
    }
    files.write("huge.rs", about("whales").repeat(25_000));
    let project = Indexed::of(files, config);
    let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
    let report = index_with(&project.engine, &request).unwrap();
    assert_eq!(report.files, 2_001);
    assert!(report.chunks > 4_000, "{report:?}");
}
