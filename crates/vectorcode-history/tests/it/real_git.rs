//! Tests repositories created by the program `git`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vectorcode_history::Repository;

use crate::walking::commits;

/// Runs git without the user's settings, and returns its output.
pub fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .args(args);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "Ada"),
        ("GIT_AUTHOR_EMAIL", "ada@example.com"),
        ("GIT_COMMITTER_NAME", "Ada"),
        ("GIT_COMMITTER_EMAIL", "ada@example.com"),
    ] {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with two commits, in a folder with this name.
pub fn repository(folder: &TempDir, name: &str) -> PathBuf {
    let root = vectorcode_core::canonical(folder.path()).unwrap().join(name);
    fs::create_dir_all(root.join("src")).unwrap();
    git(&root, &["init", "--quiet"]);
    for (message, file) in [("first", "a.rs"), ("second", "src/b.rs")] {
        fs::write(root.join(file), message).unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "--quiet", "-m", message]);
    }
    root
}

#[test]
fn a_packed_repository_has_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let root = repository(&folder, "main");
    git(&root, &["remote", "add", "origin", "https://example.com/team/shop"]);
    git(&root, &["gc", "--quiet"]);
    git(&root, &["multi-pack-index", "write"]);
    git(&root, &["commit-graph", "write", "--reachable"]);
    git(&root, &["pack-refs", "--all"]);
    assert!(!root.join(".git/refs/heads/main").exists());
    assert_eq!(commits(&root).len(), 2);
    assert_eq!(commits(&root.join("src"))[0].changes.files(), ["b.rs"]);
    let opened = Repository::open(&root).unwrap().unwrap();
    assert_eq!(opened.remote_url("origin").as_deref(), Some("https://example.com/team/shop"));
    assert_eq!(opened.remote_url("upstream"), None);
    assert!(!opened.is_shallow());
}

#[test]
fn branches_and_tags_are_listed_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = repository(&folder, "main");
    let listed = || Repository::open(&root).unwrap().unwrap().branches().unwrap();
    git(&root, &["branch", "team/topic"]);
    git(&root, &["tag", "v1.2"]);
    git(&root, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    git(&root, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    git(&root, &["update-ref", "refs/pull/7/head", "HEAD"]);
    let loose = listed();
    assert_eq!(loose.current.as_deref(), Some("main"));
    assert_eq!(loose.local, ["main", "team/topic"]);
    assert_eq!((loose.remote.clone(), loose.tags.clone()), (vec!["origin/main".into()], vec!["v1.2".into()]));
    git(&root, &["pack-refs", "--all"]);
    assert_eq!(listed(), loose);
    git(&root, &["checkout", "--quiet", "--detach"]);
    assert_eq!(listed().current, None);
}

#[test]
fn worktrees_have_the_history_of_their_repository() {
    let folder = tempfile::tempdir().unwrap();
    let main = repository(&folder, "main");
    git(&main, &["worktree", "add", "--quiet", "../tree", "-b", "other"]);
    let tree = main.with_file_name("tree");
    fs::write(tree.join("c.rs"), "3").unwrap();
    git(&tree, &["add", "."]);
    git(&tree, &["commit", "--quiet", "-m", "third"]);
    assert_eq!((commits(&main).len(), commits(&tree).len(), commits(&tree.join("src")).len()), (2, 3, 3));
    // A worktree of a bare repository.
    git(folder.path(), &["clone", "--quiet", "--bare", "main", "bare.git"]);
    git(&folder.path().join("bare.git"), &["worktree", "add", "--quiet", "../of-bare", "main"]);
    assert_eq!(commits(&main.with_file_name("of-bare")).len(), 2);
    // A path relative to the worktree's folder, as newer versions of git write it.
    fs::write(main.join(".git/worktrees/tree/gitdir"), "../../../../tree/.git\n").unwrap();
    assert_eq!(commits(&tree).len(), 3);
}

#[test]
fn submodules_have_a_history_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (main, library) = (repository(&folder, "main"), repository(&folder, "library"));
    git(&main, &["submodule", "--quiet", "add", library.to_str().unwrap(), "vendor/library"]);
    git(&main, &["commit", "--quiet", "-m", "library"]);
    assert!(main.join("vendor/library/.git").is_file());
    assert_eq!(commits(&main.join("vendor/library")).len(), 2);
    assert_eq!(commits(&main.join("vendor/library/src")).len(), 2);
    assert_eq!(commits(&main).len(), 3);
}

/// Git can be told to record the directory in the repository, which distinguishes it from any other repository.
#[test]
fn a_repository_in_another_place_that_names_the_directory_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let main = repository(&folder, "main");
    let moved = main.with_file_name("moved");
    git(&main, &["init", "--quiet", "--separate-git-dir", moved.to_str().unwrap()]);
    assert!(main.join(".git").is_file());
    assert!(Repository::open(&main).unwrap_err().to_string().contains("does not name this directory"));
    git(&main, &["config", "core.worktree", main.to_str().unwrap()]);
    assert_eq!(commits(&main).len(), 2);
}

#[test]
fn a_shallow_clone_has_the_history_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let main = repository(&folder, "main");
    let url = format!("file://{}", main.display());
    git(folder.path(), &["clone", "--quiet", "--depth=1", &url, "shallow"]);
    let shallow = main.with_file_name("shallow");
    assert_eq!(commits(&shallow).len(), 1);
    assert!(Repository::open(&shallow).unwrap().unwrap().is_shallow());
}

#[test]
fn revisions_mean_what_they_mean_to_git() {
    let folder = tempfile::tempdir().unwrap();
    let main = repository(&folder, "main");
    git(&main, &["tag", "light", "HEAD~1"]);
    git(&main, &["tag", "-a", "v1.0", "-m", "one"]);
    git(&main, &["checkout", "--quiet", "-b", "team/side", "HEAD~1"]);
    git(&main, &["commit", "--quiet", "--allow-empty", "-m", "side"]);
    git(&main, &["checkout", "--quiet", "main"]);
    git(&main, &["merge", "--quiet", "--no-ff", "-m", "merge", "team/side"]);
    git(folder.path(), &["clone", "--quiet", "main", "clone"]);
    let clone = main.with_file_name("clone");
    for packed in [false, true] {
        if packed {
            git(&clone, &["gc", "--quiet"]);
        }
        let opened = Repository::open(&clone).unwrap().unwrap();
        let id = git(&clone, &["rev-parse", "HEAD"]);
        for revision in [
            "HEAD",
            "@",
            "main",
            "heads/main",
            "refs/heads/main",
            "origin/main",
            "origin/team/side",
            "light",
            "v1.0",
            "HEAD~1",
            "HEAD~",
            "HEAD^2",
            "HEAD^1~1",
            "HEAD^2^",
            "main~2",
            "v1.0^0",
            &id,
            &id[..8],
        ] {
            let meant = git(&clone, &["rev-parse", &format!("{revision}^{{commit}}")]);
            assert_eq!(opened.resolve(revision).unwrap().to_string(), meant, "{revision}");
        }
        for revision in [
            "",
            "nothing",
            "HEAD~9",
            "HEAD^3",
            "0000",
            &"0".repeat(40),
            ":a.rs",
            "HEAD:a.rs",
            "../main",
            "-x",
        ] {
            assert!(opened.resolve(revision).is_err(), "{revision}");
        }
    }
}
