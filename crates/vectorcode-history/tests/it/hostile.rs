//! Tests that damaged and malicious repositories cause an error and no harm.

use std::fs;
use std::path::Path;

use vectorcode_history::Repository;
use vectorcode_testkit::TestRepository;

use crate::walking::commits;

fn repository(root: &Path) -> TestRepository {
    let mut repository = TestRepository::init(root);
    repository.commit("first", &[("a.rs", Some("1"))]);
    repository.commit("second", &[("src/a.rs", Some("2"))]);
    repository
}

#[test]
fn a_folder_without_a_repository_has_no_history() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Repository::open(folder.path()).unwrap().is_none());
    TestRepository::init(folder.path());
    assert_eq!(commits(folder.path()), []);
}

#[test]
fn a_repository_that_is_none_is_an_error() {
    for text in ["", "gitdir: /nowhere/at/all\n", "gitdir: .git\n", "\u{0}\u{1}", "gitdir: ../..\n"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".git"), text).unwrap();
        assert!(Repository::open(folder.path()).is_err(), "{text:?}");
    }
}

#[test]
fn every_object_may_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    let objects = folder.path().join(".git/objects");
    let files: Vec<_> = fs::read_dir(&objects)
        .unwrap()
        .flat_map(|entry| fs::read_dir(entry.unwrap().path()).into_iter().flatten())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let whole = fs::read(&file).unwrap();
        fs::set_permissions(&file, writable(&file)).unwrap();
        for damage in [Vec::new(), whole[..whole.len() / 2].to_vec(), vec![0xff; 64]] {
            fs::write(&file, damage).unwrap();
            // Objects that can still be read are read; the rest is an error, never a panic that reaches the caller.
            let opened = Repository::open(folder.path()).unwrap().unwrap();
            if let Ok(Some(head)) = opened.head() {
                assert!(opened.walk(head, |_| None).count() <= 2);
            }
        }
        fs::write(&file, whole).unwrap();
    }
    assert_eq!(commits(folder.path()).len(), 2);
}

#[cfg_attr(windows, expect(clippy::permissions_set_readonly_false))]
fn writable(file: &Path) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let _ = file;
        fs::Permissions::from_mode(0o644)
    }
    #[cfg(not(unix))]
    {
        let mut permissions = file.metadata().unwrap().permissions();
        permissions.set_readonly(false);
        permissions
    }
}

#[cfg(unix)]
#[test]
fn pipes_in_a_repository_are_not_waited_for() {
    for file in ["HEAD", "config", "packed-refs", "refs/heads/main", "shallow", "objects/info/alternates"] {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        let git = folder.path().join(".git");
        let _ = fs::remove_file(git.join("refs/heads/main"));
        fs::create_dir_all(git.join("objects/info")).unwrap();
        let _ = fs::remove_file(git.join(file));
        assert!(std::process::Command::new("mkfifo").arg(git.join(file)).status().unwrap().success());
        read_all(folder.path());
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.path().join(".git")).status().unwrap().success());
    assert!(Repository::open(folder.path()).is_err());
}

/// Calls everything on a repository and ignores the results.
fn read_all(root: &Path) {
    let Ok(Some(opened)) = Repository::open(root) else { return };
    let _ =
        (opened.remote_url("origin"), opened.is_shallow(), opened.resolve("main"), opened.resolve("abcd"));
    if let Ok(Some(head)) = opened.head() {
        assert!(opened.walk(head, |_| None).count() <= 2);
        let _ = opened.files(head);
    }
}

/// A sparse file of gigabytes takes no disk space. Regression test: it took as much memory as its nominal size.
#[cfg(unix)]
#[test]
fn files_of_gigabytes_are_not_read_into_memory() {
    for file in [
        "HEAD",
        "config",
        "packed-refs",
        "refs/heads/main",
        "shallow",
        "commondir",
        "objects/info/alternates",
        "objects/info/commit-graph",
        "objects/pack/multi-pack-index",
        "objects/pack/pack-0000000000000000000000000000000000000000.idx",
        "objects/pack/pack-0000000000000000000000000000000000000000.pack",
    ] {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("objects/info")).unwrap();
        if file.ends_with(".idx") {
            fs::write(git.join(file).with_extension("pack"), "PACK").unwrap();
        }
        if file == "packed-refs" {
            fs::remove_file(git.join("refs/heads/main")).unwrap();
        }
        fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(git.join(file))
            .unwrap()
            .set_len(6 << 30)
            .unwrap();
        read_all(folder.path());
        let is_ignored =
            file.contains("graph") || file.contains("pack/") || file == "config" || file == "shallow";
        let head = Repository::open(folder.path()).map(|opened| opened.unwrap().head());
        assert_eq!(head.is_ok_and(|head| head.is_ok()), is_ignored, "{file}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::File::create(folder.path().join(".git")).unwrap().set_len(6 << 30).unwrap();
    assert!(Repository::open(folder.path()).unwrap_err().to_string().contains("larger than"));
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_an_object_or_a_pack_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    let head = Repository::open(folder.path()).unwrap().unwrap().head().unwrap().unwrap();
    let make_pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let opened = Repository::open(folder.path()).unwrap().unwrap();
    let objects = folder.path().join(".git/objects");
    let id = head.to_string();
    make_pipe(&objects.join(&id[..2]).join(&id[2..]));
    assert_eq!(opened.walk(head, |_| None).count(), 0, "the commit counts as missing");
    fs::create_dir_all(objects.join("pack")).unwrap();
    make_pipe(&objects.join("pack/pack-0000000000000000000000000000000000000000.idx"));
    assert!(Repository::open(folder.path()).is_err());
}

/// The settings of a repository name programs: a file system monitor, a pager, a filter. None may be started, and no worktree
/// except the project's own may be read.
#[test]
fn settings_of_a_repository_start_nothing_and_lead_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path());
    let mark = folder.path().join("started");
    let config = folder.path().join(".git/config");
    let text = format!(
        "{}[core]\n\tfsmonitor = touch {mark}\n\tpager = touch {mark}\n\tsshCommand = touch {mark}\n\tworktree = /\n\
         [filter \"x\"]\n\tclean = touch {mark}\n\tsmudge = touch {mark}\n[include]\n\tpath = /etc/passwd\n",
        fs::read_to_string(&config).unwrap(),
        mark = mark.display(),
    );
    fs::write(&config, text).unwrap();
    fs::write(folder.path().join(".gitattributes"), "* filter=x\n").unwrap();
    assert_eq!(commits(folder.path()).len(), 2);
    assert!(!mark.exists());
}

/// A tree whose entries are all the same tree: ten to the tenth files in eleven objects.
#[test]
fn a_tree_that_expands_without_end_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    repository.commit("before", &[("a.rs", Some("1"))]);
    repository.commit_bomb("bomb");
    let commits = commits(folder.path());
    assert_eq!(commits[0].subject(), "bomb");
    assert_eq!(commits[0].changes, vectorcode_core::CommitChanges::TooMany);
}
