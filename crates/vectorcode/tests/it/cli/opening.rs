//! `--open` with fake editors and browsers that record how they were called.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use super::run::{Cli, stderr};

/// Creates a program for tests in the home directory.
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
    let opened = |line: &str, name: &str| {
        let file = cli.project.root().canonicalize().unwrap().join(name);
        assert_eq!(
            fs::read_to_string(cli.home().join("opened")).unwrap(),
            format!("-n\n{line}\n{}\n", file.display())
        );
    };
    opened("+4", "a.py");
    let output = open(&["search", "-t", "0", "--open=2", "bake_bread"], "");
    assert!(output.status.success(), "{}", stderr(&output));
    opened("+1", "b.py");
    let output = open(&["search", "-t", "0", "--open=9", "bake_bread"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("only 2 results"), "{}", stderr(&output));
    let none = cli.command(&["search", "--open", "bake_bread"]).env_remove("EDITOR").output().unwrap();
    assert!(stderr(&none).contains("VISUAL or EDITOR"), "{}", stderr(&none));
}

/// Names that an editor could take for an option, which may run commands, or for a file and a line.
const HOSTILE_NAMES: [&str; 9] = [
    "-ccall system('touch PWNED')|q!|\".py",
    "--cmd=call system('touch PWNED').py",
    "+call system('touch PWNED').py",
    "+7.py",
    "a:12.py",
    "a|touch PWNED.py",
    "a'b\"c`touch PWNED`.py",
    "line\nbreak.py",
    "with space $(touch PWNED).py",
];

#[test]
fn a_file_name_is_never_an_option_of_the_editor() {
    let texts: Vec<String> = (0..HOSTILE_NAMES.len())
        .map(|number| format!("def bake_bread_{number}(oven):\n    return oven\n"))
        .collect();
    let files: Vec<(&str, &str)> = HOSTILE_NAMES
        .iter()
        .copied()
        .zip(texts.iter().map(String::as_str))
        .chain([(".git/HEAD", "ref: x\n")])
        .collect();
    let cli = Cli::new(&files);
    let root = cli.project.root().canonicalize().unwrap();
    for name in ["vim", "code", "hx", "idea", "other"] {
        let editor = program(&cli, name, r#"printf '%s\0' "$@" > "$HOME/opened""#);
        for (number, file) in HOSTILE_NAMES.iter().enumerate() {
            let query = format!("bake_bread_{number}");
            let mut command = cli.command(&["search", "-t", "0", "--open", &query]);
            let output = command.env("VISUAL", &editor).output().unwrap();
            assert!(output.status.success(), "{file:?}: {}", stderr(&output));
            let opened = fs::read_to_string(cli.home().join("opened")).unwrap();
            let words: Vec<&str> = opened.trim_end_matches('\0').split('\0').collect();
            let path = root.join(file).display().to_string();
            let expected = match name {
                "vim" => vec!["+1".to_owned(), path],
                "idea" => vec!["--line".to_owned(), "1".to_owned(), path],
                "code" if !file.contains(':') => vec!["--goto".to_owned(), format!("{path}:1")],
                "hx" if !file.contains(':') => vec![format!("{path}:1")],
                _ => vec![path],
            };
            assert_eq!(words, expected, "{name}");
        }
    }
    assert!(!cli.project.path("PWNED").exists());
}

/// The current directory is an untrusted project, and relative entries of the search path lead there.
#[test]
fn an_editor_or_browser_that_a_project_brings_is_not_started() {
    let cli = Cli::new(&[("a.py", "def bake_bread(oven):\n    return oven\n"), (".git/HEAD", "ref: x\n")]);
    let trap = |name: &str| {
        let path = cli.project.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\ntouch \"$HOME/trapped\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    trap("myeditor");
    trap("bin/myeditor");
    let open = |editor: &str| {
        let path = format!(":.:bin:{}:/usr/bin:/bin", cli.home().display());
        let mut command = cli.command(&["search", "--open", "bake_bread"]);
        command.env("VISUAL", editor).env("PATH", path).output().unwrap()
    };
    for editor in ["myeditor", "./myeditor", "bin/myeditor"] {
        let output = open(editor);
        assert_eq!(output.status.code(), Some(2), "{editor}");
        assert!(stderr(&output).contains("absolute"), "{}", stderr(&output));
    }
    program(&cli, "myeditor", r#"touch "$HOME/edited""#);
    let output = open("myeditor");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(cli.home().join("edited").exists() && !cli.home().join("trapped").exists());
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
