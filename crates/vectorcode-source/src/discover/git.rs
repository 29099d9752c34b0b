//! Where git keeps ignore rules outside the project's own directories: above it, in `.git` and in the user's home.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use vectorcode_core::{Links, read_bounded_regular_file, read_config_file, with_slashes};

/// The name of git's ignore files.
pub const GITIGNORE: &str = ".gitignore";

/// The longest ignore files that people write have a quarter of this.
const MAX_IGNORE_FILE_BYTES: u64 = 128 << 10;

/// How much text of ignore files a project may have in all. Compiled, patterns take up to 160 times their size: six files
/// of 250 kB took 335 MB.
#[derive(Debug)]
pub struct IgnoreBudget(AtomicU64);

impl Default for IgnoreBudget {
    fn default() -> Self {
        Self(AtomicU64::new(1 << 20))
    }
}

impl IgnoreBudget {
    fn take(&self, bytes: u64) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }
}

/// The rules that hold below every `.gitignore` of the project, strongest first.
#[derive(Debug)]
pub struct OuterRules(Vec<Outer>);

#[derive(Debug)]
struct Outer {
    /// Leads from the directory that the patterns speak of to the project root: empty, or ends with `/`.
    prefix: String,
    rules: Gitignore,
}

impl OuterRules {
    /// Reads the `.gitignore` files between `root` and the top of its repository, that repository's
    /// `info/exclude`, and the user's global ignore file. Outside a repository only the last one is left.
    pub fn read(root: &Path, budget: &IgnoreBudget) -> Self {
        let mut found = Vec::new();
        if let Some(top) = root.ancestors().find(|directory| directory.join(".git").exists()) {
            for directory in root.ancestors().skip(1).take_while(|directory| directory.starts_with(top)) {
                found.extend(outer(root, directory, &directory.join(GITIGNORE), budget));
            }
            found.extend(outer(root, top, &exclude_file(&top.join(".git")), budget));
        }
        let (global, _) = GitignoreBuilder::new(".").build_global();
        found.push(Outer { prefix: String::new(), rules: global });
        found.retain(|outer| !outer.rules.is_empty());
        Self(found)
    }

    /// Whether the rules exclude (`Some(true)`) or expressly keep (`Some(false)`) a path below the root.
    pub fn excludes(&self, path: &str, is_dir: bool) -> Option<bool> {
        self.0.iter().find_map(|outer| {
            if outer.prefix.is_empty() {
                excluded(&outer.rules, path, is_dir)
            } else {
                excluded(&outer.rules, &format!("{}{path}", outer.prefix), is_dir)
            }
        })
    }
}

/// The rules of one ignore file, whose patterns speak of paths below the directory that the caller strips; `None`
/// when there is no such file.
pub fn read_rules(file: &Path, budget: &IgnoreBudget) -> Option<Gitignore> {
    let text = read_ignore_file(file, budget)?;
    let mut builder = GitignoreBuilder::new(".");
    for line in text.lines() {
        if let Err(error) = builder.add_line(None, line) {
            // The lines that are patterns still count, as with git.
            tracing::warn!(%error, file = %file.display(), "ignore file has a line that is no pattern");
        }
    }
    builder.build().ok()
}

/// The text of an ignore file; `None` when there is none, or none that should be read: a pipe, a device, a huge file, or
/// one too many.
pub fn read_ignore_file(file: &Path, budget: &IgnoreBudget) -> Option<String> {
    match read_bounded_regular_file(file, MAX_IGNORE_FILE_BYTES, Links::Follow) {
        Ok(bytes) if !budget.take(bytes.len() as u64) => {
            tracing::warn!(file = %file.display(), "too many ignore files; this one is not applied");
            None
        }
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            tracing::warn!(%error, file = %file.display(), "ignore file is not read");
            None
        }
    }
}

/// What `rules` say of a path: excluded, expressly kept, or nothing.
pub fn excluded(rules: &Gitignore, path: &str, is_dir: bool) -> Option<bool> {
    match rules.matched(path, is_dir) {
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
        Match::None => None,
    }
}

fn outer(root: &Path, base: &Path, file: &Path, budget: &IgnoreBudget) -> Option<Outer> {
    let mut prefix = with_slashes(root.strip_prefix(base).ok()?.to_str()?).into_owned();
    if !prefix.is_empty() {
        prefix.push('/');
    }
    Some(Outer { prefix, rules: read_rules(file, budget)? })
}

/// `info/exclude` belongs to the repository, which for a linked worktree is not where its `.git` file points.
fn exclude_file(dot_git: &Path) -> PathBuf {
    common_directory(dot_git).unwrap_or_else(|| dot_git.to_path_buf()).join("info/exclude")
}

/// Follows a `.git` file (`gitdir: PATH`) and the `commondir` file that it leads to; `None` for a plain directory.
fn common_directory(dot_git: &Path) -> Option<PathBuf> {
    let pointer = read_config_file(dot_git).ok()?;
    let git_dir = dot_git.parent()?.join(pointer.strip_prefix("gitdir:")?.trim());
    match read_config_file(&git_dir.join("commondir")) {
        Ok(common) => Some(git_dir.join(common.trim())),
        Err(_) => Some(git_dir),
    }
}
