//! The keeper: catch-up at the start, changes as they come, one watcher at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use vectorcode_engine::{Keeper, KeeperOptions};
use vectorcode_testkit::FakeEmbedder;

use crate::project::{Indexed, about};

const OPTIONS: KeeperOptions =
    KeeperOptions { watch: true, debounce: Duration::from_millis(50), create: true };

/// Waits for something that another thread will bring about.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn kept(files: &[(&str, &str)]) -> (Indexed, Keeper) {
    let project = Indexed::new(files);
    let keeper = Keeper::start(project.engine.clone(), OPTIONS).unwrap();
    eventually("the catch-up", || {
        project.engine.status().is_ok_and(|status| status.coverage.fraction() >= 1.0 && status.chunks > 0)
    });
    (project, keeper)
}

#[test]
fn a_project_without_an_index_gets_one() {
    let (project, _keeper) = kept(&[("a.rs", &about("apples"))]);
    assert!(project.finds("apples", "a.rs"));
    assert!(project.engine.status().unwrap().watched);
}

#[test]
fn without_permission_none_is_made() {
    let project = Indexed::new(&[("a.rs", &about("apples"))]);
    let keeper = Keeper::start(project.engine.clone(), KeeperOptions { create: false, ..OPTIONS }).unwrap();
    drop(keeper);
    assert!(!project.engine.project().is_indexed());
}

#[test]
fn edits_creations_renames_and_deletions_are_followed() {
    let (project, _keeper) = kept(&[("a.rs", &about("apples")), ("b.rs", &about("bears"))]);
    project.files.write("a.rs", about("oranges"));
    eventually("the edit", || project.finds("oranges", "a.rs"));
    project.files.write("deep/down/c.rs", about("cars"));
    eventually("the file in a new directory", || project.finds("cars", "deep/down/c.rs"));
    project.files.write("deep/down/d.rs", about("doors"));
    eventually("a second file there", || project.finds("doors", "deep/down/d.rs"));
    project.files.rename("b.rs", "moved.rs");
    eventually("the rename", || project.finds("bears", "moved.rs") && !project.finds("bears", "b.rs"));
    std::fs::remove_dir_all(project.files.path("deep")).unwrap();
    eventually("the deleted directory", || project.engine.status().unwrap().files == 2);
    eventually("stage two of all that", || project.engine.status().unwrap().coverage.fraction() >= 1.0);
}

#[test]
fn a_new_rule_is_applied() {
    let (project, _keeper) = kept(&[("a.rs", &about("apples")), ("b.rs", &about("bears"))]);
    project.files.write(".vectorcodeignore", "b.rs\n");
    eventually("the ignored file to go", || !project.finds("bears", "b.rs"));
}

#[test]
fn ignored_files_cause_no_work() {
    let (project, _keeper) = kept(&[(".gitignore", "*.log\nout/\n"), ("a.rs", &about("apples"))]);
    let synced = project.engine.status().unwrap().last_sync_at;
    let calls = project.embedder.calls();
    for number in 0..20 {
        project.files.write("debug.log", format!("line {number}"));
        project.files.write("out/x.rs", about("bears"));
    }
    project.files.write("a.rs", about("oranges"));
    eventually("the one real change", || project.finds("oranges", "a.rs"));
    assert!(!project.finds("bears", "out/x.rs"));
    assert!(project.embedder.calls() >= calls);
    assert!(project.engine.status().unwrap().last_sync_at >= synced);
}

#[test]
fn a_thousand_files_at_once() {
    let (project, _keeper) = kept(&[("a.rs", &about("apples"))]);
    for number in 0..1_000 {
        project.files.write(&format!("many/f{number}.rs"), about(&format!("topic{number}")));
    }
    eventually("all of them", || project.engine.status().unwrap().files == 1_001);
}

#[test]
fn when_the_keeper_ends_another_takes_over() {
    let (project, first) = kept(&[("a.rs", &about("apples"))]);
    let engine = Arc::new(project.reopened(Arc::new(FakeEmbedder::new(32))));
    let _second = Keeper::start(engine, OPTIONS).unwrap();
    drop(first);
    project.files.write("a.rs", about("oranges"));
    eventually("the second to follow the change", || project.finds("oranges", "a.rs"));
}
