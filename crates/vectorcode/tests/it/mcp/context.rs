//! Context artifacts and other projects, as agents use them.

use std::process::Command;

use serde_json::json;
use vectorcode_testkit::{ScratchHome, TempProject};

use super::client::Server;

fn shop() -> TempProject {
    TempProject::new(&[
        (
            ".vectorcode/config.toml",
            "linked_projects = [\"../web\"]\n\n[[artifacts]]\nname = \"schema\"\npath = \"generated/schema.sql\"\n\
             description = \"All tables.\"\n\n[[artifacts]]\nname = \"lost\"\npath = \"lost.md\"\n",
        ),
        (".gitignore", "generated/\n"),
        ("generated/schema.sql", "CREATE TABLE invoices (\n  id INTEGER PRIMARY KEY,\n  customer TEXT\n);\n"),
        ("src/invoice.py", "def print_invoice(invoice):\n    return invoice.customer + invoice.total\n"),
    ])
}

#[test]
fn documents_are_listed_searched_indexed_and_removed() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let list = server.call("vec_context", &json!({"action": "list"}));
    assert_eq!(list.structured["artifacts"][0]["state"], "indexed", "{list:#?}");
    assert!(list.text.contains("schema (generated/schema.sql): indexed, 1 file"), "{}", list.text);
    assert!(list.text.contains("Problem: there is nothing at lost.md"), "{}", list.text);
    let find = json!({"action": "search", "query": "customer of an invoice", "threshold": 0});
    let found = server.call("vec_context", &find);
    assert_eq!(found.paths(), ["generated/schema.sql"], "{found:#?}");
    assert_eq!(found.structured["results"][0]["artifact"], "schema");
    assert!(found.text.contains("(artifact schema)"), "{}", found.text);
    let indexed = server.call("vec_context", &json!({"action": "index", "artifact": "schema"}));
    assert_eq!(indexed.structured["state"], "done", "{indexed:#?}");
    let removed = server.call("vec_context", &json!({"action": "remove", "artifact": "schema"}));
    // The watcher may have removed the file from the index before this run.
    assert_eq!(removed.structured["state"], "done", "{removed:#?}");
    assert!(!project.read(".vectorcode/config.toml").contains("schema.sql"));
    assert!(server.call("vec_context", &find).paths().is_empty());
    let status = server.call("vec_status", &json!({}));
    assert!(status.text.contains("Note: Context artifact `lost`"), "{}", status.text);
}

#[test]
fn a_new_document_is_noticed_while_the_server_runs() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    project.write("generated/api.txt", "The endpoint for refunds takes an order number.\n");
    project.write(
        ".socraticodecontextartifacts.json",
        r#"{"artifacts": [{"name": "api", "path": "generated/api.txt", "description": "HTTP."}]}"#,
    );
    let find = json!({"action": "search", "artifact": "api", "query": "refunds", "threshold": 0});
    let found = server.call_until("vec_context", &find, |answer| !answer.paths().is_empty());
    assert_eq!(found.paths(), ["generated/api.txt"]);
}

#[test]
fn what_an_action_needs_is_said() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    for (arguments, said) in [
        (json!({}), "`action`"),
        (json!({"action": "search"}), "`query`"),
        (json!({"action": "remove"}), "`artifact`"),
        (json!({"action": "search", "query": "x", "artifact": "schem"}), "schema, lost"),
    ] {
        let answer = server.call("vec_context", &arguments);
        assert!(answer.is_error && answer.text.contains(said), "{arguments}: {answer:#?}");
    }
}

#[test]
fn other_projects_are_searched_by_name_all_or_linked() {
    let shelf = TempProject::new(&[
        ("web/src/invoice.ts", "export function showInvoice(invoice) {\n  return invoice.customer;\n}\n"),
        (
            "cli/src/invoice.rs",
            "fn print_invoice(invoice: &Invoice) {\n    println!(\"{}\", invoice.customer);\n}\n",
        ),
        ("shop/src/invoice.py", "def print_invoice(invoice):\n    return invoice.customer\n"),
        ("shop/.vectorcode/config.toml", "linked_projects = [\"../web\"]\n"),
    ]);
    let home = ScratchHome::new();
    for name in ["web", "cli"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        home.apply(&mut command).current_dir(shelf.path(name)).args(["index", "--fast", "--quiet"]);
        assert!(command.output().unwrap().status.success());
    }
    let mut trust = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
    home.apply(&mut trust).current_dir(shelf.path("shop")).args(["trust", "--yes"]);
    assert!(trust.output().unwrap().status.success());
    let mut server = Server::start_at_home(home, &shelf.path("shop"), &[]);
    server.initialize("2025-11-25");
    server.synced();
    let mut projects = |selection: &str| {
        let arguments = json!({"query": "customer of an invoice", "threshold": 0, "projects": selection});
        let answer = server.call("vec_search", &arguments);
        assert!(!answer.is_error, "{answer:#?}");
        let results = answer.structured["results"].as_array().unwrap().clone();
        let mut names: Vec<String> =
            results.iter().map(|result| result["project"].as_str().unwrap().to_owned()).collect();
        assert!(answer.text.contains(&format!("{}:src/invoice", names[0])), "{}", answer.text);
        names.sort();
        names.join(" ")
    };
    assert_eq!(projects("all"), "cli shop web");
    assert_eq!(projects("linked"), "shop web");
    assert_eq!(projects("cli, web"), "cli web");
    let answer = server.call("vec_search", &json!({"query": "x", "projects": "wbe"}));
    assert!(answer.is_error && answer.text.contains("Did you mean web?"), "{answer:#?}");
    let answer = server.call("vec_search", &json!({"query": "x", "projects": "/etc"}));
    assert!(answer.is_error, "{answer:#?}");
    let symbols = server.call("vec_symbols", &json!({"name": "showInvoice", "project": "web"}));
    assert_eq!(symbols.structured["symbols"][0]["path"], "src/invoice.ts", "{symbols:#?}");
    assert!(symbols.text.contains(&shelf.path("web").display().to_string()), "{}", symbols.text);
    let graph = server.call("vec_graph", &json!({"action": "stats", "project": "cli"}));
    assert_eq!(graph.structured["stats"]["files"], 1, "{graph:#?}");
    let answer = server.call("vec_graph", &json!({"action": "stats", "project": "wbe"}));
    assert!(answer.is_error && answer.text.contains("Did you mean web?"), "{answer:#?}");
    let like = json!({"query": "src/invoice.py:1", "mode": "similar", "threshold": 0, "projects": "web"});
    assert_eq!(server.call("vec_search", &like).paths(), ["src/invoice.ts"]);
}

#[test]
fn settings_are_followed_and_a_broken_edit_is_told() {
    const FILE: &str = ".vectorcode/config.toml";
    let project = shop();
    project.remove(FILE);
    let mut server = Server::ready(&project);
    server.synced();
    let lists_context = |server: &mut Server| {
        let tools = server.request("tools/list", &json!({}))["result"]["tools"].clone();
        tools.as_array().unwrap().iter().any(|tool| tool["name"] == "vec_context")
    };
    assert!(!lists_context(&mut server));
    let artifact = "[[artifacts]]\nname = \"schema\"\npath = \"generated/schema.sql\"\n";
    project.write(FILE, format!("[search]\ndefault_limit = 3\n{artifact}"));
    let found = server.call_until(
        "vec_context",
        &json!({"action": "search", "query": "invoices", "threshold": 0}),
        |answer| !answer.is_error && answer.paths() == ["generated/schema.sql"],
    );
    assert!(!found.is_error, "{found:#?}");
    assert!(lists_context(&mut server));
    project.write(FILE, "[search]\ndefault_limit = many\n");
    let status = server.call_until("vec_status", &json!({}), |status| status.text.contains("config.toml:2"));
    assert!(status.text.contains("the previous ones still apply"), "{}", status.text);
    assert!(lists_context(&mut server));
}
