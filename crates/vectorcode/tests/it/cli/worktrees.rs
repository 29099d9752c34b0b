//! Several worktrees of one repository.

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

/// A repository with an index; `None` without git.
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

fn add_worktree(cli: &Cli, name: &str) {
    let folder = format!("../{name}");
    assert!(git(&cli.project.path("main"), &["worktree", "add", "-q", &folder, "-b", name]));
}

fn status(cli: &Cli, folder: &str) -> serde_json::Value {
    let output = cli.command(&["status", "--json"]).current_dir(cli.project.path(folder)).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_new_worktree_shares_the_index_and_answers_for_its_own_files() {
    let Some(cli) = indexed() else { return };
    add_worktree(&cli, "topic");
    fs::write(cli.project.path("topic/src/retry.rs"), OTHER).unwrap();
    fs::remove_file(cli.project.path("topic/src/total.rs")).unwrap();

    let (found, _) = search(&cli, "topic", "retry payment");
    assert!(found.contains("src/retry.rs") && !found.contains("total.rs"), "{found}");
    let (found, _) = search(&cli, "main", "retry payment");
    assert!(!found.contains("retry.rs"), "each answers for its own files: {found}");
    assert!(!cli.project.path("topic/.vectorcode/index.db").exists());
    let history = cli.command(&["history", "First"]).current_dir(cli.project.path("main")).output().unwrap();
    assert!(history.status.success(), "a new worktree forgets no commits: {}", stderr(&history));
    let notes = status(&cli, "topic")["notes"].to_string();
    assert!(notes.contains("share the index in"), "{notes}");
}

#[test]
fn the_first_question_may_come_from_a_linked_worktree() {
    let Some(cli) = indexed() else { return };
    let main = cli.project.path("main");
    cli.command(&["index", "--remove"]).current_dir(&main).output().unwrap();
    fs::remove_dir_all(main.join(".vectorcode")).ok();
    add_worktree(&cli, "topic");
    assert!(search(&cli, "topic", "invoice total").0.contains("src/total.rs"));
    assert!(main.join(".vectorcode/index.db").exists());
    assert!(search(&cli, "main", "invoice total").0.contains("src/total.rs"));
    assert_eq!(
        Command::new("git").args(["status", "--short"]).current_dir(main).output().unwrap().stdout,
        b"",
        "git reports no changes"
    );
}

#[test]
fn a_worktree_of_a_bare_repository_has_its_index_there() {
    let Some(cli) = indexed() else { return };
    assert!(git(&cli.project.path("main"), &["clone", "-q", "--bare", ".", "../shop.git"]));
    assert!(git(&cli.project.path("shop.git"), &["worktree", "add", "-q", "../topic", "HEAD"]));
    assert!(search(&cli, "topic", "invoice total").0.contains("src/total.rs"));
    assert!(cli.project.path("shop.git/.vectorcode/index.db").exists());
    assert!(search(&cli, "shop.git", "invoice total").0.contains("src/total.rs"));
}

#[test]
fn a_worktree_that_is_removed_takes_nothing_from_others() {
    let Some(cli) = indexed() else { return };
    add_worktree(&cli, "kept");
    add_worktree(&cli, "gone");
    for (name, text) in [("kept", "fn kept() {}\n"), ("gone", "fn gone() {}\n")] {
        fs::write(cli.project.path(&format!("{name}/src/{name}.rs")), text).unwrap();
        assert!(search(&cli, name, name).0.contains(&format!("src/{name}.rs")));
    }
    let run = |folder: &str, args: &[&str]| {
        cli.command(args).current_dir(cli.project.path(folder)).output().unwrap();
    };
    run("kept", &["index", "--remove"]);
    assert!(search(&cli, "main", "invoice total").0.contains("src/total.rs"), "the others are not deleted");
    assert!(search(&cli, "kept", "kept").0.contains("src/kept.rs"));
    fs::remove_dir_all(cli.project.path("gone")).unwrap();
    run("main", &["index", "--full"]);
    assert!(search(&cli, "kept", "kept").0.contains("src/kept.rs"));
}

#[test]
fn a_worktree_with_vectors_of_another_provider_keeps_an_index_of_its_own() {
    let Some(cli) = indexed() else { return };
    add_worktree(&cli, "topic");
    let settings = cli.project.path("topic/.vectorcode/config.toml");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(settings, "[provider.onnx]\nquery_prefix = \"code: \"\n").unwrap();
    assert!(search(&cli, "topic", "invoice total").0.contains("src/total.rs"));
    assert!(cli.project.path("topic/.vectorcode/index.db").exists());
}

#[test]
fn vectors_of_another_worktree_are_not_made_again() {
    let Some(cli) = indexed() else { return };
    add_worktree(&cli, "topic");
    fs::write(cli.project.path("topic/src/retry.rs"), OTHER).unwrap();
    cli.command(&["index", "--fast"]).current_dir(cli.project.path("topic")).output().unwrap();
    assert_eq!(status(&cli, "topic")["coverage"], serde_json::json!({"embedded": 1, "total": 2}));
}

/// Otherwise a repository could name the worktree of another one, whose code would then be in its index.
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
