//! Stopping work: cancellation, removal, a server that does not watch; and what other processes see of the work.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use super::client::{PATIENCE, Server};

const FILES: usize = 120;

/// Enough code to take a while to embed, with each function in its own chunk.
fn many_functions() -> TempProject {
    let project = TempProject::empty();
    for file in 0..FILES {
        let function = |place: usize| {
            let line = |line: usize| format!("    total_{line} = value * {place} + {line} * {file}\n");
            let body: String = (0..10).map(line).collect();
            format!("def multiply_{file}_{place}(value):\n{body}    return total_0 + total_9\n\n")
        };
        project.write(&format!("src/file_{file}.py"), (0..20).map(function).collect::<String>());
    }
    project
}

fn status(server: &mut Server) -> Value {
    server.call_for_value("vec_status", &json!({})).structured
}

/// A server that has read all files and is embedding them.
fn embedding(project: &TempProject) -> Server {
    let mut server = Server::ready(project);
    server.synced();
    server.call_until("vec_status", &json!({}), |status| {
        let embedded = status.structured["embedded"].as_u64();
        assert!(
            embedded < status.structured["chunks"].as_u64(),
            "too few chunks to see the work: {status:#?}"
        );
        embedded > Some(0)
    });
    server
}

#[test]
fn after_a_cancel_the_coverage_stands_still() {
    let project = many_functions();
    let mut server = embedding(&project);
    let cancelled = server.call("vec_reindex", &json!({"cancel": true}));
    assert_eq!(cancelled.structured["state"], "cancelled", "{cancelled:#?}");
    server.call_until("vec_reindex", &json!({"cancel": true}), |answer| answer.structured["state"] == "idle");
    let embedded = status(&mut server)["embedded"].clone();
    // Edits are still indexed in the meantime. When they are found, the missing vectors would have been computed too.
    for name in ["one", "two", "three"] {
        project.write(&format!("src/{name}.py"), format!("def added_{name}(value):\n    return value\n"));
        server.call_until("vec_symbols", &json!({"name": format!("added_{name}")}), |answer| {
            answer.text.contains(&format!("src/{name}.py"))
        });
        let now = status(&mut server);
        assert_eq!(now["embedded"], embedded, "{now}");
        assert!(now["notes"].to_string().contains("Background work was cancelled"), "{now}");
    }
    server.call("vec_reindex", &json!({"wait": 0}));
    server.call_until("vec_status", &json!({}), |status| {
        status.structured["embedded"].as_u64() > embedded.as_u64()
    });
}

#[test]
fn the_first_index_of_a_server_can_be_cancelled() {
    let project = many_functions();
    let mut server = Server::ready(&project);
    let cancelled = server.call("vec_reindex", &json!({"cancel": true}));
    assert_eq!(cancelled.structured["state"], "cancelled", "{cancelled:#?}");
    server.call_until("vec_reindex", &json!({"cancel": true}), |answer| answer.structured["state"] == "idle");
    let stopped = server.call("vec_status", &json!({}));
    assert!(
        stopped.text.contains("first index") && stopped.text.contains("was cancelled"),
        "{}",
        stopped.text
    );
    let answer = server.search("multiply a value");
    assert!(answer.text.contains("was cancelled"), "{}", answer.text);
    let done = server.call("vec_reindex", &json!({"wait": 0}));
    assert!(!done.is_error, "{done:#?}");
    server.call_until("vec_status", &json!({}), |status| status.structured["files"] == FILES);
}

#[test]
fn a_server_lets_go_of_an_index_that_is_removed() {
    let project = TempProject::new(&[("src/lib.rs", "pub fn zebra() -> u32 {\n    7\n}\n")]);
    let mut server = Server::ready(&project);
    server.synced();
    assert_eq!(status(&mut server)["watched"], true);
    let printed = server.run(project.root(), &["remove", "--yes"]);
    assert!(printed.contains("Deleted"), "{printed}");
    let gone = |project: &TempProject| !project.path(".vectorcode/index.db").exists();
    assert!(gone(&project));
    // A change does not recreate the index.
    project.write("src/other.rs", "pub fn walrus() -> u32 {\n    8\n}\n");
    for (tool, arguments) in [
        ("vec_status", json!({})),
        ("vec_search", json!({"query": "zebra"})),
        ("vec_symbols", json!({"name": "zebra"})),
    ] {
        let answer = server.call(tool, &arguments);
        assert!(answer.is_error && answer.text.contains("was removed"), "{tool}: {}", answer.text);
    }
    assert!(gone(&project));
    let made = server.call("vec_reindex", &json!({"wait": 60}));
    assert_eq!(made.structured["state"], "done", "{made:#?}");
    project.write("src/third.rs", "pub fn penguin() -> u32 {\n    9\n}\n");
    server.call_until("vec_symbols", &json!({"name": "penguin"}), |answer| {
        answer.text.contains("src/third.rs")
    });
    server.call_until("vec_status", &json!({}), |status| status.structured["watched"] == true);
}

#[test]
fn a_server_that_embeds_lets_go_too() {
    let project = many_functions();
    let mut server = embedding(&project);
    let printed = server.run(project.root(), &["remove", "--yes"]);
    assert!(printed.contains("Deleted"), "{printed}");
    let answer = server.call("vec_status", &json!({}));
    assert!(answer.is_error && answer.text.contains("was removed"), "{}", answer.text);
    assert!(!project.path(".vectorcode/index.db").exists());
}

#[test]
fn a_server_that_does_not_watch_says_so() {
    let project = TempProject::new(&[("src/lib.rs", "pub fn zebra() -> u32 {\n    7\n}\n")]);
    let mut server = Server::start_in(project.root(), &["--no-watch"]);
    server.initialize("2025-11-25");
    let synced = server.synced();
    assert_eq!(synced.structured["watched"], false, "{synced:#?}");
    assert!(synced.text.contains("Watching:    no"), "{}", synced.text);
    let printed = server.run(project.root(), &["status"]);
    assert!(printed.contains("Watched:     no"), "{printed}");
    let refused = server.call("vec_status", &json!({"action": "watch"}));
    assert!(refused.is_error && refused.text.contains("--no-watch"), "{}", refused.text);
}

#[cfg(unix)] // On Windows a lock does not say who holds it.
#[test]
fn the_work_of_another_process_is_shown() {
    let project = many_functions();
    let server = embedding(&project);
    let deadline = Instant::now() + PATIENCE;
    loop {
        let printed = server.run(project.root(), &["status"]);
        let activity = printed.lines().find(|line| line.starts_with("Activity:")).unwrap_or_default();
        if activity.contains("embedding ") && activity.contains(" %, by vectorcode serve (process ") {
            return;
        }
        assert!(Instant::now() < deadline, "{printed}");
    }
}

#[test]
fn a_sandbox_without_a_writable_home_is_served() {
    let project = TempProject::new(&[("src/lib.rs", "pub fn zebra() -> u32 {\n    7\n}\n")]);
    // Nothing can be created below a file, not even by root.
    project.write("not-a-folder", "");
    let below = project.path("not-a-folder").join("home");
    let names = ["XDG_CACHE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"];
    let environment: Vec<(&str, &Path)> = names.iter().map(|name| (*name, below.as_path())).collect();
    let mut server =
        Server::start_with(ScratchHome::new(), project.root(), &["--debounce", "100"], &environment);
    server.initialize("2025-11-25");
    server.synced();
    assert_eq!(server.search("zebra").paths(), ["src/lib.rs"]);
    server.call_until("vec_status", &json!({}), |status| {
        status.structured["embedded"] == status.structured["chunks"]
    });
    project.write("src/other.rs", "pub fn walrus() -> u32 {\n    8\n}\n");
    server
        .call_until("vec_symbols", &json!({"name": "walrus"}), |answer| answer.text.contains("src/other.rs"));
    assert!(!server.call("vec_status", &json!({"action": "projects"})).is_error);
}
