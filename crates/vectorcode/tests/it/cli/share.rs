//! `index push` and `index pull` as people and CI run them.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use vectorcode_testkit::{TempProject, TestRepository};

use super::run::{Cli, stderr};

const FILES: usize = 12;

/// A clone of a team's project. All clones have the same commit.
fn clone() -> Cli {
    let project = TempProject::empty();
    let texts: Vec<(String, String)> = (0..FILES)
        .map(|number| {
            let text = format!("/// Adds {number} to what the caller has.\npub fn add_{number}(value: u64) -> u64 {{\n    value + {number}\n}}\n");
            (format!("src/file{number}.rs"), text)
        })
        .collect();
    let files: Vec<(&str, Option<&str>)> =
        texts.iter().map(|(path, text)| (path.as_str(), Some(text.as_str()))).collect();
    let mut repository = TestRepository::init(project.root());
    repository.commit("first", &files);
    for (path, text) in &texts {
        project.write(path, text);
    }
    let config = project.path(".git/config");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("[remote \"origin\"]\n\turl = git@example.com:team/shop.git\n");
    std::fs::write(&config, text).unwrap();
    Cli::of(project)
}

fn shared() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = folder.path().join("indexes").display().to_string();
    (folder, url)
}

fn number(report: &Value, path: &str) -> u64 {
    report.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {report}"))
}

#[test]
fn what_one_clone_pushes_another_pulls() {
    let (_folder, url) = shared();
    let first = clone();
    let planned = first.json(&["index", "push", &url, "--dry-run", "--json"]);
    assert_eq!(number(&planned, "/files"), FILES as u64);
    assert!(!Path::new(&url).join("vectorcode").exists(), "a dry run writes nothing");
    let said = first.stdout(&["index", "push", &url]);
    assert!(said.starts_with(&format!("Pushed {FILES} vectors of {FILES} files at ")), "{said}");
    let again = first.stdout(&["index", "push", &url]);
    assert!(again.contains("already"), "{again}");

    let second = clone();
    let report = second.json(&["index", "pull", &url, "--json"]);
    assert_eq!(number(&report, "/pull/filled"), FILES as u64, "{report}");
    assert_eq!((number(&report, "/index/embedded"), number(&report, "/index/pending")), (0, 0));
    assert_eq!(second.stdout(&["search", "--files", "--limit", "1", "add_7"]).trim(), "src/file7.rs");
    let hits =
        |cli: &Cli| cli.json(&["similar", "src/file3.rs:2", "--mode", "semantic", "--json"])["hits"].clone();
    assert_eq!(hits(&second), hits(&first), "the same vectors give the same scores");
}

#[test]
fn a_commit_that_was_asked_about_gets_its_vectors_too() {
    let (_folder, url) = shared();
    clone().run(&["index", "push", &url]);
    let second = clone();
    second.project.write("src/file0.rs", "pub fn nothing_of_the_team() {}\n");
    second.run(&["search", "--files", "add_0", "--ref", "HEAD"]);
    let report = second.json(&["index", "pull", &url, "--json"]);
    assert_eq!(number(&report, "/pull/filled"), FILES as u64, "{report}");
}

#[test]
fn a_project_that_names_a_place_is_asked_about_before_it_is_used() {
    let (_folder, url) = shared();
    clone().stdout(&["index", "push", &url]);
    let second = clone();
    second.project.write(".vectorcode/config.toml", format!("[share]\nurl = {url:?}\n"));
    let output = second.run(&["index", "--fast"]);
    assert!(stderr(&output).contains("share.url"), "{}", stderr(&output));
    assert!(second.fails(&["index", "push"], 2).contains("No address is set"));
    second.stdout(&["trust", "--yes"]);
    let report = second.json(&["index", "--json"]);
    assert_eq!((number(&report, "/embedded"), number(&report, "/pending")), (0, 0), "{report}");
    assert!(report["notes"][0].as_str().unwrap().contains("vectors came from"), "{report}");
}

#[test]
fn what_cannot_be_pulled_costs_a_warning() {
    let (folder, url) = shared();
    let cli = clone();
    let output = cli.run(&["index", "pull", &url]);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("Cannot open") && said.contains("All vectors are computed here"), "{said}");
    // Another user, because the first user's cache already has all vectors, and nothing would be requested.
    let empty = folder.path().display().to_string();
    let output = clone().run(&["index", "pull", &empty]);
    assert!(stderr(&output).contains("There is no bundle of example.com/team/shop"), "{}", stderr(&output));
}

#[test]
fn mistakes_are_told_before_anything_is_indexed() {
    let cli = clone();
    for (args, told) in [
        (vec!["index", "push"], "No address is set"),
        (vec!["index", "pull", "http://example.com/x"], "plain HTTP"),
        (vec!["index", "pull", "https://me:pass@example.com/x"], "would be seen by others"),
        (vec!["index", "push", "ftp://example.com/x"], "not supported"),
        (vec!["index", "push", "/tmp/x", "--project", "../.."], "not a valid project name"),
    ] {
        let said = cli.fails(&args, 2);
        assert!(said.contains(told) && said.contains("hint:") && !said.contains("pass@"), "{args:?}: {said}");
    }
    assert!(!cli.project.path(".vectorcode/index.db").exists());
}

#[test]
fn a_folder_that_is_called_push_can_be_indexed() {
    let cli = clone();
    cli.project.write("push/deep.rs", "pub fn deep() {}\n");
    let report = cli.json(&["index", "./push", "--json", "--fast"]);
    assert_eq!(number(&report, "/files"), 1);
    assert_eq!(number(&cli.json(&["index", "src", "push", "--json", "--fast"]), "/files"), FILES as u64 + 1);
}

/// Runs the commands of docs/sharing-vectors.md, if the program is installed. It writes no checksum into a key without a
/// password.
#[test]
fn a_key_of_the_program_minisign_signs_a_bundle() {
    let keys = tempfile::tempdir().unwrap();
    let mut generate = std::process::Command::new("minisign");
    generate.args(["-G", "-W", "-s", "share.key", "-p", "share.pub"]);
    let Ok(made) = generate.current_dir(keys.path()).env("HOME", keys.path()).output() else {
        eprintln!("skipped: the program minisign is not installed");
        return;
    };
    assert!(made.status.success(), "{}", stderr(&made));
    let text = |name: &str| std::fs::read_to_string(keys.path().join(name)).unwrap();
    let (_folder, url) = shared();
    let first = clone();
    let mut push = first.command(&["index", "push", &url]);
    let pushed = push.env("VECTORCODE_SHARE_SIGNING_KEY", text("share.key")).output().unwrap();
    assert!(pushed.status.success(), "{}", stderr(&pushed));
    let second = clone();
    let mut pull = second.command(&["index", "pull", &url, "--json"]);
    let pulled =
        pull.env("VECTORCODE_SHARE_PUBLIC_KEY", text("share.pub").lines().last().unwrap()).output().unwrap();
    let report: Value = serde_json::from_slice(&pulled.stdout).unwrap();
    assert_eq!(number(&report, "/pull/filled"), FILES as u64, "{report}");
}

#[test]
fn a_signed_bundle_is_taken_by_those_who_trust_the_key() {
    let (_folder, url) = shared();
    let keys = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    let secret = keys.sk.to_box(None).unwrap().into_string();
    let pushed = clone()
        .command(&["index", "push", &url, "--json"])
        .env("VECTORCODE_SHARE_SIGNING_KEY", secret)
        .output()
        .unwrap();
    assert!(pushed.status.success(), "{}", stderr(&pushed));
    assert!(String::from_utf8_lossy(&pushed.stdout).contains("\"signed\": true"));
    let pull = |key: &str| {
        let output = clone()
            .command(&["index", "pull", &url, "--json"])
            .env("VECTORCODE_SHARE_PUBLIC_KEY", key)
            .output()
            .unwrap();
        let said = stderr(&output);
        (serde_json::from_slice::<Value>(&output.stdout).unwrap(), said)
    };
    let (report, _) = pull(&keys.pk.to_base64());
    assert_eq!(number(&report, "/index/embedded"), 0, "{report}");
    let other = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
    let (report, said) = pull(&other.pk.to_base64());
    assert_eq!((report["pull"].is_null(), number(&report, "/index/pending")), (true, 0), "{report}");
    assert!(said.contains("not signed with the key"), "{said}");
}

#[test]
fn pushes_and_pulls_that_are_killed_leave_nothing_that_harms() {
    let (_folder, url) = shared();
    let first = clone();
    first.stdout(&["index", "--quiet"]);
    let kill_after = |cli: &Cli, args: &[&str], pause_ms: u64| {
        let mut child = cli.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        child.kill().unwrap();
        child.wait().unwrap();
    };
    for pause_ms in [5, 30, 60, 100, 150, 220] {
        kill_after(&first, &["index", "push", &url, "--quiet"], pause_ms);
    }
    first.stdout(&["index", "push", &url]);
    let second = clone();
    for pause_ms in [5, 40, 90, 140, 200, 300] {
        kill_after(&second, &["index", "pull", &url, "--quiet"], pause_ms);
    }
    let report = second.json(&["index", "pull", &url, "--json", "--quiet"]);
    assert_eq!(
        (number(&report, "/index/pending"), number(&report, "/index/files")),
        (0, FILES as u64),
        "{report}"
    );
    assert_eq!(second.stdout(&["search", "--files", "--limit", "1", "add_7"]).trim(), "src/file7.rs");
}
