//! Several work trees of one repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::run::{Cli, stderr};

const CODE: &str = "/// Adds the prices of an invoice.\npub fn invoice_total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";
const OTHER: &str = "/// Sends a payment again after a failure.\npub fn retry_payment() {}\n";

fn git(folder: &Path, args: &[&str]) -> bool {
    let person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    Command::new("git")
        .args(person)
        .args(args)
        .current_dir(folder)
        .output()
        .is_ok_and(|run| run.status.success())
}

/// A repository with an index; `None` where there is no git.
fn indexed() -> Option<Cli> {
    let cli = Cli::new(&[("main/src/total.rs", CODE)]);
    let main = cli.project.path("main");
    let is_made =
        git(&main, &["init", "-q"]) && git(&main, &["add", "."]) && git(&main, &["commit", "-qm", "First"]);
    cli.command(&["index"]).current_dir(&main).output().unwrap();
    is_made.then_some(cli)
}

fn search(cli: &Cli, folder: &str, question: &str) -> (String, String) {
    let args = ["search", "-t", "0", question];
    let output = cli.command(&args).current_dir(cli.project.path(folder)).output().unwrap();
    (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output))
}

#[test]
fn a_new_worktree_begins_with_what_another_has() {
    let Some(cli) = indexed() else { return };
    assert!(git(&cli.project.path("main"), &["worktree", "add", "-q", "../topic", "-b", "topic"]));
    fs::write(cli.project.path("topic/src/retry.rs"), OTHER).unwrap();
    fs::remove_file(cli.project.path("topic/src/total.rs")).unwrap();

    let (found, _) = search(&cli, "topic", "retry payment");
    assert!(found.contains("src/retry.rs") && !found.contains("total.rs"), "{found}");
    let (found, _) = search(&cli, "main", "retry payment");
    assert!(!found.contains("retry.rs"), "each answers for its own files: {found}");
    assert!(
        cli.project.path("topic/.vectorcode/index.db").exists(),
        "nothing is left behind when it is removed"
    );
}

#[test]
fn vectors_of_another_worktree_are_not_made_again() {
    let Some(cli) = indexed() else { return };
    assert!(git(&cli.project.path("main"), &["worktree", "add", "-q", "../topic", "-b", "topic"]));
    fs::write(cli.project.path("topic/src/retry.rs"), OTHER).unwrap();
    let status = |args: &[&str]| {
        let output = cli.command(args).current_dir(cli.project.path("topic")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    status(&["index", "--fast"]);
    let status: serde_json::Value = serde_json::from_str(&status(&["status", "--json"])).unwrap();
    assert_eq!(status["coverage"], serde_json::json!({"embedded": 1, "total": 2}));
}

/// A repository could name the work tree of another one, whose code would then be in its index.
#[test]
fn a_folder_that_does_not_name_the_repository_is_not_read() {
    let Some(cli) = indexed() else { return };
    let thief = cli.project.path("thief");
    fs::create_dir_all(thief.join("src")).unwrap();
    fs::write(thief.join("src/other.rs"), OTHER).unwrap();
    assert!(git(&thief, &["init", "-q"]));
    let named = thief.join(".git/worktrees/x");
    fs::create_dir_all(&named).unwrap();
    fs::write(named.join("gitdir"), format!("{}\n", cli.project.path("main/.git").display())).unwrap();
    search(&cli, "thief", "invoice total");
    let index = fs::read(thief.join(".vectorcode/index.db")).unwrap();
    assert!(!index.windows(13).any(|bytes| bytes == b"invoice_total"));
}
