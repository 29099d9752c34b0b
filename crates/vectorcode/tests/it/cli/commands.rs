//! Each command as a user runs it: its output, its side effects and its exit code.

use super::run::{Cli, stderr};

#[test]
fn search_makes_the_index_says_so_once_and_answers() {
    let cli = Cli::fixture("sample_ts");
    let first = cli.run(&["search", "hash a password before it is stored"]);
    assert!(first.status.success(), "{}", stderr(&first));
    assert_eq!(stderr(&first).lines().filter(|line| line.starts_with("Indexed")).count(), 1);
    assert!(String::from_utf8_lossy(&first.stdout).contains("password"));
    let second = cli.run(&["search", "hash a password before it is stored"]);
    assert!(!stderr(&second).contains("Indexed"), "{}", stderr(&second));
}

#[test]
fn without_an_index_no_init_is_an_error_with_its_remedy() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    let said = cli.fails(&["search", "--no-init", "anything"], 2);
    assert!(said.contains("Index not initialized. Run `vectorcode init` first."), "{said}");
    assert!(!cli.project.path(".vectorcode").exists());
}

#[test]
fn nothing_found_is_exit_code_one() {
    let cli = Cli::new(&[("a.rs", "pub fn apples() -> u32 { 1 }\n")]);
    let said = cli.fails(&["search", "--threshold", "1", "zebra crossing"], 1);
    assert!(said.contains("Nothing scores 1.00 or more"), "{said}");
}

#[test]
fn search_reads_what_changed_before_it_answers() {
    let cli =
        Cli::new(&[("a.py", "def bake_bread(oven):\n    return oven.heat_the_dough_until_it_is_done()\n")]);
    cli.stdout(&["index", "--fast", "--quiet"]);
    cli.project.write("b.py", "def sharpen_pencil(knife):\n    return knife.remove_wood_around_the_lead()\n");
    assert_eq!(cli.stdout(&["search", "--files", "--limit", "1", "sharpen a pencil"]).trim(), "b.py");
}

#[test]
fn a_large_project_is_searchable_before_its_structure_is_read() {
    let cli = Cli::fixture("sample_ts");
    cli.project.write(".vectorcode/config.toml", "[indexing]\nwords_first_from = 0\n");
    let output = cli.run(&["index", "--fast"]);
    let said = format!("{}{}", stderr(&output), String::from_utf8_lossy(&output.stdout));
    assert!(said.contains("can be searched"), "{said}");
    assert!(cli.stdout(&["status"]).contains("not read yet"));
    let found = cli.json(&["search", "--json", "--limit", "1", "hash a password before it is stored"]);
    assert_eq!(found["hits"][0]["symbol"], "hashPassword", "{found}");
    assert_eq!(cli.json(&["status", "--json"])["pending"], serde_json::json!([]), "nothing changed");
    assert!(cli.stdout(&["symbols", "hashPassword"]).contains("hashPassword"));
    assert!(!cli.stdout(&["status"]).contains("not read yet"));
}

#[test]
fn similar_takes_a_place_or_a_snippet() {
    let cli = Cli::fixture("sample_rs");
    cli.stdout(&["index", "--fast", "--quiet"]);
    let path = cli.stdout(&["search", "--files", "--limit", "1", "store a value under a key"]);
    let place = format!("{}:1", path.trim());
    assert!(cli.run(&["similar", &place, "--threshold", "0"]).status.success());
    let said = cli.fails(&["similar", "nowhere"], 2);
    assert!(said.contains("PATH:LINE"), "{said}");
}

#[test]
fn status_and_doctor_tell_the_health() {
    let cli = Cli::fixture("sample_rs");
    let said = cli.fails(&["status"], 2);
    assert!(said.contains("vectorcode init"), "{said}");
    cli.stdout(&["index", "--quiet"]);
    let status = cli.json(&["status", "--json"]);
    assert_eq!(status["coverage"]["embedded"], status["coverage"]["total"]);
    assert!(cli.stdout(&["status"]).starts_with("VectorCode Index Status\n═"));
    let doctor = cli.stdout(&["doctor"]);
    assert!(doctor.contains("provider"), "{doctor}");
}

#[test]
fn remove_asks_first() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    cli.stdout(&["index", "--fast", "--quiet"]);
    let said = cli.fails(&["remove"], 2);
    assert!(said.contains("--yes"), "{said}");
    cli.stdout(&["remove", "--yes"]);
    assert!(!cli.project.path(".vectorcode").exists());
}

#[test]
fn index_prints_its_three_lines_and_a_summary_when_nobody_watches() {
    let cli = Cli::fixture("sample_rs");
    let said = stderr(&cli.run(&["index"]));
    let chunks = cli.json(&["status", "--json"])["chunks"].as_u64().unwrap();
    for part in [
        "[1/3] Discovering files... ",
        &format!("[2/3] Chunking... {chunks} chunks ({chunks} new, 0 unchanged)\n"),
        &format!("[3/3] Embedding... {chunks} chunks [████████████████████] 100% ("),
        "Indexed ",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let again = stderr(&cli.run(&["index"]));
    assert!(
        again.contains(&format!("[2/3] Chunking... {chunks} chunks (0 new, {chunks} unchanged)\n")),
        "{again}"
    );
    let quiet = cli.run(&["index", "--quiet"]);
    assert_eq!(stderr(&quiet), "");
}

#[test]
fn the_project_is_found_from_below_or_named() {
    let cli = Cli::new(&[
        ("src/deep/a.rs", "pub fn apples_and_pears() -> u32 { 12 }\n"),
        (".git/HEAD", "ref: x\n"),
    ]);
    let output = cli
        .command(&["search", "--files", "apples"])
        .current_dir(cli.project.path("src/deep"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "a.rs", "{}", stderr(&output));
    let root = cli.project.root().to_str().unwrap().to_owned();
    let elsewhere = tempfile::tempdir().unwrap();
    let output = cli
        .command(&["--project-path", &root, "search", "--files", "apples"])
        .current_dir(elsewhere.path())
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let opened = elsewhere.path().join(shown.trim()).canonicalize().unwrap();
    assert_eq!(opened, cli.project.path("src/deep/a.rs").canonicalize().unwrap());
}

#[test]
fn bad_arguments_are_refused_before_any_work() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    assert!(cli.fails(&["search", "--threshold", "7", "x"], 2).contains("between 0 and 1"));
    assert!(cli.fails(&["index", "--file", "../outside.rs"], 2).contains("not inside the project"));
    assert!(cli.fails(&["search"], 2).contains("QUERY"));
    let said = cli.fails(&["search", "--limit", "0", "x"], 2);
    assert!(said.contains("must be at least 1"), "{said}");
}

#[test]
fn a_question_in_place_of_a_command_is_answered_with_the_search_command() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    let said = cli.fails(&["where is main"], 2);
    assert!(said.contains("hint: To search for it, run: vectorcode search \"where is main\""), "{said}");
    let said = cli.fails(&["where", "is", "main", "--quiet"], 2);
    assert!(said.contains("vectorcode search \"where is main\""), "{said}");
    let said = cli.fails(&["callers", "main"], 2);
    assert!(said.contains("vectorcode graph callers") && !said.contains("To search for it"), "{said}");
    assert!(!cli.fails(&["config", "unset", "search.default_limit"], 2).contains("To search for it"));
    assert!(!cli.fails(&["serach"], 2).contains("To search for it"));
    assert!(!cli.fails(&["serach", "main"], 2).contains("To search for it"));
}

#[test]
fn a_file_to_index_that_does_not_exist_fails_unless_it_was_deleted() {
    let cli = Cli::new(&[("a.rs", "fn main() {}"), ("b.rs", "fn other() {}")]);
    let said = cli.fails(&["index", "--fast", "--file", "mising.rs"], 2);
    assert!(said.contains("mising.rs does not exist"), "{said}");
    cli.stdout(&["index", "--fast", "--quiet"]);
    std::fs::remove_file(cli.project.path("b.rs")).unwrap();
    let report = cli.json(&["index", "--fast", "--json", "--file", "b.rs"]);
    assert_eq!(report["files_removed"], 1);
}

#[test]
fn doctor_only_warns_about_a_broken_file_of_another_program() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    cli.stdout(&["index", "--quiet"]);
    let file = cli.home().join(".cursor/mcp.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{ broken").unwrap();
    let said = cli.stdout(&["doctor"]);
    assert!(said.contains("mcp.json"), "{said}");
}
