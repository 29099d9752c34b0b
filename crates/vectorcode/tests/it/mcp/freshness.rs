//! The index follows the disk while a server runs, and results say where it is out of date.

use std::fs::File;
use std::process::Command;

use serde_json::json;
use vectorcode_testkit::TempProject;

use super::client::{Server, ToolAnswer};

const QUERY: &str = "zebra counting";

fn function(name: &str) -> String {
    format!("/// Zebra counting.\npub fn {name}(zebras: &[Zebra]) -> usize {{\n    zebras.len()\n}}\n")
}

fn project() -> TempProject {
    TempProject::new(&[("src/lib.rs", &function("count_zebras")), ("src/other.rs", "pub fn nothing() {}\n")])
}

/// A server with an index and a debounce time of one hour, so that it does not index changes by itself.
fn patient_server(project: &TempProject) -> Server {
    let mut server = Server::start_in(project.root(), &["--debounce", "3600000"]);
    server.initialize("2025-11-25");
    server.synced();
    server
}

/// Takes the write lock like another process would: changes stay pending until the file is dropped.
fn lock_index(project: &TempProject) -> File {
    let lock = File::options().write(true).open(project.path(".vectorcode/lock")).unwrap();
    lock.lock().unwrap();
    lock
}

fn search_until(server: &mut Server, wanted: impl Fn(&ToolAnswer) -> bool) -> ToolAnswer {
    server.call_until("vec_search", &json!({"query": QUERY, "threshold": 0.0, "limit": 50}), wanted)
}

#[test]
fn edits_creations_renames_and_deletions_are_followed() {
    let project = project();
    let mut server = Server::ready(&project);
    server.synced();

    project.write("src/lib.rs", function("count_all_zebras_twice"));
    search_until(&mut server, |answer| answer.text.contains("count_all_zebras_twice"));

    project.write("src/deep/new.rs", function("count_new_zebras"));
    search_until(&mut server, |answer| answer.paths().contains(&"src/deep/new.rs"));

    project.rename("src/deep/new.rs", "src/deep/renamed.rs");
    search_until(&mut server, |answer| {
        answer.paths().contains(&"src/deep/renamed.rs") && !answer.paths().contains(&"src/deep/new.rs")
    });

    project.remove("src/deep");
    search_until(&mut server, |answer| !answer.paths().contains(&"src/deep/renamed.rs"));
}

#[test]
fn changes_made_while_no_server_ran_are_caught_up_with() {
    let project = project();
    Server::ready(&project).synced();
    project.write("src/later.rs", function("count_later_zebras"));
    project.remove("src/other.rs");
    let mut server = Server::ready(&project);
    search_until(&mut server, |answer| answer.paths().contains(&"src/later.rs"));
    assert_eq!(server.synced().structured["files"], 2, "one file came, one went");
}

#[test]
fn an_edit_is_found_before_the_watcher_is_done_waiting() {
    let project = project();
    // With a debounce time of an hour, the watcher indexes nothing after the first index.
    let mut server = patient_server(&project);
    project.write("src/lib.rs", function("count_zebras_again"));
    project.write("src/new.rs", function("count_more_zebras"));
    project.remove("src/other.rs");
    let found = search_until(&mut server, |answer| {
        answer.text.contains("count_zebras_again") && answer.paths().contains(&"src/new.rs")
    });
    assert!(!found.text.contains('\u{26a0}'), "{}", found.text);
    let symbols = server.call("vec_symbols", &json!({"name": "count_more_zebras"}));
    assert_eq!(symbols.structured["symbols"][0]["path"], "src/new.rs", "{symbols:#?}");
    let gone = server.call("vec_search", &json!({"query": "nothing", "threshold": 0.0}));
    assert!(!gone.paths().contains(&"src/other.rs") && !gone.text.contains("other.rs"), "{}", gone.text);
}

#[test]
fn a_changed_file_that_cannot_be_indexed_yet_stands_in_the_banner() {
    let project = project();
    let mut server = patient_server(&project);
    let lock = lock_index(&project);
    project.write("src/lib.rs", "pub fn entirely_different() -> u8 {\n    42\n}\n");
    let stale = search_until(&mut server, |answer| answer.text.contains('\u{26a0}'));
    assert!(stale.text.starts_with(
        "\u{26a0}\u{fe0f} Some files referenced below were modified since the last index sync\n\
         and may not reflect the latest content:\n  - src/lib.rs (modified "
    ));
    let symbols = server.call_until("vec_symbols", &json!({"name": "count_zebras"}), |answer| {
        answer.text.contains("not indexed yet: src/lib.rs")
    });
    assert!(!symbols.is_error);
    drop(lock);
    search_until(&mut server, |answer| !answer.text.contains('\u{26a0}'));
}

#[test]
fn answers_and_errors_about_structure_say_what_is_not_indexed_yet() {
    let project = project();
    let mut server = patient_server(&project);
    // As it may be for a while after a checkout.
    let _lock = lock_index(&project);
    project.write("src/new.rs", function("count_new_zebras"));
    project.rename("src/other.rs", "src/moved.rs");
    let pending = "Changed a moment ago and not indexed yet: ";
    let mut until_noted =
        |tool: &str, arguments| server.call_until(tool, &arguments, |answer| answer.text.contains(pending));
    assert!(!until_noted("vec_symbols", json!({"name": "count_zebras"})).is_error);
    assert!(!until_noted("vec_symbols", json!({"path": "src"})).is_error);
    assert!(!until_noted("vec_graph", json!({"action": "callers", "target": "count_zebras"})).is_error);
    let moved = until_noted("vec_read", json!({"target": "nothing"}));
    assert!(moved.text.starts_with("src/other.rs is no longer on disk\n"), "{moved:#?}");
    let new = until_noted("vec_read", json!({"target": "count_new_zebras"}));
    assert!(new.text.starts_with("There is no symbol count_new_zebras in the index\n"), "{new:#?}");
}

#[test]
fn an_ignored_file_causes_no_work() {
    let project = project();
    project.write(".gitignore", "/target/\n*.log\n");
    project.write("target/out.rs", "pub fn built() {}\n");
    let mut server = Server::ready(&project);
    let files = server.synced().structured["files"].as_u64().unwrap();
    for round in 0..20 {
        project.write("target/out.rs", format!("pub fn built_{round}() {{}}\n"));
        project.write("run.log", format!("line {round}\n"));
    }
    // Then an indexed file changes. When that change is in the index, the ignored ones would have been too.
    project.write("src/marker.rs", function("count_marked_zebras"));
    search_until(&mut server, |answer| answer.paths().contains(&"src/marker.rs"));
    assert_eq!(server.synced().structured["files"], files + 1);
}

#[test]
fn a_thousand_files_at_once_are_taken_in() {
    let project = project();
    let mut server = Server::ready(&project);
    server.synced();
    for number in 0..1000 {
        project.write(&format!("src/bulk/file_{number}.rs"), function(&format!("count_zebras_{number}")));
    }
    server.call_until("vec_status", &json!({}), |status| status.structured["files"] == 1002);
    project.remove("src/bulk");
    server.call_until("vec_status", &json!({}), |status| status.structured["files"] == 2);
}

#[test]
fn the_checkout_of_another_branch_is_followed() {
    let project = project();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=it", "-c", "user.email=it@example.com"]).args(arguments);
        let output = command.current_dir(project.root()).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    };
    project.write(".gitignore", ".vectorcode/\n");
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    git(&["checkout", "-q", "-b", "feature"]);
    project.write("src/feature.rs", function("count_feature_zebras"));
    project.write("src/lib.rs", function("count_changed_zebras"));
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "second"]);

    let mut server = Server::ready(&project);
    server.synced();
    git(&["checkout", "-q", "main"]);
    search_until(&mut server, |answer| {
        !answer.paths().contains(&"src/feature.rs") && answer.text.contains("pub fn count_zebras")
    });
    git(&["checkout", "-q", "feature"]);
    search_until(&mut server, |answer| {
        answer.paths().contains(&"src/feature.rs") && answer.text.contains("pub fn count_changed_zebras")
    });
}
