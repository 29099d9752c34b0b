//! One clone on disk: its lock, its recorded state, and updating it to the server's commit.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vectorcode_core::private_files::{self, Links};

use super::followed_refs::Followed;
use super::git::Git;
use super::list::Repository;

/// A folder next to the clones. No repository can have this name.
const CONTROL_DIRECTORY: &str = ".control";
const MAX_STATE_BYTES: u64 = 64 << 10;
/// The reference in the clone that is checked out.
const TARGET: &str = "refs/vectorcode/target";
/// A repository may contain settings, which apply as far as the user trusts them, but its own index is not checked out.
const SPARSE_PATTERNS: &str = "/*\n!/.vectorcode\n!/.vectorcode/*\n/.vectorcode/config.toml\n";

/// The recorded state of a clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CloneState {
    /// The URL it was cloned from. A different URL means a new clone.
    pub url: String,
    /// The commit that is indexed.
    pub commit: Option<String>,
    /// A fingerprint of the other references that were fetched ([`super::followed_refs`]).
    #[serde(default)]
    pub followed: String,
    /// Seconds since 1970.
    pub checked_at: i64,
    pub indexed_at: Option<i64>,
    /// Why the last visit failed, if it did.
    pub error: Option<String>,
}

/// The files through which workers and servers coordinate about one clone.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    directory: PathBuf,
    name: String,
}

impl Control {
    /// `directory` is the directory of all clones.
    pub(crate) fn new(directory: &Path, name: &str) -> Self {
        Self { directory: directory.join(CONTROL_DIRECTORY), name: name.to_owned() }
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.directory.join(format!("{}.{ending}", self.name))
    }

    /// Asks workers to visit the repository soon.
    pub(crate) fn request_visit(&self) -> io::Result<()> {
        private_files::create_directory(&self.directory, Links::Follow)?;
        private_files::replace(&self.file("wanted"), b"")
    }

    pub(super) fn is_visit_requested(&self) -> bool {
        self.file("wanted").exists()
    }

    pub(super) fn forget_request(&self) {
        // Fails if there was no request, or if another worker was faster.
        let _ = std::fs::remove_file(self.file("wanted"));
    }

    /// `None` while another worker holds the lock. The system releases it when its holder exits, for whatever reason.
    pub(super) fn lock(&self) -> io::Result<Option<File>> {
        private_files::create_directory(&self.directory, Links::Follow)?;
        let file = private_files::open_or_create(&self.file("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// If the state is damaged or missing, the repository counts as never visited.
    pub(super) fn state(&self) -> CloneState {
        let text = private_files::read_text(&self.file("json"), MAX_STATE_BYTES, Links::Refuse);
        text.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    pub(super) fn write_state(&self, state: &CloneState) -> io::Result<()> {
        private_files::replace(&self.file("json"), &serde_json::to_vec_pretty(state)?)
    }

    /// The lock file is kept: another worker may hold it, and a new file would be a different lock.
    pub(super) fn forget(&self) {
        self.forget_request();
        let _ = std::fs::remove_file(self.file("json"));
    }
}

/// The current commit on the server, and the reference that points to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemoteCommit {
    pub(super) id: String,
    reference: String,
}

/// Queries the server, without fetching anything.
pub(super) fn remote_commit(git: &Git<'_>, repository: &Repository) -> Result<RemoteCommit, String> {
    let wanted = match repository.reference.as_deref() {
        None => vec!["HEAD".to_owned()],
        Some(full) if full.starts_with("refs/") => vec![full.to_owned()],
        Some(name) => vec![format!("refs/heads/{name}"), format!("refs/tags/{name}")],
    };
    let mut args = vec!["ls-remote", "--", git.url.as_str()];
    args.extend(wanted.iter().map(String::as_str));
    let listed = git.run(&args)?;
    let found = |reference: &str| {
        listed.lines().filter_map(|line| line.split_once('\t')).find(|(_, name)| *name == reference)
    };
    let (id, reference) = wanted
        .iter()
        .find_map(|reference| found(reference))
        .ok_or_else(|| format!("the server has no {}", wanted.join(" and no ")))?;
    if !matches!(id.len(), 40 | 64) || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err("the server's answer is not a commit id".into());
    }
    Ok(RemoteCommit { id: id.to_owned(), reference: reference.to_owned() })
}

/// Fetches the commit and the followed references, and writes the files of the commit.
pub(super) fn check_out(
    git: &Git<'_>,
    commit: &RemoteCommit,
    followed: &[Followed],
    depth: u32,
) -> Result<(), String> {
    prepare(git)?;
    let depth = format!("--depth={depth}");
    let mut args = vec!["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
    args.extend((depth != "--depth=0").then_some(depth.as_str()));
    // Branches that were deleted on the server are deleted here too.
    args.extend((!followed.is_empty()).then_some("--prune"));
    args.extend(["--", git.url.as_str()]);
    let refspecs: Vec<String> = std::iter::once(format!("+{}:{TARGET}", commit.reference))
        .chain(followed.iter().map(Followed::refspec))
        .collect();
    args.extend(refspecs.iter().map(String::as_str));
    git.run(&args)?;
    git.check_size()?;
    git.run(&["checkout", "--quiet", "--force", "--detach", TARGET, "--"])?;
    git.check_size()?;
    // Each fetch adds a pack.
    git.run(&["gc", "--auto", "--quiet"]).map(drop)
}

/// Creates an empty repository if needed, and deletes what a killed git left behind. We hold the lock of the clone, so no git
/// runs.
fn prepare(git: &Git<'_>) -> Result<(), String> {
    let data = git.directory.join(".git");
    if !data.join("HEAD").exists() {
        git.run(&["init", "--quiet", "--template="])?;
    }
    let failed = |error: io::Error| format!("the clone cannot be prepared: {error}");
    std::fs::create_dir_all(data.join("info")).map_err(failed)?;
    std::fs::write(data.join("info/sparse-checkout"), SPARSE_PATTERNS).map_err(failed)?;
    for directory in ["", "refs/vectorcode", "objects/info", "objects/pack"] {
        for entry in std::fs::read_dir(data.join(directory)).into_iter().flatten().flatten() {
            if is_left_over(&entry.path()) {
                std::fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
    }
    Ok(())
}

/// Whether a file is a lock, or an incomplete pack. A pack that was stopped for its size can be as large as a clone may be.
fn is_left_over(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.ends_with(".lock") || name.starts_with("tmp_")
}
