//! Creates the trees of the issues: a folder for each, at the commit before its fix.
//!
//! A tree has no refs except its own `HEAD`, so it shows no history after that commit. Its objects are hard links to those of
//! the mirror, so it is a complete repository, like a user's clone. Files that did not change since the previous tree are
//! hard links to that tree's files, and its index is copied. So all trees together take little space, each index only needs
//! an update, and another run finds everything in place.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use vectorcode_core::programs::find_program;

use super::issues::Issue;

/// Where the mirrors and the trees are.
#[derive(Clone, Debug)]
pub struct Checkouts {
    /// Contains a bare clone of each repository, named `owner+name/repo`; case is ignored.
    pub mirrors: PathBuf,
    pub trees: PathBuf,
}

/// The tree of an issue, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkout {
    Ready(PathBuf),
    Unavailable(String),
}

/// Folders that are written to. They are copied while the rest is linked, or the previous tree would change too.
const OWN: [&str; 2] = [".git", ".vectorcode"];
/// Git never changes an object after writing it.
const OBJECTS: &str = "objects";

impl Checkouts {
    /// Creates the tree of an issue, based on that of an earlier issue of the same repository if there is one.
    pub fn prepare(&self, issue: &Issue, earlier: Option<&Path>) -> Result<Checkout> {
        let tree = self.trees.join(&issue.id);
        if is_at(&tree, &issue.base_commit) {
            return Ok(Checkout::Ready(tree));
        }
        let Some(mirror) = self.mirror(&issue.repo)? else {
            return Ok(Checkout::Unavailable(format!("no mirror of {}", issue.repo)));
        };
        if let Some(missing) = missing_in(&mirror, issue) {
            return Ok(missing);
        }
        if tree.exists() {
            fs::remove_dir_all(&tree).with_context(|| format!("cannot remove {}", tree.display()))?;
        }
        match earlier {
            Some(earlier) => copy(earlier, &tree, Kind::Linked)?,
            None => make(&tree, &mirror)?,
        }
        check_out(&tree, &issue.base_commit)?;
        // Written last, so that an interrupted checkout is repeated.
        git(&tree, &["update-ref", "--no-deref", "HEAD", &issue.base_commit])?;
        Ok(Checkout::Ready(tree))
    }

    /// Uses the tree of another issue, if its repository contains the commit of this one.
    pub fn within(tree: &Path, issue: &Issue) -> Checkout {
        missing_in(tree, issue).unwrap_or_else(|| Checkout::Ready(tree.to_owned()))
    }

    fn mirror(&self, repo: &str) -> Result<Option<PathBuf>> {
        let wanted = repo.replace('/', "+");
        let folder = &self.mirrors;
        for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().eq_ignore_ascii_case(&wanted) {
                return Ok(Some(entry.path().join("repo")));
            }
        }
        Ok(None)
    }
}

fn missing_in(repository: &Path, issue: &Issue) -> Option<Checkout> {
    let commit = &issue.base_commit;
    let has = |object: &str| git(repository, &["cat-file", "-e", &format!("{commit}{object}")]).is_ok();
    if !has("^{tree}") {
        return Some(Checkout::Unavailable(format!("no commit {commit} in the mirror")));
    }
    let path = issue.gold.keys().find(|path| !has(&format!(":{path}")))?;
    Some(Checkout::Unavailable(format!("{path} is not in the mirror")))
}

fn is_at(tree: &Path, commit: &str) -> bool {
    fs::read_to_string(tree.join(".git/HEAD")).is_ok_and(|head| head.trim() == commit)
}

/// A repository without refs that shares the objects of the mirror.
fn make(tree: &Path, mirror: &Path) -> Result<()> {
    fs::create_dir_all(tree)?;
    git(tree, &["init", "--quiet", "--template=", "."])?;
    copy(&mirror.join(OBJECTS), &tree.join(".git").join(OBJECTS), Kind::Linked)
}

/// Writes the files that differ, and removes those that are not in the commit. Mirrors may lack their largest files:
/// `checkout-index` skips only those, whereas `checkout` would fail as a whole.
fn check_out(tree: &Path, commit: &str) -> Result<()> {
    git(tree, &["read-tree", "-m", commit])?;
    if git(tree, &["checkout-index", "--all", "--force", "--index", "--quiet"]).is_err() {
        // It fails if files differ from the commit, and here some do.
        let _ = git(tree, &["update-index", "-q", "--refresh"]);
    }
    git(tree, &["clean", "--quiet", "-ffdx", "--exclude=.vectorcode"])
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linked,
    Copied,
}

/// Symbolic links are skipped, because git recreates them.
fn copy(from: &Path, to: &Path, kind: Kind) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let is_own = OWN.iter().any(|own| entry.file_name() == *own);
        let is_objects = from.ends_with(".git") && entry.file_name() == OBJECTS;
        let kind = match (is_objects, is_own) {
            (true, _) => Kind::Linked,
            (false, true) => Kind::Copied,
            (false, false) => kind,
        };
        let found = entry.file_type()?;
        if found.is_dir() {
            copy(&source, &target, kind)?;
        } else if found.is_file() && kind == Kind::Copied {
            fs::copy(&source, &target)?;
        } else if found.is_file() {
            fs::hard_link(&source, &target)?;
        }
    }
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    // Creating a hard link changes the ctime of the inode. Git must not take that for a change and rewrite the file.
    let settings = ["core.trustctime=false", "core.checkStat=minimal", "core.autocrlf=false"];
    let program = find_program("git".as_ref()).context("the program git is not installed")?;
    let output = Command::new(program)
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // Ignores the user's settings, filters and hooks.
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_NO_LAZY_FETCH", "1")])
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("git {} in {}: {}", arguments[0], folder.display(), said.trim());
    }
    Ok(())
}
