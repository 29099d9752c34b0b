//! `vectorcode stats`: local recording, switching it off, deleting it.

use serde_json::Value;

use super::run::Cli;

fn project() -> Cli {
    let cli = Cli::new(&[("src/lib.rs", "pub fn retry_payment() -> u32 {\n    7\n}\n")]);
    cli.stdout(&["index", "--fast"]);
    cli
}

fn calls(cli: &Cli, name: &str) -> Option<u64> {
    let output = cli.run(&["stats", "--json"]);
    let usage: Value = serde_json::from_slice(&output.stdout).unwrap();
    usage["tools"].as_array()?.iter().find(|tool| tool["name"] == name)?["calls"].as_u64()
}

#[test]
fn commands_are_counted_until_the_record_is_deleted() {
    let cli = project();
    cli.stdout(&["stats"]);
    for _ in 0..3 {
        cli.stdout(&["search", "-t", "0", "retry a payment"]);
    }
    cli.stdout(&["symbols", "retry_payment"]);
    assert_eq!((calls(&cli, "search"), calls(&cli, "symbols")), (Some(3), Some(1)));
    let table = cli.stdout(&["stats"]);
    assert!(
        table.lines().nth(1).is_some_and(|row| row.starts_with("search  ") && row.contains(" 3 ")),
        "{table}"
    );
    cli.stdout(&["stats", "--reset"]);
    assert_eq!(calls(&cli, "search"), None);
}

#[test]
fn nothing_is_recorded_where_the_user_does_not_want_it() {
    let cli = project();
    cli.stdout(&["config", "set", "--user", "usage.record", "false"]);
    cli.stdout(&["search", "-t", "0", "retry a payment"]);
    assert!(!cli.project.path(".vectorcode/calls.log").exists());
    assert!(cli.fails(&["stats"], 0).contains("usage.record is false"));
}

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_costs_nothing_else() {
    let cli = project();
    let victim = cli.project.path("victim");
    std::fs::write(&victim, "precious\n").unwrap();
    std::os::unix::fs::symlink(&victim, cli.project.path(".vectorcode/calls.log")).unwrap();
    assert!(cli.stdout(&["search", "-t", "0", "retry a payment"]).contains("retry_payment"));
    assert_eq!(cli.project.read("victim"), "precious\n");
    assert!(cli.fails(&["stats"], 2).contains("calls.log"));
}

#[test]
fn removing_the_index_removes_the_record() {
    let cli = project();
    cli.stdout(&["search", "-t", "0", "retry a payment"]);
    assert!(cli.project.path(".vectorcode/calls.log").exists());
    cli.stdout(&["remove", "--yes"]);
    assert!(!cli.project.path(".vectorcode").exists());
}
