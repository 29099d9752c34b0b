//! Progress bars, colours and narrow windows, in a pseudo-terminal.

#![cfg(target_os = "linux")]

use std::process::Command;

use super::run::Cli;

/// Runs the binary under `script`, which gives it a terminal, and returns all that it wrote there.
fn in_terminal(cli: &Cli, args: &str) -> Option<String> {
    if Command::new("script").arg("--version").output().is_err() {
        return None;
    }
    let line = format!("{} {args}", env!("CARGO_BIN_EXE_vectorcode"));
    let plain = cli.command(&[]);
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(cli.project.root());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Some(String::from_utf8_lossy(&command.env("TERM", "xterm").output().unwrap().stdout).into_owned())
}

#[test]
fn a_terminal_gets_bars_and_colours_unless_it_does_not_want_them() {
    let cli = Cli::fixture("sample_rs");
    let Some(indexed) = in_terminal(&cli, "index") else { return };
    assert!(indexed.contains("[3/3] Embedding"), "{indexed}");
    assert!(indexed.contains("\u{1b}["), "a bar is redrawn in place");
    let found = in_terminal(&cli, "search 'store a value'").unwrap();
    assert!(found.contains("\u{1b}["), "{found}");
    let plain = in_terminal(&cli, "--color never search 'store a value'").unwrap();
    assert!(!plain.contains("\u{1b}[3"), "{plain}");
}
