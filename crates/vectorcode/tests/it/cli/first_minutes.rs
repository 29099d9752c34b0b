//! What new users encounter in the first minutes: folders, mistyped names, costs and normal empty states.

use std::fs;
use std::process::Command;

use vectorcode_testkit::TestRepository;

use super::run::{Cli, stderr};

const CODE: &str =
    "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";

fn git(cli: &Cli, args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).current_dir(cli.project.root()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn nothing_of_ours_is_in_git_status_before_or_after_init() {
    let cli = Cli::new(&[("src/a.rs", CODE)]);
    let Some(_) = git(&cli, &["init", "-q"]) else { return };
    cli.run(&["search", "sum of prices"]);
    assert_eq!(git(&cli, &["status", "--porcelain"]).unwrap(), "?? src/\n");
    let said = stderr(&cli.run(&["init"]));
    assert!(said.contains("git add -f .vectorcode/config.toml"), "{said}");
    assert_eq!(git(&cli, &["status", "--porcelain"]).unwrap(), "?? src/\n");
    git(&cli, &["add", "-f", ".vectorcode/config.toml"]).unwrap();
    assert!(git(&cli, &["status", "--porcelain"]).unwrap().contains("A  .vectorcode/config.toml"));
}

#[test]
fn the_ignore_file_of_an_earlier_version_is_updated_and_an_edited_one_is_not() {
    let former = "# The index is a cache: rebuilt from the sources, not to be committed.\n*\n!.gitignore\n!config.toml\n";
    let edited = format!("{former}!notes.md\n");
    for (before, is_replaced) in [(former, true), (edited.as_str(), false)] {
        let cli = Cli::new(&[("a.rs", CODE), (".vectorcode/.gitignore", before)]);
        cli.run(&["index", "--fast"]);
        let after = fs::read_to_string(cli.project.path(".vectorcode/.gitignore")).unwrap();
        assert_eq!(after.ends_with("\n*\n"), is_replaced, "{after}");
    }
}

#[test]
fn normal_empty_states_are_no_failures() {
    let cli = Cli::new(&[("a.rs", CODE)]);
    TestRepository::init(cli.project.root()).commit("first", &[("a.rs", Some(CODE))]);
    for args in [
        &["token", "list"][..],
        &["repo", "list"],
        &["projects"],
        &["context", "list"],
        &["trust", "--list"],
        &["graph", "impact", "--diff"],
        &["install", "--dry-run"],
        &["uninstall"],
        &["stats"],
    ] {
        let output = cli.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn a_port_after_the_wrong_option_gets_a_hint() {
    let cli = Cli::new(&[]);
    for args in [&["serve", "--http", "--port", "7901"][..], &["serve", "--http", "--port=7901"]] {
        let said = cli.fails(args, 2);
        assert!(said.contains("vectorcode serve --http 7901"), "{said}");
    }
}

#[test]
fn dimensions_that_the_model_does_not_have_are_refused_before_anything_is_written() {
    let cli = Cli::new(&[("a.rs", CODE)]);
    for dims in ["5000", "0"] {
        cli.fails(&["init", "--dims", dims], 2);
        assert!(!cli.project.path(".vectorcode").exists(), "{dims}");
    }
    cli.stdout(&["init", "--dims", "256"]);
}

#[test]
fn the_settings_file_is_short_and_show_all_has_the_rest() {
    let cli = Cli::new(&[("a.rs", CODE)]);
    cli.stdout(&["init"]);
    let text = fs::read_to_string(cli.project.path(".vectorcode/config.toml")).unwrap();
    assert!(text.lines().count() <= 70, "{text}");
    assert!(text.contains("config show --all"), "{text}");
    let (some, all) = (cli.stdout(&["config", "show"]), cli.stdout(&["config", "show", "--all"]));
    assert!(some.contains("search.default_limit") && !some.contains("worker.timeout_secs"), "{some}");
    assert!(all.contains("search.default_limit") && all.contains("worker.timeout_secs"), "{all}");
    cli.stdout(&["config", "set", "--user", "worker.timeout_secs", "77"]);
    assert!(cli.stdout(&["config", "show"]).contains("worker.timeout_secs = 77"));
    let user = fs::read_to_string(cli.stdout(&["config", "path", "--user"]).trim()).unwrap();
    assert!(user.starts_with("# Settings of vectorcode for all of your projects"), "{user}");
}

#[test]
fn a_limit_with_files_counts_files() {
    let body = |word: &str| {
        let function = |n: u32| {
            format!(
                "/// Parses the {word} header.\nfn parse_{word}_{n}(header: &str) -> u32 {{\n    header.len() as u32 + {n}\n}}\n\n"
            )
        };
        (0..12).map(function).collect::<String>()
    };
    let files: Vec<(String, String)> =
        (0..30).map(|n| (format!("src/part{n}.rs"), body(&format!("request{n}")))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let cli = Cli::new(&files);
    for limit in ["5", "20"] {
        let found = cli.stdout(&["search", "--files", "-t", "0", "-n", limit, "parse the request header"]);
        assert_eq!(found.lines().count().to_string(), limit, "{found}");
    }
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let cli = Cli::new(&[("src/a.rs", CODE)]);
    let said = stderr(&cli.run(&["search", "sum of prices", "scr"]));
    assert!(said.contains("no file or folder `scr`"), "{said}");
    let said = stderr(&cli.run(&["search", "zzyzx", "nosuchdir"]));
    assert!(said.contains("no file or folder `nosuchdir`"), "{said}");
    let said = stderr(&cli.run(&["search", "sum", "prices"]));
    assert!(!said.contains("no file or folder"), "two words of a question: {said}");
}

#[test]
fn a_folder_inside_a_project_without_a_repository_is_told_of_it() {
    let cli = Cli::new(&[("shop/package.json", "{}"), ("shop/src/a.rs", CODE)]);
    let run = |folder: &str, args: &[&str]| {
        stderr(&cli.command(args).current_dir(cli.project.path(folder)).output().unwrap())
    };
    let said = run("shop/src", &["search", "sum of prices"]);
    assert!(said.contains("looks like the project") && said.contains("--project-path"), "{said}");
    let said = run("shop/src", &["search", "sum of prices"]);
    assert!(!said.contains("looks like the project"), "once is enough: {said}");
    let said = run("shop", &["search", "sum of prices"]);
    assert!(!said.contains("looks like the project"), "{said}");
}

#[test]
fn a_large_folder_that_is_no_project_is_indexed_only_if_it_is_meant() {
    let cli = Cli::new(&[]);
    for folder in 0..201 {
        fs::create_dir(cli.project.path(&format!("{folder}"))).unwrap();
        for file in 0..100 {
            // Pictures count too: /usr/share has fewer than 20,000 files that could be indexed.
            let extension = if file % 3 == 0 { "png" } else { "c" };
            fs::write(cli.project.path(&format!("{folder}/{file}.{extension}")), "").unwrap();
        }
    }
    for args in [&["search", "prices"][..], &["index", "--fast"]] {
        let said = cli.fails(args, 2);
        assert!(said.contains("20100 files and is not a project") && said.contains("--here"), "{said}");
        assert!(!cli.project.path(".vectorcode").exists(), "nothing is left behind");
    }
    cli.project.write("Makefile", "all:\n");
    cli.stdout(&["index", "--fast"]);
}

#[test]
fn generated_documentation_is_left_out_with_a_reason_and_can_be_brought_back() {
    let cli = Cli::new(&[
        ("src/a.rs", CODE),
        ("docs/guide.md", "# Guide\n\nThe sum of prices.\n"),
        ("docs/api/index.html", "<html><body>Overview</body></html>"),
        ("docs/api/element-list", "com.shop\n"),
        ("docs/api/index-all.html", "<html><body>All</body></html>"),
        ("docs/api/com/shop/Invoice.html", "<html><body>The sum of prices.</body></html>"),
        ("site/index.html", "<html><body>A page that somebody wrote.</body></html>"),
    ]);
    let listed = cli.stdout(&["index", "--dry-run"]);
    assert!(listed.contains("- docs/api/  generated documentation"), "{listed}");
    assert!(listed.contains("site/index.html  html") && listed.contains("docs/guide.md"), "{listed}");
    assert!(!listed.contains("Invoice.html"), "{listed}");
    cli.project.write(".vectorcodeignore", "!docs/api/\n");
    assert!(cli.stdout(&["index", "--dry-run"]).contains("Invoice.html"));
}

#[test]
fn a_file_that_reading_refuses_is_not_pending_for_ever() {
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY-----\n",
        "MIIEowIBAAKCAQEAx7Qz0vJ3kqk2mS8n1Zb4y5uT9wLr6cVhXe0dFgPaKjRiOtBs\n".repeat(20)
    );
    let cli = Cli::new(&[("a.rs", CODE), ("notes.txt", key.as_str())]);
    cli.stdout(&["index", "--fast"]);
    let status = cli.json(&["status", "--json"]);
    assert_eq!(status["pending"].as_array().unwrap().len(), 0, "{status}");
    cli.project.write("b.rs", "fn other() {}\n");
    assert_eq!(cli.json(&["status", "--json"])["pending"].as_array().unwrap().len(), 1);
}

#[test]
fn what_changed_is_told_as_added_updated_and_removed() {
    let cli = Cli::new(&[("a.rs", CODE), ("b.rs", CODE), ("c.rs", CODE)]);
    let said = stderr(&cli.run(&["sync", "--fast"]));
    assert!(!said.contains("Changed:"), "all of a first index is new: {said}");
    cli.project.write("b.rs", "fn other() {}\n");
    cli.project.write("d.rs", "fn more() {}\n");
    fs::remove_file(cli.project.path("c.rs")).unwrap();
    let said = stderr(&cli.run(&["sync", "--fast"]));
    assert!(said.contains("Changed: 1 file added, 1 updated, 1 removed"), "{said}");
    let report = cli.json(&["sync", "--fast", "--json"]);
    assert_eq!([&report["files_added"], &report["files_changed"], &report["files_removed"]], [0, 0, 0]);
}

#[test]
fn a_skipped_file_is_listed_by_its_path() {
    let cli = Cli::new(&[("go.sum", "x\n"), ("a.rs", CODE)]);
    let output = cli.run(&["index", "--dry-run", "go.sum"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "- go.sum  ignored");
}

#[test]
fn sync_has_the_fast_option_of_index() {
    let cli = Cli::new(&[("a.rs", CODE)]);
    let report = cli.json(&["sync", "--fast", "--json"]);
    assert_eq!((report["files"].as_u64(), report["embedded"].as_u64()), (Some(1), Some(0)), "{report}");
}

#[test]
fn space_is_given_back_after_large_deletions() {
    let body = |n: u32| {
        let function = |m: u32| {
            format!(
                "/// Prepares the batch {n} of kind {m} for the next delivery round.\nfn prepare_{n}_{m}(batch: &[u64]) -> u64 {{\n    batch.iter().map(|one| one * {m} + {n}).sum()\n}}\n\n"
            )
        };
        (0..25).map(function).collect::<String>()
    };
    let cli = Cli::new(&[("src/a.rs", CODE)]);
    for number in 0..150 {
        cli.project.write(&format!("old/{number}.rs"), body(number));
    }
    cli.stdout(&["index", "--fast"]);
    let size = || cli.json(&["status", "--json"])["database_bytes"].as_u64().unwrap();
    let before = size();
    fs::remove_dir_all(cli.project.path("old")).unwrap();
    cli.stdout(&["index", "--fast"]);
    assert!(size() < before / 3, "{} of {before} bytes are left", size());
}
