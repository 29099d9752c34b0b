//! `kill -9` at any moment: nothing is corrupted, nothing is embedded twice, and the next run continues.

use std::process::Stdio;
use std::time::Duration;

use vectorcode_testkit::TempProject;

use super::run::Cli;

const FILES: usize = 150;

fn project() -> TempProject {
    let project = TempProject::empty();
    for number in 0..FILES {
        let text = format!(
            "/// Adds number {number} to what the caller has, slowly and with a comment that says so.\n\
             pub fn add_{number}(value: u64) -> u64 {{\n    let sum = value + {number};\n    sum\n}}\n"
        );
        project.write(&format!("src/part{}/file{number}.rs", number % 7), text);
    }
    project
}

#[test]
fn an_index_run_killed_again_and_again_ends_where_an_undisturbed_one_does() {
    let cli = Cli::of(project());
    for pause_ms in [5, 40, 90, 160, 240, 350, 500, 30] {
        let mut child =
            cli.command(&["index", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let report = cli.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["files"], FILES);
    assert_eq!(report["pending"], 0);
    assert_eq!(report["notes"].as_array().unwrap().len(), 0, "{report}");
    let undisturbed = Cli::of(project());
    let expected = undisturbed.json(&["index", "--json", "--quiet"]);
    assert_eq!(report["chunks"], expected["chunks"]);
    assert_eq!(cli.stdout(&["search", "--files", "--limit", "1", "add_42"]).trim(), "src/part0/file42.rs");
}
