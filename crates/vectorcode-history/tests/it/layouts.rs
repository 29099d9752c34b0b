//! Tests that a `.git` pointing to another repository of the user shows nothing of it, and reports why.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use vectorcode_history::{HistoryError, Repository};

use crate::real_git::{git, repository};

/// A private repository of the user, and a project next to it that knows its path.
struct Attack {
    folder: TempDir,
    private: PathBuf,
    project: PathBuf,
}

impl Attack {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let private = repository(&folder, "private");
        let project = private.with_file_name("project");
        fs::create_dir_all(&project).unwrap();
        Self { folder, private, project }
    }

    /// The project has a repository of its own.
    fn with_repository() -> Self {
        let attack = Self::new();
        git(&attack.project, &["init", "--quiet"]);
        attack
    }

    fn private(&self, path: &str) -> PathBuf {
        self.private.join(".git").join(path)
    }

    fn own(&self, path: &str) -> PathBuf {
        self.project.join(".git").join(path)
    }

    /// Replaces a part of the project's repository with a link to that part of the private one.
    fn link(&self, path: &str) {
        let own = self.own(path);
        let _ = if own.is_dir() { fs::remove_dir_all(&own) } else { fs::remove_file(&own) };
        symlink(self.private(path), own).unwrap();
    }

    fn head_of_private(&self) -> String {
        git(&self.private, &["rev-parse", "HEAD"])
    }

    fn is_refused(&self, because: &str) {
        refused(&self.project, because);
    }
}

fn refused(root: &Path, because: &str) {
    let head = Repository::open(root).and_then(|opened| opened.unwrap().head());
    match head {
        Err(error @ HistoryError::Refused { .. }) => {
            assert!(error.to_string().contains(because), "{error}, not {because}");
        }
        other => panic!("{because}: {other:?}"),
    }
}

#[test]
fn a_linked_git_directory() {
    let attack = Attack::new();
    symlink(attack.private.join(".git"), attack.project.join(".git")).unwrap();
    attack.is_refused("symbolic link");
}

#[test]
fn a_git_file_that_names_another_repository() {
    let attack = Attack::new();
    fs::write(attack.project.join(".git"), format!("gitdir: {}\n", attack.private.join(".git").display()))
        .unwrap();
    attack.is_refused("does not name this directory");
}

#[test]
fn a_file_commondir() {
    let attack = Attack::with_repository();
    fs::write(attack.own("commondir"), format!("{}\n", attack.private.join(".git").display())).unwrap();
    attack.is_refused("commondir");
}

#[test]
fn linked_objects_and_references() {
    let attack = Attack::with_repository();
    attack.link("objects");
    attack.link("refs");
    attack.is_refused("objects in its .git leads outside");
    for path in ["refs", "refs/heads", "refs/heads/main"] {
        let attack = Attack::with_repository();
        attack.link(path);
        attack.is_refused("refs/heads/main in its .git leads outside");
    }
    for path in ["HEAD", "packed-refs"] {
        let attack = Attack::with_repository();
        git(&attack.private, &["pack-refs", "--all"]);
        attack.link(path);
        attack.is_refused(&format!("{path} in its .git leads outside"));
    }
}

#[test]
fn linked_packs_and_loose_objects() {
    let attack = Attack::with_repository();
    git(&attack.private, &["gc", "--quiet"]);
    fs::write(attack.own("refs/heads/main"), attack.head_of_private()).unwrap();
    for entry in fs::read_dir(attack.private("objects/pack")).unwrap() {
        attack.link(&format!("objects/pack/{}", entry.unwrap().file_name().to_str().unwrap()));
    }
    attack.is_refused("objects/pack/");
    attack.link("objects/pack");
    attack.is_refused("objects/pack in its .git leads outside");

    let attack = Attack::with_repository();
    let head = attack.head_of_private();
    fs::write(attack.own("refs/heads/main"), &head).unwrap();
    attack.link(&format!("objects/{}", &head[..2]));
    attack.is_refused(&format!("objects/{} in its .git leads outside", &head[..2]));
    // A single object is not read through a link, so the commit counts as missing.
    let attack = Attack::with_repository();
    let head = attack.head_of_private();
    fs::write(attack.own("refs/heads/main"), &head).unwrap();
    fs::create_dir_all(attack.own(&format!("objects/{}", &head[..2]))).unwrap();
    attack.link(&format!("objects/{}/{}", &head[..2], &head[2..]));
    let opened = Repository::open(&attack.project).unwrap().unwrap();
    let head = opened.head().unwrap().unwrap();
    assert_eq!(opened.walk(head, |_| None).count(), 0);
}

#[test]
fn objects_that_are_borrowed_from_another_repository() {
    let attack = Attack::with_repository();
    fs::write(attack.own("refs/heads/main"), attack.head_of_private()).unwrap();
    fs::write(attack.own("objects/info/alternates"), format!("{}\n", attack.private("objects").display()))
        .unwrap();
    attack.is_refused("alternates");
    // The user's own clone of that kind can be read as soon as the objects are copied.
    let attack = Attack::new();
    fs::remove_dir(&attack.project).unwrap();
    git(&attack.private, &["clone", "--quiet", "--shared", ".", "../project"]);
    attack.is_refused("`git repack -a -d` copies them");
    git(&attack.project, &["repack", "-a", "-d", "--quiet"]);
    fs::remove_file(attack.own("objects/info/alternates")).unwrap();
    assert_eq!(crate::walking::commits(&attack.project).len(), 2);
}

#[test]
fn a_linked_git_directory_above_a_git_file() {
    let attack = Attack::new();
    let library = repository(&attack.folder, "library");
    git(&attack.private, &["submodule", "--quiet", "add", library.to_str().unwrap(), "lib"]);
    symlink(attack.private.join(".git"), attack.project.join(".git")).unwrap();
    let inner = attack.project.join("inner");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join(".git"), "gitdir: ../.git/modules/lib\n").unwrap();
    refused(&inner, "does not name this directory");
    // A project that was unpacked inside the private repository does not get them either.
    let unpacked = attack.private.join("vendor/unpacked");
    fs::create_dir_all(&unpacked).unwrap();
    for named in ["../../.git/modules/lib", "../../.git"] {
        fs::write(unpacked.join(".git"), format!("gitdir: {named}\n")).unwrap();
        refused(&unpacked, "does not name this directory");
    }
}

#[test]
fn a_worktree_folder_that_the_project_has_made() {
    let attack = Attack::new();
    for folder in ["admin", "x/worktrees/admin"] {
        let admin = attack.project.join(folder);
        fs::create_dir_all(&admin).unwrap();
        fs::write(attack.project.join(".git"), format!("gitdir: {folder}\n")).unwrap();
        fs::write(admin.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(admin.join("commondir"), format!("{}\n", attack.private.join(".git").display())).unwrap();
        fs::write(admin.join("gitdir"), format!("{}\n", attack.project.join(".git").display())).unwrap();
        attack.is_refused("is not in its main repository");
    }
}

#[test]
fn the_worktree_of_another_directory() {
    let attack = Attack::new();
    git(&attack.private, &["worktree", "add", "--quiet", "../tree"]);
    fs::write(
        attack.project.join(".git"),
        format!("gitdir: {}\n", attack.private("worktrees/tree").display()),
    )
    .unwrap();
    attack.is_refused("a worktree of another directory");
    // The same folder, linked into the project.
    fs::write(attack.project.join(".git"), "gitdir: x/worktrees/tree\n").unwrap();
    symlink(attack.private.join(".git"), attack.project.join("x")).unwrap();
    attack.is_refused("a worktree of another directory");
}

#[test]
fn a_reference_that_leads_upwards() {
    let attack = Attack::with_repository();
    for name in [
        "refs/heads/../../../../private/.git/refs/heads/main",
        "../../private/.git/HEAD",
        "refs//heads/main",
        "/etc/passwd",
    ] {
        fs::write(attack.own("HEAD"), format!("ref: {name}\n")).unwrap();
        attack.is_refused("is not valid");
    }
    fs::write(attack.own("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(attack.own("refs/heads/main"), "ref: refs/heads/main\n").unwrap();
    attack.is_refused("form a cycle or a long chain");
}
