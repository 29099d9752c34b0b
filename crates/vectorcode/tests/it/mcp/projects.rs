//! One server and several projects: each call gets results from the project that it names, and from no other.

use std::path::Path;

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use super::client::{Server, ToolAnswer};

const ANIMALS: [&str; 3] = ["zebra", "walrus", "penguin"];

/// Three projects with the same names in them, which only differ in their animals.
fn shelf() -> TempProject {
    let shelf = TempProject::empty();
    for animal in ANIMALS {
        shelf.write(
            &format!("{animal}/src/{animal}.rs"),
            format!(
                "/// Counts every {animal} of the zoo.\npub fn count_animals() -> usize {{\n    {animal}_house().len()\n}}\n\n\
                 pub fn {animal}_keeper() -> usize {{\n    count_animals()\n}}\n"
            ),
        );
        shelf.write(
            &format!("{animal}/notes/{animal}.md"),
            format!("# Rules\n\nFeed the {animal} at noon.\n"),
        );
        let artifact = format!("[[artifacts]]\nname = \"{animal}-rules\"\npath = \"notes/{animal}.md\"\n");
        shelf.write(&format!("{animal}/.vectorcode/config.toml"), artifact);
    }
    shelf
}

fn text_of(path: &Path) -> String {
    vectorcode_core::canonical(path).unwrap().display().to_string()
}

/// Every tool that reads an index, with arguments that are valid in each of the projects.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("vec_search", json!({"query": "count the animals of the zoo", "threshold": 0.0})),
        ("vec_search", json!({"query": "count_animals", "mode": "exact"})),
        ("vec_search", json!({"query": "fn count_animals() -> usize", "mode": "similar", "threshold": 0.0})),
        ("vec_symbols", json!({"name": "count_animals"})),
        ("vec_symbols", json!({"path": "src"})),
        ("vec_graph", json!({"action": "callers", "target": "count_animals"})),
        ("vec_read", json!({"target": "count_animals"})),
        ("vec_context", json!({"action": "list"})),
        ("vec_context", json!({"action": "search", "query": "when to feed", "threshold": 0.0})),
    ]
}

/// Calls until the project is ready. A result from another project is always wrong.
fn ask(
    server: &mut Server,
    tool: &str,
    mut arguments: Value,
    project: Option<&str>,
    animal: &str,
) -> ToolAnswer {
    if let Some(project) = project {
        arguments["project"] = project.into();
    }
    server.call_until(tool, &arguments, |answer| {
        let shown = format!("{}{}", answer.text, answer.structured);
        for other in ANIMALS.iter().filter(|other| **other != animal) {
            assert!(!shown.contains(other), "{tool} {arguments} of {animal} answers\n{shown}");
        }
        !answer.is_error && shown.contains(animal) && !shown.contains("is being updated")
    })
}

#[test]
fn three_projects_never_answer_for_each_other() {
    let shelf = shelf();
    let mut server = Server::start_in(&shelf.path("zebra"), &["--debounce", "100"]);
    server.initialize("2025-11-25");
    server.synced();
    server.run(&shelf.path("walrus"), &["index", "--quiet"]);
    let unindexed = text_of(&shelf.path("penguin"));
    let named = [("zebra", None), ("walrus", Some("walrus")), ("penguin", Some(unindexed.as_str()))];
    for (tool, arguments) in calls() {
        for (animal, project) in named {
            ask(&mut server, tool, arguments.clone(), project, animal);
        }
    }
    for (animal, project) in named {
        let status = ask(&mut server, "vec_status", json!({}), project, animal);
        assert_eq!(status.structured["project_root"], text_of(&shelf.path(animal)), "{status:#?}");
        assert_eq!(status.structured["files"], 2, "{status:#?}");
    }
    // By a path inside it, relative to the current project, by its own name, and with the argument name of other servers.
    ask(
        &mut server,
        "vec_read",
        json!({"target": "count_animals"}),
        Some("../walrus/src/walrus.rs"),
        "walrus",
    );
    ask(&mut server, "vec_read", json!({"target": "count_animals"}), Some("zebra"), "zebra");
    let other_name = json!({"target": "count_animals", "projectPath": unindexed});
    let answer = ask(&mut server, "vec_read", other_name, None, "penguin");
    assert!(answer.text.starts_with(&format!("In {unindexed}, ")), "{}", answer.text);
}

#[test]
fn a_project_that_is_not_there_is_an_error_that_names_those_that_are() {
    let shelf = shelf();
    let mut server = Server::start_in(&shelf.path("zebra"), &[]);
    server.initialize("2025-11-25");
    server.synced();
    server.run(&shelf.path("walrus"), &["index", "--quiet"]);
    let home = server.home().display().to_string();
    for project in ["wallrus", "/no/such/folder", "src"] {
        for (tool, mut arguments) in calls() {
            arguments["project"] = project.into();
            let answer = server.call(tool, &arguments);
            assert!(answer.is_error, "{tool}: {}", answer.text);
            assert!(answer.text.contains("Known projects: walrus, zebra."), "{tool}: {}", answer.text);
        }
    }
    for (project, reason) in [("/", "the root of a file system"), (home.as_str(), "your home directory")] {
        let answer = server.call("vec_search", &json!({"query": "animals", "project": project}));
        assert!(answer.is_error && answer.text.contains(reason), "{}", answer.text);
    }
    assert!(!Path::new(&home).join(".vectorcode").exists(), "nothing is made there");
    for misread in [json!({"project": 5}), json!({"projectName": "walrus"}), json!({"Project": "walrus"})] {
        let mut arguments = json!({"target": "count_animals"});
        arguments.as_object_mut().unwrap().extend(misread.as_object().unwrap().clone());
        let answer = server.call("vec_read", &arguments);
        assert!(answer.is_error && answer.text.contains("`project`"), "{arguments}: {}", answer.text);
    }
    let several = json!({"query": "count_animals", "mode": "exact", "projects": "all"});
    assert!(server.call("vec_search", &several).is_error, "an exact search covers one project");
}

#[cfg(unix)]
#[test]
fn a_directory_of_another_user_is_not_opened() {
    let shelf = shelf();
    if std::os::unix::fs::chown(shelf.path("penguin"), Some(12345), None).is_err() {
        return; // Only root can give files away.
    }
    let mut server = Server::start_in(&shelf.path("zebra"), &[]);
    server.initialize("2025-11-25");
    let project = text_of(&shelf.path("penguin"));
    let answer = server.call("vec_search", &json!({"query": "animals", "project": project}));
    assert!(answer.is_error && answer.text.contains("a directory of another user"), "{}", answer.text);
    assert!(!shelf.path("penguin/.vectorcode/index.db").exists());
}

#[test]
fn the_roots_of_the_client_choose_the_project() {
    let shelf = shelf();
    let home = ScratchHome::new();
    let start = home.path().to_path_buf();
    let mut server = Server::start_at_home(home, &start, &["--debounce", "100"]);
    server.initialize_as("2025-11-25", &json!({"roots": {"listChanged": true}}));
    let choose = |server: &mut Server, animal: &str| {
        let call =
            server.begin("tools/call", &json!({"name": "vec_status", "arguments": {"format": "json"}}));
        let asked = server.frame(|frame| frame["method"] == "roots/list");
        let roots = json!([{"uri": "file:///no/such/folder"}, {"uri": format!("file://{}", shelf.path(animal).display())}]);
        let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}});
        server.send_line(answer.to_string().as_bytes());
        let status = ToolAnswer::of(&server.answer_to(call));
        assert_eq!(status.structured["project_root"], text_of(&shelf.path(animal)), "{status:#?}");
        ask(server, "vec_read", json!({"target": "count_animals"}), None, animal);
    };
    choose(&mut server, "walrus");
    server.notify("notifications/roots/list_changed", &json!({}));
    server.request("ping", &json!({}));
    choose(&mut server, "penguin");
}

#[test]
fn projects_are_listed_watched_and_removed() {
    let shelf = shelf();
    let mut server = Server::start_in(&shelf.path("zebra"), &["--debounce", "100"]);
    server.initialize("2025-11-25");
    server.synced();
    let walrus = text_of(&shelf.path("walrus"));
    ask(&mut server, "vec_read", json!({"target": "count_animals"}), Some(&walrus), "walrus");
    let state = |wanted: Value| {
        move |answer: &ToolAnswer| {
            let projects = answer.structured["projects"].as_array().unwrap();
            let found = projects.iter().find(|project| project["name"] == "walrus");
            found.is_some_and(|project| project["watched"] == wanted && project["open"] == true)
        }
    };
    let list = json!({"action": "projects"});
    server.call_until("vec_status", &list, state(json!(true)));
    let stopped = server.call("vec_status", &json!({"action": "unwatch", "project": "walrus"}));
    assert!(stopped.text.contains("idle") && !stopped.is_error, "{stopped:#?}");
    server.call_until("vec_status", &list, state(json!(false)));
    server.call("vec_status", &json!({"action": "watch", "project": "walrus"}));
    server.call_until("vec_status", &list, state(json!(true)));

    assert!(server.call("vec_status", &json!({"action": "remove"})).is_error, "a project must be named");
    let removed = server.call("vec_status", &json!({"action": "remove", "project": "walrus"}));
    assert_eq!(removed.structured["state"], "removed", "{removed:#?}");
    assert!(!shelf.path("walrus/.vectorcode/index.db").exists());
    let listed = server.call("vec_status", &list);
    assert!(!listed.text.contains("walrus") && listed.text.contains("zebra"), "{}", listed.text);
    assert!(server.call("vec_read", &json!({"target": "count_animals", "project": "walrus"})).is_error);
    ask(&mut server, "vec_read", json!({"target": "count_animals"}), None, "zebra");
}

/// Whether the server has a project open.
fn is_open(answer: &ToolAnswer, name: &str) -> bool {
    let projects = answer.structured["projects"].as_array().unwrap();
    projects.iter().any(|project| project["name"] == name && project["open"] == true)
}

#[test]
fn what_is_idle_is_closed_and_opened_again_when_it_is_asked() {
    let shelf = shelf();
    let environment = [("VECTORCODE_SERVER_IDLE_SECS", Path::new("1"))];
    let mut server = Server::start_with(ScratchHome::new(), &shelf.path("zebra"), &[], &environment);
    server.initialize("2025-11-25");
    server.synced();
    for _ in 0..2 {
        ask(&mut server, "vec_read", json!({"target": "count_animals"}), Some("../walrus"), "walrus");
        let list = json!({"action": "projects"});
        let closed = server.call_until("vec_status", &list, |answer| !is_open(answer, "walrus"));
        assert!(is_open(&closed, "zebra"), "the project of the start stays: {closed:#?}");
    }
}

#[test]
fn the_project_used_longest_ago_makes_room() {
    let shelf = shelf();
    let environment = [("VECTORCODE_SERVER_OPEN_PROJECTS", Path::new("2"))];
    let mut server = Server::start_with(ScratchHome::new(), &shelf.path("zebra"), &[], &environment);
    server.initialize("2025-11-25");
    server.synced();
    for animal in ["walrus", "penguin", "walrus"] {
        ask(
            &mut server,
            "vec_read",
            json!({"target": "count_animals"}),
            Some(&format!("../{animal}")),
            animal,
        );
        server.call_until("vec_status", &json!({"action": "projects"}), |list| {
            ["walrus", "penguin"].iter().all(|other| is_open(list, other) == (*other == animal))
        });
    }
    server.call("vec_status", &json!({"action": "watch", "project": "walrus"}));
    let full = server.call("vec_read", &json!({"target": "count_animals", "project": "penguin"}));
    assert!(full.is_error && full.text.contains("server.open_projects"), "{}", full.text);
}
