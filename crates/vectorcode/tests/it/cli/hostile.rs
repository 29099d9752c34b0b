//! Repositories that are made to do harm, or happen to: `index` reaches its end and the rest of the tree is searchable.

use std::process::Command;
use std::time::UNIX_EPOCH;

use serde_json::json;
use vectorcode_testkit::TempProject;

use super::run::Cli;

/// Texts that ended the process, or never let it end, in a grammar's scanner.
fn scanner_faults() -> TempProject {
    let python: String = (0..511).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect();
    let word = "A".repeat(256);
    let project = TempProject::new(&[
        ("deep.yaml", &format!(" {}a: v\nk", "- ".repeat(255))),
        ("heredoc.rb", &format!("x = <<{word}\nfoo\n{word}\n")),
        ("deep.py", &format!("{python}{}f'{{x}}'\n", " ".repeat(511))),
        ("annotation.kt", "class Foo\n@"),
        ("getter.kt", "val a: Int\n@x"),
        ("directive.swift", "#if"),
    ]);
    project.write("main.rs", "/// Waits for the lighthouse.\nfn wait_for_lighthouse() {}\n");
    project
}

#[test]
fn texts_that_faulty_scanners_fall_over_are_indexed() {
    let cli = Cli::of(scanner_faults());
    let report = cli.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["files"], 7, "{report}");
    assert_eq!(cli.stdout(&["search", "--files", "--limit", "1", "wait_for_lighthouse"]).trim(), "main.rs");
}

#[test]
fn a_file_that_brought_down_an_earlier_run_is_skipped_until_it_changes() {
    let cli = Cli::new(&[("bad.rs", "fn bad() {}\n"), ("good.rs", "fn good() {}\n")]);
    let modified = std::fs::metadata(cli.project.path("bad.rs")).unwrap().modified().unwrap();
    let mtime_ns = modified.duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let version = env!("CARGO_PKG_VERSION");
    cli.project.write(".vectorcode/crashed", format!("{version} {mtime_ns} 12 bad.rs\0"));

    let report = cli.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["files"], 1);
    assert_eq!(report["skipped"][0], json!({"reason": "crashed", "count": 1}), "{report}");

    cli.project.write("bad.rs", "fn mended() {}\n");
    assert_eq!(cli.json(&["index", "--json", "--quiet"])["files"], 2);
}

/// Pipes and devices where files are expected: nothing waits for them, nothing reads them to the end.
#[cfg(unix)]
#[test]
fn pipes_and_devices_in_the_tree_are_never_read() {
    let cli = Cli::new(&[("main.rs", "fn main() {}\n")]);
    let project = &cli.project;
    std::fs::create_dir_all(project.path("a")).unwrap();
    let link = |target, path| std::os::unix::fs::symlink(target, project.path(path)).unwrap();
    link("/dev/zero", ".vectorcodeignore");
    link("/dev/zero", ".gitignore");
    link("/dev/zero", "device.rs");
    for pipe in [".socraticodecontextartifacts.json", "a/.gitignore", "a/.vectorcodeignore", "pipe.rs"] {
        let made = Command::new("mkfifo").arg(project.path(pipe)).status().unwrap();
        assert!(made.success(), "{pipe}");
    }
    let report = cli.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["files"], 1, "{report}");
    assert_eq!(cli.stdout(&["search", "--files", "main"]).trim(), "main.rs");
}
