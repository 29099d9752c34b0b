//! Repositories that cause harm, on purpose or by accident: `index` completes, and the rest of the tree is searchable.

use serde_json::{Value, json};
use vectorcode_testkit::TempProject;

use super::run::Cli;
#[cfg(target_os = "linux")]
use super::run::stderr;

/// Texts that crashed a grammar's scanner or sent it into an endless loop.
fn scanner_faults() -> TempProject {
    let python: String = (0..511).flat_map(|depth| [" ".repeat(depth), "if x:\n".to_owned()]).collect();
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

/// Pipes and devices in place of files: nothing waits for them, and nothing reads them to the end.
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
        let made = std::process::Command::new("mkfifo").arg(project.path(pipe)).status().unwrap();
        assert!(made.success(), "{pipe}");
    }
    let report = cli.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["files"], 1, "{report}");
    assert_eq!(cli.stdout(&["search", "--files", "main"]).trim(), "main.rs");
}

/// Compiled patterns take many times the memory of their text.
#[cfg(target_os = "linux")]
#[test]
fn ignore_files_without_end_stay_within_400_mb() {
    let pattern = "*[a-z]?".repeat(6);
    let patterns: String = (0..2_500)
        .flat_map(|number: u32| [&pattern, "x", &number.to_string(), "\n"].map(str::to_owned))
        .collect();
    let cli = Cli::new(&[("main.rs", "fn main() {}\n")]);
    for number in 0..24 {
        cli.project.write(&format!("part{number}/.gitignore"), &patterns);
    }
    let output = cli.script(r#"ulimit -d 400000 && exec "$0" index --fast --quiet"#).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Python code that makes the parser copy stacks of quadratic size in one step that no callback interrupts. Without a limit, 4
/// kB of it took 346 MB.
#[cfg(target_os = "linux")]
#[test]
fn files_that_devour_memory_are_indexed_by_their_lines_within_400_mb() {
    let cli = Cli::of(TempProject::empty());
    for number in 0..4 {
        let line = format!("{}\n", "[,a ".repeat(24));
        cli.project.write(&format!("devourer{number}.py"), line.repeat(41));
    }
    let output = cli.script(r#"ulimit -d 400000 && exec "$0" index --json --quiet"#).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["files"], 4);
    let note = report["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("4 files are indexed by lines, without symbols: devourer0.py (its parser "),
        "{note}"
    );
}

#[test]
fn keys_and_tokens_are_masked_and_their_files_stay_searchable() {
    let token = format!("ghp_{}", "Q7b".repeat(12));
    let key = format!("-----BEGIN {}-----\n{}\n-----END {0}-----\n", "PRIVATE KEY", "Q7b4".repeat(200));
    let cli = Cli::new(&[
        (
            "deploy.py",
            &format!("def deploy_lighthouse():\n    token = \"{token}\"\n    return push(token)\n"),
        ),
        ("notes.txt", &key),
        ("credentials.json", "{}"),
    ]);
    let report = cli.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["files"], 1, "{report}");
    assert_eq!(report["skipped"][0], json!({"reason": "secret", "count": 2}), "{report}");
    assert_eq!(report["notes"][0], "1 key or token in the files read is masked in the index.");

    let found = cli.stdout(&["search", "deploy_lighthouse", "--json"]);
    assert!(found.contains("deploy.py") && found.contains("ghp_****") && !found.contains(&token), "{found}");
    let hits: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(hits["hits"][0]["freshness"]["state"], "fresh", "{found}");
    let database = std::fs::read(cli.project.path(".vectorcode/index.db")).unwrap();
    assert!(!database.windows(token.len()).any(|bytes| bytes == token.as_bytes()));
}
