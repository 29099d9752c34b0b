//! Git's ignore rules that are defined outside the project: in parent directories, in `.git` and in the user's home.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use vectorcode_core::{Links, read_bounded_regular_file, read_config_file, with_slashes};

use super::resource_exhaustion::ResourceExhaustion;

/// The name of git's ignore files.
pub const GITIGNORE: &str = ".gitignore";

/// Maximum size of an ignore file. The longest hand-written ones are a quarter of this size.
pub const MAX_IGNORE_FILE_BYTES: u64 = 128 << 10;

/// Maximum total size of the ignore files of a project. Compiled patterns take up to 160 times the size of their
/// text: six files of 250 kB took 335 MB.
#[derive(Debug)]
pub struct IgnoreBudget {
    bytes: AtomicU64,
    pub exhaustion: ResourceExhaustion,
}

impl Default for IgnoreBudget {
    fn default() -> Self {
        Self { bytes: AtomicU64::new(1 << 20), exhaustion: ResourceExhaustion::default() }
    }
}

impl IgnoreBudget {
    fn take(&self, bytes: u64) -> bool {
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes)).is_ok()
    }
}

/// The rules that apply after every `.gitignore` of the project, highest precedence first.
#[derive(Debug)]
pub struct OuterRules(Vec<Outer>);

#[derive(Debug)]
struct Outer {
    /// Path from the directory that the patterns are relative to, down to the project root. Empty, or ends with `/`.
    prefix: String,
    rules: Gitignore,
}

impl OuterRules {
    /// Reads the `.gitignore` files from `root` up to the top of its repository, the repository's `info/exclude`, and
    /// the user's global ignore file. Outside a repository only the global file is read.
    pub fn read(root: &Path, budget: &IgnoreBudget) -> Self {
        let mut found = Vec::new();
        if let Some(top) = root.ancestors().find(|directory| directory.join(".git").exists()) {
            for directory in root.ancestors().skip(1).take_while(|directory| directory.starts_with(top)) {
                found.extend(outer(root, directory, &directory.join(GITIGNORE), budget));
            }
            found.extend(outer(root, top, &exclude_file(&top.join(".git")), budget));
        }
        let (global, failed) = GitignoreBuilder::new(".").build_global();
        if let Some(error) = failed.as_ref().and_then(ignore::Error::io_error) {
            budget.exhaustion.note(error);
        }
        found.push(Outer { prefix: String::new(), rules: global });
        found.retain(|outer| !outer.rules.is_empty());
        Self(found)
    }

    /// Whether the rules exclude (`Some(true)`) or explicitly include (`Some(false)`) a path below the root.
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

/// Reads the rules of one ignore file. The patterns are relative to a directory whose path the caller strips. Returns
/// `None` when there is no such file.
fn read_rules(file: &Path, budget: &IgnoreBudget) -> Option<Gitignore> {
    let read = read_bounded_regular_file(file, MAX_IGNORE_FILE_BYTES, Links::Follow);
    let name = file.to_string_lossy();
    parse_rules(&name, &ignore_text(&name, read, budget)?)
}

/// Parses the text of an ignore file.
pub fn parse_rules(file: &str, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(".");
    for line in text.lines() {
        if let Err(error) = builder.add_line(None, line) {
            // The valid lines still apply, as in git.
            tracing::warn!(%error, file, "ignore file has an invalid line");
        }
    }
    builder.build().ok()
}

/// Decodes the bytes of an ignore file. Returns `None` if the file does not exist or should not be read: a pipe, a device, a
/// file that is too large, or one that exceeds the budget.
pub fn ignore_text(file: &str, read: io::Result<Vec<u8>>, budget: &IgnoreBudget) -> Option<String> {
    match read {
        Ok(bytes) if !budget.take(bytes.len() as u64) => {
            tracing::warn!(file, "too many ignore files; this one is not applied");
            None
        }
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => {
            budget.exhaustion.note(&error);
            tracing::warn!(%error, file, "ignore file is not read");
            None
        }
    }
}

/// What `rules` say about a path: excluded, explicitly included, or no match.
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

/// `info/exclude` belongs to the main repository. For a linked worktree that is not the directory its `.git` file
/// points to.
fn exclude_file(dot_git: &Path) -> PathBuf {
    common_directory(dot_git).unwrap_or_else(|| dot_git.to_path_buf()).join("info/exclude")
}

/// Follows a `.git` file (`gitdir: PATH`) and the `commondir` file in its target. Returns `None` for a plain
/// directory.
fn common_directory(dot_git: &Path) -> Option<PathBuf> {
    let pointer = read_config_file(dot_git).ok()?;
    let git_dir = dot_git.parent()?.join(pointer.strip_prefix("gitdir:")?.trim());
    match read_config_file(&git_dir.join("commondir")) {
        Ok(common) => Some(git_dir.join(common.trim())),
        Err(_) => Some(git_dir),
    }
}
