//! The messages of `search` when it finds little, and of `index --dry-run` before anything is indexed.

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
fn where_nothing_fits_the_nearest_are_shown_and_every_format_says_so() {
    let cli = bakery();
    let text = cli.stdout(&["search", "zzqqzz"]);
    assert!(text.starts_with("Nothing fits well; the nearest are:\n\nbakery.py:"), "{text}");
    let answer = cli.json(&["search", "--json", "zzqqzz"]);
    assert_eq!((&answer["weak"], &answer["likely"]), (&true.into(), &0.into()), "{answer}");
    assert_eq!(answer["hits"][0]["weak"], true, "{answer}");
    let line = cli.stdout(&["search", "--jsonl", "zzqqzz"]);
    assert!(line.contains("\"weak\":true"), "{line}");
    let said = stderr(&cli.run(&["search", "--files", "zzqqzz"]));
    assert!(said.contains("Nothing fits well; these are the nearest."), "{said}");
}

#[test]
fn the_limit_is_filled_and_a_line_tells_where_likely_ends() {
    let files: Vec<(String, String)> = (0..8)
        .map(|place| (format!("part_{place}.py"), format!("def count_{place}(sheep):\n    return sheep\n")))
        .collect();
    let mut files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("bakery.py", "def knead_dough(flour):\n    return flour.mix()\n"));
    let cli = Cli::new(&files);
    cli.stdout(&["index", "--fast", "--quiet"]);
    let answer = cli.json(&["search", "--json", "knead_dough"]);
    let hits = answer["hits"].as_array().unwrap();
    let weak: Vec<bool> = hits.iter().map(|hit| hit["weak"] == true).collect();
    assert!(!weak[0] && weak.is_sorted(), "{answer}");
    assert_eq!(answer["likely"], weak.iter().filter(|weak| !**weak).count(), "{answer}");
    let text = cli.stdout(&["search", "knead_dough"]);
    let remarks = text.lines().filter(|line| *line == "Nothing below fits well.").count();
    assert_eq!(remarks, usize::from(weak.contains(&true)), "{text}");
}

#[test]
fn no_result_is_below_a_threshold_that_was_asked_for() {
    let cli = bakery();
    for threshold in ["0.3", "0.5"] {
        let output = cli.run(&["search", "--threshold", threshold, "zzqqzz"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    cli.stdout(&["config", "set", "search.default_threshold", "0.3"]);
    let output = cli.run(&["search", "--json", "zzqqzz"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &answer["total"]), (Some(1), &0.into()), "{output:?}");
}

#[test]
fn filters_that_let_nothing_through_are_named() {
    let cli = bakery();
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
fn a_question_in_a_language_without_a_table_gets_a_note_if_it_finds_nothing() {
    let cli = bakery();
    let note = "The bundled models know English and code";
    let said = stderr(&cli.run(&["search", "-t", "0.99", "πού ελέγχεται ο κωδικός του φούρναρη"]));
    assert!(said.contains(note), "{said}");
    assert!(said.contains("ask in English, or set a provider"), "{said}");
    let said = stderr(&cli.run(&["search", "-t", "0.99", "where is the horse saddled"]));
    assert!(!said.contains(note), "{said}");
    let said =
        stderr(&cli.run(&["search", "-t", "0.99", "wo wird das Pferd gesattelt, das die Datei löscht"]));
    assert!(said.contains("Read as `") && said.contains("delete"), "{said}");
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
