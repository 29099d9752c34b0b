//! Tests of linked worktrees and of git's index.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;
use tempfile::TempDir;
use vectorcode_history::{LinkedWorktree, Repository, linked_worktree, linked_worktrees};

use crate::real_git::{git, repository};

/// A repository, and a worktree linked to it as `topic`.
fn with_worktree(folder: &TempDir) -> (PathBuf, PathBuf) {
    let main = repository(folder, "main");
    let linked = main.with_file_name("topic");
    git(&main, &["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    (main, linked)
}

#[test]
fn a_linked_worktree_knows_its_name_and_the_main_one() {
    let folder = tempfile::tempdir().unwrap();
    let (main, linked) = with_worktree(&folder);
    let expected = |main| Some(LinkedWorktree { name: "topic".into(), main });
    assert_eq!(linked_worktree(&linked), expected(main.clone()));
    assert_eq!(linked_worktree(&linked.join("src")), expected(main.join("src")));
    assert_eq!(linked_worktree(&main), None);
    assert_eq!(linked_worktree(folder.path()), None);
    assert_eq!(linked_worktrees(&main), ["topic"]);
    assert_eq!(linked_worktrees(&linked), ["topic"]);
    fs::remove_dir_all(&linked).unwrap();
    assert_eq!(linked_worktrees(&main), [""; 0], "git still has its folder");
}

/// Git for Windows writes `/`, other programs `\`, and since 2.48 git can write relative paths.
#[test]
fn a_linked_worktree_is_known_however_git_wrote_the_paths() {
    let folder = tempfile::tempdir().unwrap();
    let (main, linked) = with_worktree(&folder);
    let (notes, dot_git) = (main.join(".git/worktrees/topic"), linked.join(".git"));
    let absolute = (notes.display().to_string(), dot_git.display().to_string());
    let spelled = |change: fn(&str) -> String| (change(&absolute.0), change(&absolute.1));
    let mut spellings = vec![
        absolute.clone(),
        spelled(|path| path.replace('\\', "/")),
        ("../main/.git/worktrees/topic".into(), "../../../../topic/.git".into()),
    ];
    if cfg!(windows) {
        spellings.push(spelled(|path| path.replace('/', "\\")));
        spellings.push(spelled(str::to_lowercase));
    }
    for (to_notes, to_dot_git) in spellings {
        fs::write(&dot_git, format!("gitdir: {to_notes}\r\n")).unwrap();
        fs::write(notes.join("gitdir"), format!("{to_dot_git}\n")).unwrap();
        let found = linked_worktree(&linked).map(|linked| linked.main);
        assert_eq!(found.as_deref(), Some(&*main), "{to_notes}, {to_dot_git}");
        assert_eq!(linked_worktrees(&main), ["topic"], "{to_notes}, {to_dot_git}");
    }
}

#[test]
fn a_worktree_of_a_bare_repository_has_that_for_its_main_one() {
    let folder = tempfile::tempdir().unwrap();
    let main = repository(&folder, "main");
    let (bare, linked) = (main.with_file_name("shop.git"), main.with_file_name("topic"));
    git(&main, &["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    git(&bare, &["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    assert_eq!(linked_worktree(&linked).map(|linked| linked.main), Some(bare));
    assert_eq!(linked_worktree(&linked.join("src")), None, "a bare repository has no folders");
}

/// The files that git lists, as `path id`.
fn listed_by_git(root: &Path) -> BTreeSet<String> {
    let lines = git(root, &["ls-files", "--stage"]);
    let entry = |line: &str| {
        let (properties, path) = line.split_once('\t').unwrap();
        format!("{path} {}", properties.split(' ').nth(1).unwrap())
    };
    lines.lines().map(entry).collect()
}

fn index_entries(root: &Path) -> BTreeSet<String> {
    let entries = Repository::open(root).unwrap().unwrap().index_entries().unwrap();
    entries.into_iter().map(|(path, file)| format!("{path} {}", file.blob)).collect()
}

/// Dates the index a moment after the files, as if git had written it again.
fn settle(root: &Path) {
    let index = fs::File::options().write(true).open(root.join(".git/index")).unwrap();
    index.set_modified(std::time::SystemTime::now() + Duration::from_secs(5)).unwrap();
}

#[test]
fn files_are_noted_as_git_lists_them_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let root = repository(&folder, "main");
    for (path, text) in [("src/bc.rs", "1"), ("src/b/long name.rs", "22"), ("späť.txt", "333")] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    git(&root, &["add", "."]);
    git(&root, &["config", "core.quotePath", "false"]);
    for version in ["2", "3", "4"] {
        fs::write(root.join("new.rs"), version).unwrap();
        git(&root, &["add", "--intent-to-add", "new.rs"]);
        git(&root, &["update-index", "--force-write-index", "--index-version", version]);
        settle(&root);
        assert_eq!(index_entries(&root), listed_by_git(&root), "version {version}");
        git(&root, &["rm", "--quiet", "--cached", "new.rs"]);
    }
    settle(&root);
    let inside = Repository::open(&root.join("src")).unwrap().unwrap().index_entries().unwrap();
    assert_eq!(
        inside.into_keys().collect::<BTreeSet<_>>(),
        ["b.rs", "b/long name.rs", "bc.rs"].map(String::from).into()
    );
    let noted = Repository::open(&root).unwrap().unwrap().index_entries().unwrap()["a.rs"];
    let found = fs::metadata(root.join("a.rs")).unwrap();
    let modified = found.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
    // Under Wine, git is the Linux program, whose times are more precise than those of Windows.
    let unit_ns = if cfg!(windows) { 100 } else { 1 };
    assert_eq!(noted.mtime_ns as u128 / unit_ns, modified.as_nanos() / unit_ns);
    assert_eq!(u64::from(noted.size), found.len());
}

#[test]
fn what_may_have_been_written_after_git_looked_is_not_noted() {
    let folder = tempfile::tempdir().unwrap();
    let root = repository(&folder, "main");
    let noted = Repository::open(&root).unwrap().unwrap().index_entries().unwrap()["a.rs"];
    let index = fs::File::options().write(true).open(root.join(".git/index")).unwrap();
    index.set_modified(UNIX_EPOCH + Duration::from_nanos(noted.mtime_ns as u64)).unwrap();
    assert!(!index_entries(&root).iter().any(|line| line.starts_with("a.rs")));
}

#[test]
fn no_byte_of_gits_index_can_do_harm() {
    let folder = tempfile::tempdir().unwrap();
    let root = repository(&folder, "main");
    for version in ["2", "4"] {
        git(&root, &["update-index", "--force-write-index", "--index-version", version]);
        let whole = fs::read(root.join(".git/index")).unwrap();
        let damage = (prop::collection::vec((0..whole.len(), any::<u8>()), 0..4), 0..=whole.len());
        proptest!(ProptestConfig::with_cases(200), |((changes, length) in damage)| {
            let mut bytes = whole.clone();
            for (place, byte) in changes {
                bytes[place] = byte;
            }
            bytes.truncate(length);
            fs::write(root.join(".git/index"), bytes).unwrap();
            let noted = Repository::open(&root).unwrap().unwrap().index_entries().unwrap();
            prop_assert!(noted.len() <= 2);
        });
        fs::write(root.join(".git/index"), whole).unwrap();
    }
}
