//! Names, code and queries with control characters: they are shown and not sent to the terminal as commands.

#![cfg(target_os = "linux")] // Other systems refuse such file names.

use vectorcode_core::is_unprintable;

use super::run::Cli;

const CODE: &str = "/// Adds prices.\u{1b}]0;owned\u{7} \u{9b}2J \u{202e}nimda\u{2066} \u{e0041}\n\
                    pub fn total(prices: &[u64]) -> u64 {\n    let note = \"\u{1b}[8mhidden\";\n    prices.iter().sum()\n}\n";
const NAME: &str = "src/a\u{1b}[2J\u{202e}\nb.rs";

/// The control characters in the output, except for the styles that the program itself uses.
fn unsafe_part(output: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(output).into_owned();
    for code in ["0", "1", "2", "31", "32", "33", "34", "35", "36"] {
        text = text.replace(&format!("\u{1b}[{code}m"), "");
    }
    text.chars().filter(|character| *character != '\n' && is_unprintable(*character)).collect()
}

#[test]
fn no_control_character_of_a_project_reaches_the_terminal() {
    let cli = Cli::new(&[(NAME, CODE), ("src/main.rs", "mod a;\nfn main() {\n    a::total(&[1]);\n}\n")]);
    cli.stdout(&["index", "--fast"]);
    let commands = [
        &["search", "-t", "0", "sum of prices"][..],
        &["search", "-t", "0", "--json", "sum of prices"],
        &["search", "-t", "0", "--files", "sum of prices"],
        &["search", "--projects", "\u{1b}[2J", "x"],
        &["search", "\u{1b}[2J\u{9b}"],
        &["symbols", "total"],
        &["symbols", "\u{1b}[2J"],
        &["graph", "stats"],
        &["graph", "deps", "\u{1b}[2J\u{202e}"],
        &["status"],
        &["projects"],
        &["config", "show"],
    ];
    for args in commands {
        let output = cli.command(&["--color", "always"]).args(args).output().unwrap();
        assert_eq!(unsafe_part(&output.stdout), "", "stdout of {args:?}");
        assert_eq!(unsafe_part(&output.stderr), "", "stderr of {args:?}");
    }
    let shown = cli.stdout(&["search", "-t", "0", "sum of prices"]);
    assert!(shown.contains("\\u{1b}[8mhidden"), "it is shown, not dropped: {shown}");
    let json = cli.json(&["search", "-t", "0", "--json", "sum of prices"]);
    assert!(json["hits"].to_string().contains("hidden"), "{json}");
}
