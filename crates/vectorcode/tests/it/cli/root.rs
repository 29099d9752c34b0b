//! Which directory a command uses as the project, and where its index is stored.

use std::fs;

use super::run::{Cli, stderr};

const CODE: &str =
    "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";

fn files(cli: &Cli, folder: &str) -> String {
    let args = ["search", "--files", "-t", "0", "sum of prices"];
    let output = cli.command(&args).current_dir(cli.project.path(folder)).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output)
}

#[test]
fn a_worktree_inside_the_repository_is_a_project_of_its_own() {
    let cli = Cli::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        ("src/main_checkout.rs", CODE),
        ("trees/x/.git", "gitdir: ../../.git/worktrees/x\n"),
        ("trees/x/src/only_in_worktree.rs", CODE),
    ]);
    let found = files(&cli, "");
    assert!(found.contains("main_checkout.rs") && !found.contains("only_in_worktree.rs"), "{found}");
    let found = files(&cli, "trees/x/src");
    assert!(found.contains("only_in_worktree.rs") && !found.contains("main_checkout.rs"), "{found}");
    assert!(
        found.contains("Indexing") && found.replace('\\', "/").contains("trees/x\n"),
        "the first line names the root: {found}"
    );
}

#[test]
fn a_folder_of_repositories_is_indexed_as_a_whole() {
    let cli =
        Cli::new(&[("one/.git/HEAD", "x"), ("one/a.rs", CODE), ("two/.git/HEAD", "x"), ("two/b.rs", CODE)]);
    let found = files(&cli, "");
    assert!(found.contains("one/a.rs") && found.contains("two/b.rs"), "{found}");
}

#[test]
fn the_home_directory_is_no_project_unless_it_is_asked_for() {
    let cli = Cli::new(&[("a.rs", CODE)]);
    let home = cli.home().to_path_buf();
    fs::write(home.join("note.md"), "# Prices\n\nThe sum of prices.\n").unwrap();
    let run =
        |folder: &std::path::Path, args: &[&str]| cli.command(args).current_dir(folder).output().unwrap();
    for args in [&["search", "prices"][..], &["index"], &["init"]] {
        let output = run(&home, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            stderr(&output).contains("your home directory") && stderr(&output).contains("--here"),
            "{args:?}"
        );
        assert!(!stderr(&output).contains("Indexing"), "{args:?}");
    }
    assert!(!home.join(".vectorcode").exists());
    // The user's settings folder above a project does not turn everything below it into one project.
    fs::create_dir_all(home.join(".vectorcode")).unwrap();
    fs::create_dir_all(home.join("notes/deep")).unwrap();
    fs::write(home.join("notes/deep/a.rs"), CODE).unwrap();
    let output = run(&home.join("notes/deep"), &["search", "--files", "-t", "0", "prices"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a.rs\n", "{}", stderr(&output));
    let output = run(&home, &["search", "--here", "--files", "-t", "0", "sum of prices"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("note.md"));
}

#[test]
fn remove_keeps_the_settings_unless_they_are_meant_too() {
    let cli = Cli::new(&[("a.rs", CODE), (".vectorcode/config.toml", "[search]\ndefault_limit = 3\n")]);
    cli.stdout(&["index", "--fast"]);
    cli.stdout(&["remove", "--yes"]);
    assert!(
        !cli.project.path(".vectorcode/index.db").exists() && !cli.project.path(".vectorcode/lock").exists()
    );
    assert_eq!(cli.project.read(".vectorcode/config.toml"), "[search]\ndefault_limit = 3\n");
    assert_eq!(cli.run(&["remove", "--yes"]).status.code(), Some(1), "the index no longer exists");
    cli.stdout(&["index", "--fast"]);
    cli.stdout(&["remove", "--all", "--yes"]);
    assert!(!cli.project.path(".vectorcode").exists());
    cli.stdout(&["index", "--fast"]);
    cli.stdout(&["remove", "--yes"]);
    assert!(!cli.project.path(".vectorcode").exists(), "nothing of the user's was in it");
}

#[cfg(unix)]
#[test]
fn the_index_of_somebody_elses_tree_goes_to_the_cache() {
    use std::os::unix::fs::chown;
    let cli = Cli::new(&[("a.rs", CODE)]);
    // Only root can change the owner of the tree. Without that, there is nothing to test here.
    if chown(cli.project.root(), Some(12345), None).is_err() {
        return;
    }
    let found = files(&cli, "");
    assert!(found.contains("a.rs"), "{found}");
    assert!(!cli.project.path(".vectorcode").exists());
    let status = cli.stdout(&["status"]);
    assert!(
        status.contains("belongs to another user") && status.contains(".cache/vectorcode/projects/"),
        "{status}"
    );
    cli.stdout(&["remove", "--yes"]);
    let kept = fs::read_dir(cli.home().join(".cache/vectorcode/projects")).unwrap().count();
    assert_eq!(kept, 0);
}
