//! Parser processes seen from outside: what they can access, and what happens if they die.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use vectorcode_testkit::TempProject;

use super::run::Cli;
use crate::mcp::client::LOOK_EVERY;

const FILES: u64 = 300;
const KEY: &str = "VECTORCODE_TEST_KEY";

fn project() -> TempProject {
    let project = TempProject::empty();
    for number in 0..FILES {
        project.write(&format!("src/part{number}.rs"), format!("fn part_{number}() {{ other({number}) }}\n"));
    }
    project
}

/// An index run and one of its parser processes. The run may be over before one is seen, so there are several tries.
fn index_with_parser(cli: &Cli) -> (Child, u32) {
    for _ in 0..50 {
        let _ = fs::remove_dir_all(cli.project.path(".vectorcode"));
        let mut index = cli.command(&["index", "--fast", "--json", "--quiet"]);
        let mut index = index.env(KEY, "secret").stdout(Stdio::piped()).spawn().unwrap();
        while index.try_wait().unwrap().is_none() {
            if let Some(parser) = confined_parser_of(index.id()) {
                return (index, parser);
            }
        }
    }
    panic!("no parser process was seen");
}

/// The child of a process whose system calls are filtered.
fn confined_parser_of(parent: u32) -> Option<u32> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status.contains(&format!("\nPPid:\t{parent}\n")) && status.contains("\nSeccomp:\t2\n")
    })
}

/// Whether a process is running, and not a zombie.
fn runs(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    !status.is_empty() && !status.contains("\nState:\tZ")
}

#[test]
fn a_parser_process_knows_no_keys() {
    let cli = Cli::of(project());
    let (mut index, parser) = index_with_parser(&cli);
    let environment = fs::read(format!("/proc/{parser}/environ")).unwrap_or_default();
    assert!(!String::from_utf8_lossy(&environment).contains(KEY));
    index.wait().unwrap();
}

#[test]
fn a_parser_process_that_is_killed_costs_no_file() {
    let cli = Cli::of(project());
    let (index, parser) = index_with_parser(&cli);
    // It may have ended in the meantime.
    Command::new("kill").args(["-9", &parser.to_string()]).stderr(Stdio::null()).status().unwrap();
    let output = index.wait_with_output().unwrap();
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["files"], report["notes"].as_array().unwrap().len()), (&FILES.into(), 0), "{report}");
    let symbols = cli.json(&["symbols", "part_299", "--json"]);
    assert!(symbols.to_string().contains("src/part299.rs"), "{symbols}");
}

#[test]
fn parser_processes_end_with_the_one_that_asks_them() {
    let cli = Cli::of(project());
    let (mut index, parser) = index_with_parser(&cli);
    index.kill().unwrap();
    index.wait().unwrap();
    while runs(parser) {
        std::thread::sleep(LOOK_EVERY);
    }
}
