//! `--open`, in an editor and in a browser that tell how they were called.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use super::run::{Cli, stderr};

/// Makes a program for tests in the home directory.
fn program(cli: &Cli, name: &str, script: &str) -> PathBuf {
    let path = cli.home().join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_result_is_opened_in_the_editor_at_its_line() {
    let cli = Cli::new(&[
        ("a.py", "import os\n\n# Bakes bread.\ndef bake_bread(oven):\n    return oven.heat_the_dough()\n"),
        ("b.py", "def slice_bread(knife):\n    return knife.cut_the_bread()\n"),
        (".git/HEAD", "ref: x\n"),
        ("deep/.keep", ""),
    ]);
    let editor = program(&cli, "vim", r#"printf '%s\n' "$@" > "$HOME/opened""#);
    let open = |args: &[&str], folder: &str| {
        let editor = format!("{} -n", editor.display());
        let mut command = cli.command(args);
        command.env("VISUAL", editor).current_dir(cli.project.path(folder)).output().unwrap()
    };
    let output = open(&["search", "--open", "bake_bread"], "deep");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(cli.home().join("opened")).unwrap(), "-n\n+4\n../a.py\n");
    let output = open(&["search", "-t", "0", "--open=2", "bake_bread"], "");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(cli.home().join("opened")).unwrap(), "-n\n+1\nb.py\n");
    let output = open(&["search", "-t", "0", "--open=9", "bake_bread"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("only 2 results"), "{}", stderr(&output));
    let none = cli.command(&["search", "--open", "bake_bread"]).env_remove("EDITOR").output().unwrap();
    assert!(stderr(&none).contains("VISUAL or EDITOR"), "{}", stderr(&none));
}

#[test]
fn the_web_page_is_opened_in_the_browser_once_it_is_served() {
    let cli = Cli::new(&[("a.py", "def bake_bread(oven):\n    return oven\n")]);
    let browser = program(&cli, "browser", r#"echo "opened $*" >&2"#);
    let mut server = cli
        .command(&["serve", "--http", "0", "--open"])
        .env("BROWSER", browser)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines().map(Result::unwrap);
    let told = lines.next().unwrap();
    let address = told.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
    let opened = lines.find(|line| line.starts_with("opened "));
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(opened, Some(format!("opened {address}")));
}
