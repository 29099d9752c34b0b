//! The keeper: catch-up at the start, changes as they come, one watcher at a time.

use std::sync::Arc;

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::Config;
use vectorcode_engine::Keeper;
use vectorcode_testkit::{Behaviour, FakeEmbedder, TempProject};

use crate::project::{Indexed, about, eventually, index_with};

/// Settings under which changes are indexed almost at once.
fn prompt() -> Config {
    let mut config = Config::default();
    config.watcher.debounce_ms = 50;
    config
}

fn kept(files: &[(&str, &str)]) -> (Indexed, Keeper) {
    let project = Indexed::of(TempProject::new(files), prompt());
    let keeper = Keeper::start(project.engine.clone()).unwrap();
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
    let mut config = prompt();
    config.indexing.auto_index = false;
    let project = Indexed::of(TempProject::new(&[("a.rs", &about("apples"))]), config);
    let keeper = Keeper::start(project.engine.clone()).unwrap();
    eventually("a look at the project", || keeper.has_caught_up());
    drop(keeper);
    assert!(!project.engine.is_indexed());
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
fn where_no_events_come_the_tree_is_read_again_and_again() {
    let mut config = prompt();
    config.watcher.poll_secs = Some(0);
    let project = Indexed::of(TempProject::new(&[("a.rs", &about("apples"))]), config);
    let _keeper = Keeper::start(project.engine.clone()).unwrap();
    eventually("the first index", || project.engine.is_indexed());
    project.files.write("a.rs", about("oranges"));
    eventually("the edit", || project.finds_fast("oranges", "a.rs"));
    project.files.write("deep/down/c.rs", about("cars"));
    eventually("the new file", || project.finds_fast("cars", "deep/down/c.rs"));
    project.files.remove("a.rs");
    eventually("the deleted file", || project.engine.status().unwrap().files == 1);
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

#[cfg(target_os = "linux")] // Other systems reject such names.
#[test]
fn a_name_that_is_not_utf8_does_not_keep_edits_out() {
    use std::os::unix::ffi::OsStrExt as _;
    let (project, _keeper) = kept(&[("a.rs", &about("apples"))]);
    let place = |name: &[u8]| project.files.root().join(std::ffi::OsStr::from_bytes(name));
    std::fs::write(place(b"caf\xe9.rs"), about("coffee")).unwrap();
    std::fs::create_dir(place(b"d\xe9j\xe0")).unwrap();
    project.files.write("a.rs", about("oranges"));
    eventually("the edit", || project.finds("oranges", "a.rs"));
    assert_eq!(project.engine.status().unwrap().files, 1);
}

#[cfg(unix)]
#[test]
fn a_directory_that_may_not_be_read_does_not_keep_edits_out() {
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
    let (project, _keeper) = kept(&[("a.rs", &about("apples"))]);
    let locked = project.files.path("locked");
    std::fs::DirBuilder::new().mode(0o000).create(&locked).unwrap();
    project.files.write("open/b.rs", about("bears"));
    eventually("a file beside it", || project.finds_fast("bears", "open/b.rs"));
    project.files.write("a.rs", about("oranges"));
    eventually("the edit", || project.finds_fast("oranges", "a.rs"));
    std::fs::set_permissions(locked, std::fs::Permissions::from_mode(0o700)).unwrap();
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
    let _second = Keeper::start(engine).unwrap();
    drop(first);
    project.files.write("a.rs", about("oranges"));
    eventually("the second to follow the change", || project.finds("oranges", "a.rs"));
}

#[cfg(unix)] // Windows cannot delete a cache that is open.
#[test]
fn edits_are_followed_while_the_whole_index_is_embedded_anew() {
    let (project, _keeper) = kept(&[("a.rs", &about("apples"))]);
    // Without the cache, so that the provider is called.
    std::fs::remove_dir_all(project.cache.path()).unwrap();
    let calls = project.embedder.calls();
    project.embedder.set_behaviour(Behaviour::Hang);
    let engine = Arc::new(project.reopened(project.embedder.clone()));
    let request = IndexRequest { full: true, ..IndexRequest::default() };
    std::thread::scope(|scope| {
        let reindex = scope.spawn(|| index_with(&engine, &request));
        eventually("stage two", || project.embedder.calls() > calls);
        project.files.write("a.rs", about("oranges"));
        project.files.write("b.rs", about("boats"));
        eventually("the edits", || {
            project.finds_fast("oranges", "a.rs") && project.finds_fast("boats", "b.rs")
        });
        assert!(!reindex.is_finished());
        project.embedder.set_behaviour(Behaviour::Work);
        assert_eq!(reindex.join().unwrap().unwrap().files, 2);
    });
    assert!(project.finds("oranges", "a.rs") && project.finds("boats", "b.rs"));
    eventually("stage two of the edits", || project.engine.status().unwrap().coverage.fraction() >= 1.0);
}

#[test]
fn a_fault_of_the_program_is_told_and_searches_go_on() {
    let project = Indexed::of(TempProject::new(&[("a.rs", &about("apples"))]), prompt());
    project.embedder.set_behaviour(Behaviour::Panic);
    let keeper = Keeper::start(project.engine.clone()).unwrap();
    let is_told = |note: &String| note.contains("a bug in vectorcode");
    eventually("the note", || {
        project.engine.status().is_ok_and(|status| status.chunks > 0 && status.notes.iter().any(is_told))
    });
    assert!(keeper.has_caught_up() && project.finds_fast("apples", "a.rs"));
}

#[test]
fn a_provider_that_is_down_does_not_keep_edits_out() {
    let (project, _keeper) = kept(&[("a.rs", &about("apples"))]);
    project.embedder.set_behaviour(Behaviour::Fail);
    for topic in ["oranges", "pears", "plums", "grapes"] {
        project.files.write("a.rs", about(topic));
        eventually("the edit", || project.finds_fast(topic, "a.rs"));
    }
}
