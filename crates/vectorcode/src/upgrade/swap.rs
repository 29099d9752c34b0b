//! Replaces the old binary with the new one: writes it next to the old one, runs it once, renames it, and undoes that on
//! failure.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use semver::Version;
use tempfile::TempPath;

use super::error::UpgradeError;

const TRIAL_TIMEOUT: Duration = Duration::from_secs(20);
const TRIAL_POLL_INTERVAL: Duration = Duration::from_millis(10);
const MAX_OLD_BINARIES: usize = 9;

/// A temporary file for the new binary, in the directory of the old one, so that a rename can replace it. Dropping this value
/// deletes it, unless the binary was replaced.
#[derive(Debug)]
pub struct Staged {
    binary: PathBuf,
    file: TempPath,
}

impl Staged {
    /// Fails if the directory is not writable, before anything is downloaded.
    pub fn beside(binary: &Path) -> Result<Self, UpgradeError> {
        let directory = binary.parent().unwrap_or(Path::new("."));
        // Old binaries that earlier upgrades on Windows could not remove because they were running.
        old_paths(binary).for_each(|old| drop(fs::remove_file(old)));
        let file = tempfile::Builder::new()
            .prefix(".vectorcode-new-")
            .suffix(std::env::consts::EXE_SUFFIX)
            .tempfile_in(directory)
            .map_err(|error| failure("write next to", binary, error))?;
        Ok(Self { binary: binary.to_owned(), file: file.into_temp_path() })
    }

    pub fn fill(&self, bytes: &[u8]) -> Result<(), UpgradeError> {
        let write = || {
            // One handle for both: Windows only flushes files that were opened for writing.
            let mut file = fs::File::create(&self.file)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::set_permissions(&self.file, fs::metadata(&self.binary)?.permissions())
        };
        write().map_err(|error| failure("write", &self.file, error))
    }

    /// Replaces the old binary if the new one runs and reports `version`, both before and after it is moved: a program may fail
    /// only in its final location, for example under a security policy.
    pub fn swap(self, version: &Version) -> Result<(), UpgradeError> {
        let Self { binary, file } = self;
        check_runs(&file, version)?;
        let old = keep_old(&binary).map_err(|error| failure("replace", &binary, error))?;
        let swapped = file
            .persist(&binary)
            .map_err(|refused| failure("replace", &binary, refused.error))
            .and_then(|()| check_runs(&binary, version));
        match swapped {
            Ok(()) => {
                // Fails on Windows while the old binary runs; the next upgrade removes it.
                let _ = fs::remove_file(&old);
                Ok(())
            }
            Err(error) => {
                fs::rename(&old, &binary).map_err(|error| failure("restore", &binary, error))?;
                Err(error)
            }
        }
    }
}

/// Runs `--version` and compares the output.
fn check_runs(binary: &Path, version: &Version) -> Result<(), UpgradeError> {
    let refuse = |reason: String| Err(UpgradeError::Trial { reason });
    let mut child = match Command::new(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
    {
        Ok(child) => child,
        Err(error) => return refuse(error.to_string()),
    };
    let deadline = Instant::now() + TRIAL_TIMEOUT;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return refuse("`--version` did not finish".to_owned());
        }
        thread::sleep(TRIAL_POLL_INTERVAL);
    }
    match child.wait_with_output() {
        Ok(output) if !output.status.success() => refuse(output.status.to_string()),
        Ok(output) => check_version(&String::from_utf8_lossy(&output.stdout), version).or_else(refuse),
        Err(error) => refuse(error.to_string()),
    }
}

fn check_version(output: &str, version: &Version) -> Result<(), String> {
    let expected = format!("vectorcode {version}");
    let said = output.trim();
    if said == expected { Ok(()) } else { Err(format!("it prints `{said}`, not `{expected}`")) }
}

/// Keeps the old binary under another name and returns that. Windows cannot replace a running program, but can rename it. Other
/// platforms create a second link, so that a binary exists at every moment.
fn keep_old(binary: &Path) -> io::Result<PathBuf> {
    let taken = || io::Error::from(io::ErrorKind::AlreadyExists);
    let old = old_paths(binary).find(|old| !old.exists()).ok_or_else(taken)?;
    if cfg!(windows) {
        fs::rename(binary, &old)?;
    } else {
        fs::hard_link(binary, &old).or_else(|_| fs::copy(binary, &old).map(drop))?;
    }
    Ok(old)
}

/// Names for old binaries. More than one, because on Windows a server that was never restarted keeps using its own file,
/// through any number of upgrades.
fn old_paths(binary: &Path) -> impl Iterator<Item = PathBuf> {
    (1..=MAX_OLD_BINARIES).map(|number| {
        let mut name = binary.as_os_str().to_owned();
        name.push(format!(".old{number}"));
        PathBuf::from(name)
    })
}

fn failure(action: &'static str, path: &Path, source: io::Error) -> UpgradeError {
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            UpgradeError::NoPermission { binary: path.to_owned() }
        }
        _ => UpgradeError::Io { action, path: path.to_owned(), source },
    }
}
