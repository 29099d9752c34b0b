//! Context artifacts on the command line.

use super::run::{Cli, stderr};

fn shop() -> Cli {
    Cli::new(&[
        (
            ".vectorcode/config.toml",
            "[[artifacts]]\nname = \"schema\"\npath = \"generated/schema.sql\"\ndescription = \"All tables.\"\n\n\
             [[artifacts]]\nname = \"runbooks\"\npath = \"ops\"\n\n\
             [[artifacts]]\nname = \"lost\"\npath = \"docs/lost.md\"\n",
        ),
        (".gitignore", "generated/\nops/\n"),
        (
            "generated/schema.sql",
            "CREATE TABLE invoices (\n  id INTEGER PRIMARY KEY,\n  customer TEXT NOT NULL\n);\n",
        ),
        ("ops/failover.runbook", "Failover of the database: stop the writers, then promote the replica.\n"),
        ("src/invoice.py", "def print_invoice(invoice):\n    return invoice.customer + invoice.total\n"),
    ])
}

#[test]
fn artifacts_are_listed_with_their_state() {
    let cli = shop();
    assert!(cli.stdout(&["context", "list"]).contains("schema  generated/schema.sql  pending, 0 files"));
    cli.stdout(&["index", "--quiet"]);
    let text = cli.stdout(&["context", "list"]);
    insta::assert_snapshot!(text, @r"
    schema  generated/schema.sql  indexed, 1 file, 1 chunk
        All tables.
    runbooks  ops  indexed, 1 file, 1 chunk
    lost  docs/lost.md  missing
        there is nothing at docs/lost.md
    ");
    let json = cli.json(&["context", "list", "--json"]);
    assert_eq!(json["artifacts"][0]["name"], "schema");
    assert_eq!(json["artifacts"][2]["state"], "missing");
    assert_eq!(json["artifacts"][2]["defined_in"], "config.toml");
}

#[test]
fn the_context_is_searched_alone_or_left_out() {
    let cli = shop();
    let find = |args: &[&str]| {
        let found = cli.stdout(&[args, &["--files", "--threshold", "0", "customer of an invoice"]].concat());
        let mut found: Vec<String> = found.lines().map(str::to_owned).collect();
        found.sort();
        found.join(" ")
    };
    assert_eq!(find(&["context", "search"]), "generated/schema.sql ops/failover.runbook");
    assert_eq!(find(&["context", "search", "--artifact", "schema"]), "generated/schema.sql");
    assert_eq!(find(&["search", "--path", "src/"]), "src/invoice.py");
    assert!(find(&["search"]).contains("generated/schema.sql"));
    assert!(!find(&["search", "--artifacts", "exclude"]).contains("generated/schema.sql"));
    let said = stderr(&cli.run(&["context", "search", "replica"]));
    assert!(said.contains("`lost`: there is nothing at docs/lost.md"), "{said}");
    let said = cli.fails(&["context", "search", "--artifact", "schem", "x"], 2);
    assert!(said.contains("Known artifacts: schema, runbooks, lost."), "{said}");
}

#[test]
fn one_artifact_is_brought_up_to_date() {
    let cli = shop();
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli.project.write("ops/restore.runbook", "Restore the last backup into a new machine.\n");
    cli.project.write("src/other.py", "def other():\n    return 1\n");
    let report = cli.json(&["context", "index", "runbooks", "--json", "--quiet"]);
    assert_eq!(report["files_changed"], 1, "{report}");
    let found =
        cli.stdout(&["context", "search", "--no-sync", "--files", "-n", "1", "-t", "0", "restore a backup"]);
    assert_eq!(found, "ops/restore.runbook\n");
}

#[test]
fn a_removed_artifact_is_forgotten_and_its_files_stay() {
    let cli = shop();
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli.stdout(&["context", "remove", "runbooks"]);
    assert!(!cli.project.read(".vectorcode/config.toml").contains("runbooks"));
    assert!(cli.project.path("ops/failover.runbook").exists());
    let found = cli.run(&["search", "--files", "--threshold", "0", "promote the replica"]);
    assert!(!String::from_utf8_lossy(&found.stdout).contains("ops/"), "{found:?}");
    cli.fails(&["context", "remove", "runbooks"], 2);
}

#[test]
fn all_artifacts_are_removed_at_once_from_both_files() {
    let cli = shop();
    let theirs = ".socraticodecontextartifacts.json";
    cli.project
        .write(theirs, r#"{"artifacts": [{"name": "api", "path": "ops", "description": "x"}], "more": 1}"#);
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli.fails(&["context", "remove"], 2);
    cli.stdout(&["context", "remove", "--all"]);
    assert_eq!(cli.project.read(theirs), r#"{"artifacts": [], "more": 1}"#);
    assert!(!cli.project.read(".vectorcode/config.toml").contains("artifacts"));
    cli.fails(&["context", "list"], 0);
    let found = cli.run(&["search", "--files", "--threshold", "0", "promote the replica"]);
    assert!(!String::from_utf8_lossy(&found.stdout).contains("ops/"), "{found:?}");
}

#[test]
fn problems_are_told_where_people_look() {
    let cli = shop();
    cli.stdout(&["index", "--quiet"]);
    let problem = "Context artifact `lost`: there is nothing at docs/lost.md";
    assert!(cli.stdout(&["status"]).contains(problem));
    assert!(cli.stdout(&["doctor"]).contains(problem));
}

#[test]
fn socraticodes_file_works_as_it_is() {
    let cli = Cli::new(&[
        (
            ".socraticodecontextartifacts.json",
            r#"{"artifacts": [{"name": "api-spec", "path": "./docs/openapi.yaml", "description": "The HTTP API."}]}"#,
        ),
        (
            "docs/openapi.yaml",
            "paths:\n  /invoices:\n    get:\n      summary: List the invoices of a customer\n",
        ),
        ("src/a.py", "def a():\n    return 1\n"),
    ]);
    let found = cli.stdout(&["context", "search", "--files", "-t", "0", "list invoices"]);
    assert_eq!(found, "docs/openapi.yaml\n");
    cli.stdout(&["context", "remove", "api-spec"]);
    assert_eq!(cli.project.read(".socraticodecontextartifacts.json"), r#"{"artifacts": []}"#);
}

#[test]
fn a_project_without_artifacts_says_how_to_get_some() {
    let cli = Cli::new(&[("a.py", "def a():\n    return 1\n")]);
    assert!(cli.fails(&["context", "list"], 0).contains("[[artifacts]]"));
    assert!(cli.fails(&["context", "search", "x"], 2).contains("[[artifacts]]"));
}
