//! Queries about commits that are not checked out, and about differences between two commits.

use std::fs;

use serde_json::Value;
use vectorcode_testkit::TestRepository;

use super::run::{Cli, stderr};

const TOTAL: &str = "/// Adds the prices of an invoice.\npub fn invoice_total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";
const CALLER: &str = "use crate::total::invoice_total;\n\npub fn print_invoice(prices: &[u64]) {\n    println!(\"{}\", invoice_total(prices));\n}\n";
const RETRY: &str = "/// Sends a payment again after a failure, three times at most.\npub fn retry_payment(send: impl Fn() -> bool) -> bool {\n    (0..3).any(|_| send())\n}\n";
const RETRY_FIVE: &str = "/// Sends a payment again after a failure, five times at most.\npub fn retry_payment(send: impl Fn() -> bool) -> bool {\n    (0..5).any(|_| send())\n}\n";

/// `main` is checked out. The branch `topic` retries payments in another way, prints invoices, and deletes `old.rs`.
fn project() -> Cli {
    let files =
        [("src/total.rs", TOTAL), ("src/retry.rs", RETRY), ("src/old.rs", "pub fn forgotten_ledger() {}\n")];
    let cli = Cli::new(&files);
    let mut repository = TestRepository::init(cli.project.root());
    let texts = files.map(|(path, text)| (path, Some(text)));
    let main = repository.commit("Add invoices", &texts);
    let changes = [("src/retry.rs", Some(RETRY_FIVE)), ("src/print.rs", Some(CALLER)), ("src/old.rs", None)];
    let topic = repository.commit("Print invoices", &changes);
    repository.refer("refs/heads/topic", &topic);
    repository.refer("refs/tags/v1", &main);
    repository.reset(&main);
    cli
}

fn paths(response: &Value) -> Vec<&str> {
    let hits = response["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["file_path"].as_str().unwrap()).collect()
}

#[test]
fn a_branch_is_searched_without_a_checkout() {
    let cli = project();
    let args = ["search", "--json", "-t", "0", "print an invoice"];
    assert!(!paths(&cli.json(&args)).contains(&"src/print.rs"));
    let at_topic = cli.json(&[&args[..], &["--ref", "topic"]].concat());
    assert_eq!(paths(&at_topic)[0], "src/print.rs");
    assert!(!paths(&at_topic).contains(&"src/old.rs"));
    assert!(!cli.project.path("src/print.rs").exists(), "nothing is checked out");
    assert!(!paths(&cli.json(&args)).contains(&"src/print.rs"), "the working tree answers for itself");
}

#[test]
fn an_answer_names_its_commit_and_how_its_files_are_printed() {
    let cli = project();
    let said = stderr(&cli.run(&["search", "retry payment", "--ref", "v1"]));
    assert!(said.contains("As of v1, commit ") && said.contains("`git show "), "{said}");
}

#[test]
fn every_question_can_be_asked_of_a_commit() {
    let cli = project();
    let at = |args: &[&str]| cli.stdout(&[args, &["--ref", "topic"]].concat());
    assert!(at(&["symbols", "print_invoice"]).contains("src/print.rs"));
    assert!(at(&["graph", "callers", "invoice_total"]).contains("src/print.rs"));
    assert!(at(&["similar", "src/print.rs:4", "-t", "0"]).contains("src/"));
    assert!(at(&["history", "print invoices"]).contains("Print invoices"));
    assert!(at(&["search", "--exact", "0..5"]).contains("src/retry.rs"));
    assert!(!cli.stdout(&["history", "print invoices"]).contains("Print invoices"), "main does not have it");
}

#[test]
fn the_ten_hits_of_a_commit_are_those_of_its_checkout() {
    let cli = project();
    let checkout =
        Cli::new(&[("src/total.rs", TOTAL), ("src/retry.rs", RETRY_FIVE), ("src/print.rs", CALLER)]);
    let mut repository = TestRepository::init(checkout.project.root());
    let first = [
        ("src/total.rs", Some(TOTAL)),
        ("src/retry.rs", Some(RETRY)),
        ("src/old.rs", Some("pub fn forgotten_ledger() {}\n")),
    ];
    repository.commit("Add invoices", &first);
    let second = [("src/retry.rs", Some(RETRY_FIVE)), ("src/print.rs", Some(CALLER)), ("src/old.rs", None)];
    repository.commit("Print invoices", &second);
    for question in ["retry payment", "sum of prices", "print", "ledger"] {
        let args = ["search", "--json", "--mode", "fast", "-t", "0", question];
        let ranked = |response: &Value| {
            let hits = response["hits"].as_array().unwrap().iter();
            hits.map(|hit| (hit["file_path"].clone(), hit["start_line"].clone(), hit["score"].clone()))
                .collect::<Vec<_>>()
        };
        let at_topic = cli.json(&[&args[..], &["--ref", "topic"]].concat());
        assert_eq!(ranked(&at_topic), ranked(&checkout.json(&args)), "{question}");
    }
}

#[test]
fn a_reference_that_is_nowhere_is_an_error_with_the_way_out() {
    let cli = project();
    for name in ["nowhere", "stash@{0}", "pr/12", "--help", "main..topic", "HEAD~900"] {
        let said = cli.fails(&["search", "retry", "--ref", name], 2);
        assert!(said.contains("ref") || said.contains("commit") || said.contains("branch"), "{name}: {said}");
    }
    let outside = Cli::new(&[("a.rs", RETRY)]);
    assert!(outside.fails(&["search", "retry", "--ref", "main"], 2).contains("git"));
}

#[test]
fn a_branch_that_moved_is_read_again() {
    let cli = project();
    let ask = || cli.json(&["search", "--json", "-t", "0", "print an invoice", "--ref", "topic"]);
    assert!(paths(&ask()).contains(&"src/print.rs"));
    let main = fs::read_to_string(cli.project.path(".git/refs/heads/main")).unwrap();
    fs::write(cli.project.path(".git/refs/heads/topic"), main).unwrap();
    assert!(!paths(&ask()).contains(&"src/print.rs"));
}

#[test]
fn what_only_commits_have_is_forgotten_on_request() {
    let cli = project();
    cli.stdout(&["search", "retry payment", "--ref", "topic"]);
    let said = stderr(&cli.run(&["index", "--prune"]));
    assert!(said.contains("2 "), "{said}");
    let said = stderr(&cli.run(&["index", "--prune"]));
    assert!(!said.contains("2 "), "{said}");
    let again = cli.json(&["search", "--json", "-t", "0", "print an invoice", "--ref", "topic"]);
    assert_eq!(paths(&again)[0], "src/print.rs");
}

#[test]
fn a_difference_is_searched_on_both_sides() {
    let cli = project();
    let response = cli.json(&["search", "--json", "--in-diff", "main..topic", "payment retries and ledgers"]);
    let mut found: Vec<(&str, &Value)> = paths(&response)
        .into_iter()
        .zip(response["hits"].as_array().unwrap().iter().map(|hit| &hit["diff"]))
        .collect();
    found.sort_by_key(|(path, _)| *path);
    let sides: Vec<(&str, &str)> =
        found.iter().map(|(path, diff)| (*path, diff["side"].as_str().unwrap())).collect();
    assert_eq!(sides, [("src/old.rs", "before"), ("src/print.rs", "after"), ("src/retry.rs", "after")]);
    assert_eq!(found[2].1["was"], "src/retry.rs:1-4");
    let text = cli.stdout(&["search", "--in-diff", "main..topic", "payment retries"]);
    assert!(text.contains("lines 1, 3 changed; was src/retry.rs:1-4"), "{text}");

    let nothing = cli.run(&["search", "--in-diff", "main..v1", "payment retries"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(stderr(&nothing).contains("No file differs"), "{}", stderr(&nothing));
}

#[test]
fn a_difference_may_be_that_of_the_files_on_disk() {
    let cli = project();
    cli.project.write("src/retry.rs", RETRY_FIVE);
    let response = cli.json(&["search", "--json", "--in-diff", "main", "payment retries"]);
    assert_eq!(paths(&response), ["src/retry.rs"]);
    assert_eq!(response["hits"][0]["diff"]["was"], "src/retry.rs:1-4");
    assert_eq!(response["hits"][0]["matching_lines"], serde_json::json!([1, 3]));
}

#[test]
fn what_a_commit_touches_is_answered_for_that_commit() {
    let cli = project();
    let reached = cli.json(&["graph", "impact", "--json", "--diff", "v1..topic"]);
    assert_eq!(reached["notes"].as_array().unwrap().len(), 0, "{reached}");
    let changed = reached["files"].as_array().unwrap();
    assert!(changed.iter().all(|file| file["is_indexed"] == true), "{reached}");
}

/// The older commit is only compared by text. Indexing it would cost as much as a search of it.
#[test]
fn only_the_commit_that_is_asked_about_is_read_for_its_impact() {
    let cli = project();
    let read = || stderr(&cli.run(&["index", "--prune"])).contains("Deleted 2 files");
    cli.stdout(&["graph", "impact", "--diff", "topic"]);
    assert!(!read());
    cli.stdout(&["graph", "impact", "--diff", "v1..topic"]);
    assert!(read());
}

#[test]
fn options_that_a_commit_cannot_have_are_refused() {
    let cli = project();
    cli.fails(&["search", "retry", "--ref", "topic", "--all"], 2);
    cli.fails(&["search", "retry", "--ref", "topic", "--open", "1"], 2);
    cli.fails(&["search", "retry", "--ref", "topic", "--in-diff", "main..topic"], 2);
    cli.fails(&["search", "--exact", "retry", "--in-diff", "main..topic"], 2);
}

/// As in a partial clone. Nothing is fetched for it.
#[test]
fn files_that_the_clone_does_not_have_are_counted() {
    let cli = project();
    let blob = vectorcode_core::BlobId::of(CALLER.as_bytes()).unwrap().to_string();
    fs::remove_file(cli.project.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    for _ in 0..2 {
        let said = stderr(&cli.run(&["search", "retry payment", "--ref", "topic"]));
        assert!(said.contains("The clone lacks the content of 1 of its files"), "{said}");
    }
}

#[test]
fn the_end_of_a_shallow_clone_says_how_to_get_the_rest() {
    let cli = project();
    let tip = fs::read_to_string(cli.project.path(".git/refs/heads/topic")).unwrap();
    let parent = fs::read_to_string(cli.project.path(".git/refs/heads/main")).unwrap();
    let parent = parent.trim();
    fs::write(cli.project.path(".git/shallow"), tip).unwrap();
    fs::remove_file(cli.project.path(&format!(".git/objects/{}/{}", &parent[..2], &parent[2..]))).unwrap();
    cli.stdout(&["search", "retry payment", "--ref", "topic"]);
    let said = cli.fails(&["search", "retry payment", "--ref", "topic~1"], 2);
    assert!(said.contains("git fetch --unshallow"), "{said}");
}

#[test]
fn a_bare_clone_answers_for_its_newest_commit_and_for_any_other() {
    let cli = project();
    let bare = cli.project.path("repo.git");
    fs::rename(cli.project.path(".git"), &bare).unwrap();
    let run = |args: &[&str]| {
        let output = cli.command(args).current_dir(&bare).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let found = run(&["search", "-t", "0", "retry payment"]);
    assert!(found.contains("src/retry.rs") && !found.contains("HEAD"), "{found}");
    let at_topic = run(&["search", "-t", "0", "print an invoice", "--ref", "topic"]);
    assert!(at_topic.contains("src/print.rs"), "{at_topic}");
    let status: Value = serde_json::from_str(&run(&["status", "--json"])).unwrap();
    assert_eq!(status["files"], 0, "git's own files are not indexed");
}
