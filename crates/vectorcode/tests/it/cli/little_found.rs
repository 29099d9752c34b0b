//! What `search` says when it finds little, and what `index --dry-run` says before anything is found.

use super::run::{Cli, stderr};

fn bakery() -> Cli {
    let cli = Cli::new(&[(
        "bakery.py",
        "def authenticate_baker(password):\n    return check(password)\n\ndef knead_dough(flour):\n    return flour.mix()\n",
    )]);
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli
}

#[test]
fn where_nothing_fits_the_nearest_is_shown_and_the_exit_code_says_that_nothing_was_found() {
    let cli = bakery();
    let output = cli.run(&["search", "zzqqzz"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("bakery.py"), "{output:?}");
    assert!(stderr(&output).contains("Nothing reaches 0.30: these are the nearest"), "{}", stderr(&output));
    let output = cli.run(&["search", "--path", "nowhere/", "knead the dough"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("No indexed file matches the path"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("--threshold"), "{}", stderr(&output));
}

#[test]
fn a_misspelt_word_gets_a_suggestion() {
    let cli = bakery();
    let said = stderr(&cli.run(&["search", "-t", "0.99", "authentciate"]));
    assert!(said.contains("Did you mean `authenticate` for `authentciate`?"), "{said}");
    let said = stderr(&cli.run(&["search", "-t", "0.99", "authenticates passwords"]));
    assert!(!said.contains("Did you mean"), "an inflected word is no misspelling: {said}");
}

#[test]
fn a_question_in_another_language_gets_a_note_if_it_finds_nothing() {
    let cli = bakery();
    let note = "The bundled models know English and code";
    let said = stderr(&cli.run(&["search", "-t", "0.99", "wo wird das Passwort von dem Bäcker geprüft"]));
    assert!(said.contains(note), "{said}");
    let said = stderr(&cli.run(&["search", "-t", "0.99", "where is the horse saddled"]));
    assert!(!said.contains(note), "{said}");
}

#[test]
fn a_dry_run_lists_the_files_and_why_others_are_left_out() {
    let cli = Cli::new(&[
        ("src/a.rs", "fn main() {}\n"),
        ("logo.png", "\u{0}\u{1}"),
        ("notes.xyz", "\u{0}binary"),
        ("build/out.rs", "fn generated() {}\n"),
        (".gitignore", "build/\n"),
        (".env", "KEY=secret\n"),
        (".git/HEAD", "ref: x\n"),
    ]);
    let output = cli.run(&["index", "--dry-run"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("  src/a.rs  rust\n"), "{text}");
    assert!(text.contains("- build/  ignored\n"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("- logo.png  ")), "{text}");
    assert!(text.lines().any(|line| line.starts_with("- .env  ")), "{text}");
    assert!(stderr(&output).contains("would be indexed"), "{}", stderr(&output));
    assert!(!cli.project.path(".vectorcode").exists(), "nothing is written");
    let json = cli.json(&["index", "--dry-run", "--json", "--file", "src"]);
    assert_eq!(json["files"][0]["path"], "src/a.rs");
    assert_eq!(json["files"].as_array().unwrap().len(), 1);
}

#[test]
fn an_empty_index_is_not_called_complete() {
    let cli = Cli::new(&[]);
    cli.stdout(&["init"]);
    let status = cli.stdout(&["status"]);
    assert!(status.contains("nothing indexed yet") && !status.contains("100 %"), "{status}");
}
