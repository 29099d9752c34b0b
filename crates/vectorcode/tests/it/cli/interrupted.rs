//! Runs that are stopped or fail: they exit as scripts expect, and never look like an empty result.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use super::run::{Cli, stderr};

const CODE: &str =
    "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";

/// The exit status of an `index` run that waits for a provider that never responds, after a signal.
fn ended_by(signal: &str) -> ExitStatus {
    let cli = Cli::new(&[("src/lib.rs", CODE)]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let settings = format!(
        "[provider]\nname = \"ollama\"\n[provider.ollama]\nurl = \"http://{}\"\n",
        silent.local_addr().unwrap()
    );
    let folder = cli.home().join(".config/vectorcode");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), settings).unwrap();
    let mut child = cli.command(&["index"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _held_open = silent.accept().unwrap();
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap()
}

#[test]
fn signals_end_an_index_run_that_waits_for_its_provider() {
    assert_eq!(ended_by("-INT").code(), Some(130));
    // Shells report a process that was ended by a signal as 128 plus its number: 143.
    let ended = ended_by("-TERM");
    assert!(ended.signal() == Some(15) || ended.code() == Some(143), "{ended}");
}

/// A first search of this many files, interrupted as soon as it prints that it is indexing.
fn interrupted_first_search(files: usize) -> (ExitStatus, String) {
    let cli = Cli::new(&[]);
    for file in 0..files {
        cli.project.write(&format!("src/part{file}.rs"), CODE);
    }
    let mut child = cli
        .command(&["search", "sum of prices"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut text = String::new();
    said.read_line(&mut text).unwrap();
    assert!(text.starts_with("Indexing "), "{text}");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    said.read_to_string(&mut text).unwrap();
    (child.wait().unwrap(), text)
}

#[test]
fn a_first_search_that_is_interrupted_says_what_is_kept() {
    // On a busy machine the search may be done before the signal is sent. Then it gets more files.
    let (_, text) = [500, 5_000, 50_000]
        .into_iter()
        .map(interrupted_first_search)
        .find(|(ended, _)| ended.code() == Some(130))
        .expect("the signal arrives in time");
    assert!(text.contains("kept, and the next run continues from there"), "{text}");
}

#[test]
fn a_quiet_run_without_its_provider_warns_and_ends_with_3() {
    let cli = Cli::new(&[("src/lib.rs", CODE)]);
    let free_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = |args: &[&str]| {
        let mut command = cli.command(args);
        command.env("VECTORCODE_PROVIDER", "ollama").env("OLLAMA_HOST", free_port.to_string());
        command.output().unwrap()
    };
    for args in [&["index", "-q"][..], &["sync", "-q"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {}", stderr(&output));
        let address = format!("Ollama not reachable at http://{free_port}");
        assert!(
            stderr(&output).contains("warning:") && stderr(&output).contains(&address),
            "{}",
            stderr(&output)
        );
    }
    assert_eq!(run(&["index", "-q", "--fast"]).status.code(), Some(0), "no vectors were requested");
    let output = run(&["search", "-q", "--files", "-t", "0", "sum of prices"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "src/lib.rs\n");
}

#[test]
fn an_index_that_no_run_has_finished_is_not_asked() {
    let cli = Cli::new(&[("src/lib.rs", CODE)]);
    cli.stdout(&["init"]);
    let found = cli.stdout(&["search", "--no-sync", "--files", "-t", "0", "sum of prices"]);
    assert_eq!(found, "src/lib.rs\n");
}

#[test]
fn a_first_index_that_fails_is_an_error_and_no_empty_answer() {
    let cli = Cli::new(&[("src/lib.rs", CODE)]);
    cli.stdout(&["init"]);
    // A directory in place of the lock file prevents all runs from writing.
    fs::remove_file(cli.project.path(".vectorcode/lock")).unwrap();
    fs::create_dir(cli.project.path(".vectorcode/lock")).unwrap();
    let output = cli.run(&["search", "sum of prices"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!stderr(&output).contains("Nothing found"), "{}", stderr(&output));
}

#[test]
fn passwords_in_addresses_are_not_shown() {
    let cli = Cli::new(&[]);
    let folder = cli.home().join(".config/vectorcode");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "[provider.openai]\nbase_url = \"https://ada:s3cret@host/v1\"\n")
        .unwrap();
    for args in [&["config", "show"][..], &["config", "show", "--json"]] {
        let shown = cli.stdout(args);
        assert!(shown.contains("(hidden)@host/v1") && !shown.contains("s3cret"), "{shown}");
    }
}
