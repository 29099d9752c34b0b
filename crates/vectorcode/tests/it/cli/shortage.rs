//! Too few file descriptors or too little memory: an error says so, and the index loses nothing.

use std::process::Output;

use vectorcode_testkit::TempProject;

use super::run::{Cli, stderr};

const FILES: u64 = 60;

fn project() -> TempProject {
    let project = TempProject::empty();
    for number in 0..FILES {
        let path = format!("src/part{}/add{number}.rs", number % 7);
        project.write(&path, format!("fn add_{number}_to_total(total: u32) -> u32 {{ total + {number} }}\n"));
    }
    project
}

fn limited(cli: &Cli, limit: &str, command: &str) -> Output {
    cli.script(&format!("ulimit {limit}; exec \"$0\" {command}")).env("RUST_BACKTRACE", "0").output().unwrap()
}

/// Regression: a walk that could open no directory emptied the index, and searches found nothing.
#[test]
fn with_few_descriptors_a_search_finds_or_says_why_not() {
    let cli = Cli::of(project());
    cli.stdout(&["index", "--fast", "--quiet"]);
    for descriptors in 7..20 {
        let limit = format!("-n {descriptors}");
        let output = limited(&cli, &limit, "search --files --limit 1 add_17_to_total");
        let (found, said) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
        let is_found = output.status.success() && found.trim() == "src/part3/add17.rs";
        let is_error =
            output.status.code() == Some(2) && said.contains("error: ") && said.contains("ulimit -n");
        assert!(is_found || is_error, "{descriptors} descriptors: {found}{said}");
        assert_eq!(cli.json(&["status", "--json"])["files"], FILES, "{descriptors} descriptors");
    }
}

#[test]
fn with_few_descriptors_an_index_run_loses_no_file() {
    let cli = Cli::of(project());
    cli.stdout(&["index", "--fast", "--quiet"]);
    for descriptors in 7..20 {
        // Every file is read again.
        cli.project.write("src/part3/add17.rs", format!("fn add_17_to_total() {{ {descriptors} }}\n"));
        let output = limited(&cli, &format!("-n {descriptors}"), "index --fast --quiet");
        let said = stderr(&output);
        let is_error =
            output.status.code() == Some(2) && said.contains("error: ") && said.contains("ulimit -n");
        assert!(output.status.success() || is_error, "{descriptors} descriptors: {said}");
        assert_eq!(cli.json(&["status", "--json"])["files"], FILES, "{descriptors} descriptors");
    }
}

/// The smallest address space, in kilobytes, in which the program itself can run.
fn least_memory(cli: &Cli) -> u64 {
    let (mut too_little, mut enough) = (1_000, 1_000_000);
    while enough - too_little > 500 {
        let middle = u64::midpoint(too_little, enough);
        let runs = limited(cli, &format!("-v {middle}"), "--version").status.success();
        *(if runs { &mut enough } else { &mut too_little }) = middle;
    }
    enough
}

/// Regressions: a failed allocation killed the process with a signal; threads that could not be started caused panics or
/// deadlocks; a file that was being parsed when memory ran out was blamed and left out from then on.
#[test]
fn without_memory_nothing_panics_and_no_file_is_blamed() {
    let cli = Cli::of(project());
    let least = least_memory(&cli);
    for more in (1..16).map(|step| step * 2_500) {
        let _ = std::fs::remove_dir_all(cli.project.path(".vectorcode"));
        let output = limited(&cli, &format!("-v {}", least + more), "index --fast --quiet");
        let said = stderr(&output);
        assert!(!said.contains("panicked"), "{more} kB: {said}");
        let is_error = output.status.code() == Some(2) && said.contains("error: ");
        assert!(output.status.success() || is_error, "{more} kB: {:?} {said}", output.status);
        let report = cli.json(&["index", "--fast", "--json", "--quiet"]);
        assert_eq!(report["files"], FILES, "{more} kB: {said} {report}");
        assert_eq!(report["notes"].as_array().unwrap().len(), 0, "{more} kB: {said} {report}");
    }
}
