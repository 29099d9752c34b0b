//! An exclusive file lock between processes. The operating system releases it when its holder ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use vectorcode_core::{CancelToken, private_files};

use crate::StoreError;
use crate::contract::{LockGuard, Result};

/// The operating system's blocking wait cannot be cancelled, so the lock is polled at this interval.
const POLL: Duration = Duration::from_millis(25);

/// A locked file. Dropping it unlocks the file.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl LockGuard for FileLock {}

impl FileLock {
    /// Locks the file, creating it if it is missing. Fails with the holder's name if it is locked.
    pub fn acquire(path: &Path) -> Result<Self> {
        let mut file = open(path)?;
        match file.try_lock() {
            Ok(()) => {
                write_holder(&mut file).map_err(|error| StoreError::io("write", path, error))?;
                Ok(Self { file })
            }
            Err(TryLockError::WouldBlock) => Err(StoreError::locked(&read_holder(&mut file))),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", path, error)),
        }
    }

    /// Like [`Self::acquire`], but waits for the lock until `cancel` is cancelled.
    pub fn wait(path: &Path, cancel: &CancelToken) -> Result<Self> {
        loop {
            match Self::acquire(path) {
                Err(error) if error.is_locked() && !cancel.is_cancelled() => std::thread::sleep(POLL),
                result => return result,
            }
        }
    }

    /// Whether any process holds the lock right now.
    pub fn is_held(path: &Path) -> bool {
        held(path).is_some()
    }

    /// The process that holds the lock right now.
    pub fn holder(path: &Path) -> Option<String> {
        Some(read_holder(&mut held(path)?))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Clear the holder's name, which others would read. The lock itself goes with the file handle.
        self.file.set_len(0).ok();
    }
}

/// The file, if it is locked.
fn held(path: &Path) -> Option<File> {
    let file = private_files::check(path).and_then(|()| File::open(path)).ok()?;
    // A holder writes its name and clears it when it is done. An empty file is not locked to find out, because that would make a
    // process fail that tries to take the lock at this moment without waiting.
    if file.metadata().ok()?.len() == 0 {
        return None;
    }
    // A shared lock is enough to find out, and two processes that check at the same time do not see each other.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)).then_some(file)
}

fn open(path: &Path) -> Result<File> {
    // The holder's name is written into the file: if it were a symbolic link, that would overwrite somebody else's file.
    private_files::open_or_create(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => StoreError::not_initialized(),
        _ => StoreError::io("open", path, error),
    })
}

fn write_holder(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(process_label().as_bytes())
}

/// This process, as shown to people: program, command and process id.
pub fn process_label() -> String {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    let command = arguments.next().unwrap_or_default();
    format!("{program} {} (process {})", command.to_string_lossy(), std::process::id())
}

/// Returns [`UNKNOWN_HOLDER`] where a locked file cannot be read, as on Windows.
fn read_holder(file: &mut File) -> String {
    let mut holder = String::new();
    match file.read_to_string(&mut holder) {
        Ok(_) if !holder.trim().is_empty() => holder,
        _ => UNKNOWN_HOLDER.into(),
    }
}

pub(crate) const UNKNOWN_HOLDER: &str = "unknown process";
