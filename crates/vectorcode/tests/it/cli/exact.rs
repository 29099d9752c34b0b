//! `search --exact` and `--regex`: every matching line, in the formats of grep.

use serde_json::{Value, json};

use super::run::{Cli, stderr};

fn project() -> Cli {
    let cli = Cli::new(&[
        ("src/net/retry.rs", "pub fn retry() {\n    send(); // a+b\n    send();\n}\n"),
        ("src/main.rs", "fn main() {\n    retry();\n}\n"),
        ("docs/a b.md", "# Send\n\nCall send() again.\n"),
    ]);
    cli.stdout(&["index", "--fast"]);
    cli
}

#[test]
fn every_line_is_printed_as_grep_does() {
    let cli = project();
    assert_eq!(
        cli.stdout(&["search", "--exact", "send()"]),
        "src/net/retry.rs:2:    send(); // a+b\nsrc/net/retry.rs:3:    send();\ndocs/a b.md:3:Call send() again.\n"
    );
    assert_eq!(cli.stdout(&["search", "--exact", "a+b"]), "src/net/retry.rs:2:    send(); // a+b\n");
    assert_eq!(cli.stdout(&["search", "--regex", "^fn \\w+"]), "src/main.rs:1:fn main() {\n");
    assert_eq!(
        cli.stdout(&["search", "--exact", "-i", "CALL SEND", "docs"]),
        "docs/a b.md:3:Call send() again.\n"
    );
    assert_eq!(
        cli.stdout(&["search", "--exact", "send()", "-p", "*.md"]),
        "docs/a b.md:3:Call send() again.\n"
    );
    assert_eq!(
        cli.stdout(&["search", "--vimgrep", "--exact", "send()", "src", "-n", "1"]),
        "src/net/retry.rs:2:5:    send(); // a+b\n"
    );
    assert_eq!(cli.stdout(&["search", "-f", "-0", "--exact", "send()"]), "src/net/retry.rs\0docs/a b.md\0");
}

#[test]
fn paths_are_those_of_the_shell_and_json_has_those_of_the_project() {
    let cli = project();
    let mut command = cli.command(&["search", "--exact", "retry()", ".."]);
    let output = command.current_dir(cli.project.path("src/net")).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "../main.rs:2:    retry();\nretry.rs:1:pub fn retry() {\n"
    );
    let response = cli.json(&["search", "--json", "--exact", "Call"]);
    let line = json!({"line": 3, "column": 1, "text": "Call send() again."});
    assert_eq!(
        (&response["files"][0]["path"], &response["files"][0]["lines"][0]),
        (&json!("docs/a b.md"), &line)
    );
    let lines = cli.stdout(&["search", "--jsonl", "--exact", "Call"]);
    assert_eq!(serde_json::from_str::<Value>(&lines).unwrap()["path"], "docs/a b.md");
}

#[test]
fn nothing_found_exits_with_one_and_a_mistake_with_two() {
    let cli = project();
    assert!(cli.fails(&["search", "--exact", "SEND()"], 1).contains("3 lines match when case is ignored"));
    assert!(cli.fails(&["search", "--regex", "("], 2).contains('('));
    assert!(cli.fails(&["search", "--exact", "send", "again"], 2).contains("quote a pattern"));
    assert!(cli.fails(&["search", "--exact", "--kind", "function", "x"], 2).contains("--kind"));
    let limited = cli.run(&["search", "--exact", "send()", "-n", "1"]);
    assert!(stderr(&limited).contains("1 of 3 lines in 2 files"), "{}", stderr(&limited));
}

#[test]
fn other_encodings_and_notebooks_are_searched_as_they_are_indexed() {
    let cli = Cli::new(&[(
        "a.ipynb",
        "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"print(\\\"grüße\\\")\\n\"\n   ]\n  }\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n",
    )]);
    let utf_16 = [0xff, 0xfe].into_iter().chain("print('grüße')\n".encode_utf16().flat_map(u16::to_le_bytes));
    cli.project.write("wide.py", utf_16.collect::<Vec<u8>>());
    cli.project.write("latin.py", b"print('gr\xfc\xdfe')\n");
    cli.stdout(&["index", "--fast"]);
    let found = cli.stdout(&["search", "-f", "--exact", "grüße"]);
    let mut files: Vec<&str> = found.lines().collect();
    files.sort_unstable();
    assert_eq!(files, ["a.ipynb", "latin.py", "wide.py"]);
    assert_eq!(cli.stdout(&["search", "--exact", "print(\"grüße\")"]), "a.ipynb:8:print(\"grüße\")\n");
}

#[test]
fn colours_in_a_file_are_shown_as_characters() {
    let cli = Cli::new(&[("a.rs", "fn evil() {} // \u{1b}[8mhidden\n")]);
    for form in [&[][..], &["--vimgrep"]] {
        let printed = cli.stdout(&[&["search", "--exact", "evil"], form].concat());
        assert!(printed.ends_with("fn evil() {} // \\u{1b}[8mhidden\n"), "{printed:?}");
    }
}

/// Thirty functions about payments. Only one, which fits the query badly, has the line.
fn many_functions() -> Cli {
    let function = |n: u32| {
        let lock = if n == 17 { "    let guard = self.ledger.lock();\n" } else { "" };
        format!(
            "/// Retries the failed payment {n} with backoff.\nfn retry_payment_{n}(amount: u64) -> u64 {{\n{lock}    amount + {n}\n}}\n\n"
        )
    };
    let cli = Cli::new(&[("docs/colours.md", "# Colours\n\nRed and blue. ledger.lock() is mentioned.\n")]);
    for n in 0..30 {
        cli.project.write(&format!("src/pay{n}.rs"), function(n));
    }
    cli.project.write("src/paint.rs", "/// Mixes two colours.\nfn mix(a: u8, b: u8) -> u8 {\n    let guard = PALETTE.ledger.lock();\n    a / 2 + b / 2\n}\n");
    cli
}

#[test]
fn a_pattern_filters_before_meaning_ranks() {
    let cli = many_functions();
    let found =
        cli.json(&["search", "--json", "-n", "50", "-e", r"ledger\.lock\(\)", "retry a failed payment"]);
    let hits = found["hits"].as_array().unwrap();
    let paths: Vec<&str> = hits.iter().map(|hit| hit["file_path"].as_str().unwrap()).collect();
    assert_eq!(paths[0], "src/pay17.rs", "meaning ranks what is left: {paths:?}");
    assert_eq!(paths.len(), 3, "every match is found, however far: {paths:?}");
    assert_eq!(hits[0]["matching_lines"], serde_json::json!([3]));
    let found = cli.json(&[
        "search",
        "--json",
        "-e",
        "ledger",
        "-e",
        "payment 4 ",
        "--not",
        "PALETTE",
        "-p",
        "src/",
        "payment",
    ]);
    let mut paths: Vec<&str> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["file_path"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["src/pay17.rs", "src/pay4.rs"], "one of several patterns suffices");
}

#[test]
fn a_ranked_match_names_its_lines_and_a_bad_pattern_is_refused() {
    let cli = many_functions();
    let text = cli.stdout(&["search", "-e", r"ledger\.lock", "-p", "src/", "retry a failed payment"]);
    assert!(text.contains("line 3 matches"), "{text}");
    assert!(text.contains("let guard = self.ledger.lock();"), "{text}");
    let said = cli.fails(&["search", "-e", "(", "payment"], 2);
    assert!(said.contains("\"(\" cannot be used: unclosed group\nhint: "), "{said}");
    let verbose = stderr(&cli.run(&["search", "-e", "lock", "-v", "guard", "payment"]));
    assert!(verbose.contains("--not REGEX"), "`-v` of grep: {verbose}");
    let said = cli.fails(&["search", "-e", "nowhere_at_all", "payment"], 1);
    assert!(said.contains("No line"), "{said}");
    cli.stdout(&["search", "-i", "-e", "LEDGER", "payment"]);
    cli.fails(&["search", "--not", "x", "payment"], 2);
}
