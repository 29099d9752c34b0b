//! What `search` prints, for people, scripts and editors.

use super::run::{Cli, stderr};

#[test]
fn search_formats() {
    let cli = Cli::fixture("sample_py");
    cli.stdout(&["index", "--fast", "--quiet"]);
    let json = cli.json(&["search", "--json", "--limit", "3", "parse a csv file"]);
    let hits = json["hits"].as_array().unwrap();
    assert!(!hits.is_empty() && hits.len() <= 3);
    for key in ["file_path", "start_line", "end_line", "kind", "language", "content", "score", "freshness"] {
        assert!(hits[0].get(key).is_some(), "{key}");
    }
    let lines = cli.stdout(&["search", "--jsonl", "--limit", "3", "parse a csv file"]);
    assert_eq!(lines.lines().count(), hits.len());
    let files = cli.stdout(&["search", "--files", "--limit", "3", "parse a csv file"]);
    assert_eq!(files.lines().next().unwrap(), hits[0]["file_path"].as_str().unwrap());
    let explained = cli.stdout(&["search", "--explain", "--limit", "1", "parse a csv file"]);
    assert!(explained.contains('→'), "{explained}");
    let coloured = cli.stdout(&["search", "--color", "always", "--limit", "1", "parse a csv file"]);
    assert!(coloured.contains("\u{1b}["));
    assert!(!cli.stdout(&["search", "--limit", "1", "parse a csv file"]).contains("\u{1b}["));
}

fn two_files() -> Cli {
    let cli = Cli::new(&[
        ("a.py", "import os\n\ndef bake_bread(oven):\n    return oven.heat_the_dough()\n"),
        ("b.py", "def slice_bread(knife):\n    return knife.cut_the_bread()\n"),
    ]);
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli
}

#[test]
fn a_query_can_come_from_standard_input() {
    let cli = two_files();
    let output = cli.with_input(&["search", "--files", "--limit", "1", "-"], "bake bread in the oven\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a.py\n", "{}", stderr(&output));
    let empty = cli.with_input(&["search", "-"], " \n");
    assert_eq!(empty.status.code(), Some(2));
    assert!(stderr(&empty).contains("is empty"), "{}", stderr(&empty));
}

#[test]
fn editors_get_path_line_column_and_text() {
    let cli = two_files();
    let text = cli.stdout(&["search", "--vimgrep", "--limit", "1", "bake_bread"]);
    assert_eq!(text, "a.py:3:5:def bake_bread(oven):\n");
}

#[test]
fn paths_can_end_with_a_nul_byte() {
    let cli = two_files();
    let text = cli.stdout(&["search", "-f", "-0", "--threshold", "0", "bread"]);
    let mut paths: Vec<&str> = text.split_terminator('\0').collect();
    paths.sort_unstable();
    assert_eq!(paths, ["a.py", "b.py"]);
    assert!(cli.fails(&["search", "-0", "bread"], 2).contains("--files"));
}

#[test]
fn one_more_result_is_not_plural() {
    let cli = two_files();
    let said = stderr(&cli.run(&["search", "--limit", "1", "--threshold", "0", "bread"]));
    assert!(said.contains("1 more result: add --skip 1"), "{said}");
}
