//! The lock that makes one process the writer of an index. The operating system frees it when its holder ends,
//! however it ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use vectorcode_core::{CancelToken, private_files};

use crate::StoreError;
use crate::contract::Result;

const FILE_NAME: &str = "lock";
/// A lock cannot be waited for and given up at once, so it is asked for this often.
const POLL: Duration = Duration::from_millis(25);

/// Held while an index is written; freed when dropped.
#[derive(Debug)]
pub struct WriterLock {
    file: File,
}

impl WriterLock {
    /// Takes the lock of the index in `directory`, or says who has it.
    pub fn acquire(directory: &Path) -> Result<Self> {
        Self::acquire_named(directory, FILE_NAME)
    }

    /// As [`Self::acquire`], but waits for the holder until `cancel` asks to stop.
    pub fn wait(directory: &Path, cancel: &CancelToken) -> Result<Self> {
        Self::wait_named(directory, FILE_NAME, cancel)
    }

    /// As [`Self::acquire_named`], but waits for the holder until `cancel` asks to stop.
    pub fn wait_named(directory: &Path, name: &str, cancel: &CancelToken) -> Result<Self> {
        loop {
            match Self::acquire_named(directory, name) {
                Err(StoreError::Locked { .. }) if !cancel.is_cancelled() => std::thread::sleep(POLL),
                result => return result,
            }
        }
    }

    /// Takes another lock of the directory, for another office than the writer's.
    pub fn acquire_named(directory: &Path, name: &str) -> Result<Self> {
        let path = directory.join(name);
        let mut file = open(&path)?;
        match file.try_lock() {
            Ok(()) => {
                write_holder(&mut file).map_err(|error| StoreError::io("write", &path, error))?;
                Ok(Self { file })
            }
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { by: read_holder(&mut file) }),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path, error)),
        }
    }

    /// Whether some process holds the lock of this name right now.
    pub fn is_held(directory: &Path, name: &str) -> bool {
        // A shared lock is enough to find out, and two that ask at once do not see each other.
        let path = directory.join(name);
        let file = private_files::check(&path).and_then(|()| File::open(path));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Only what others would read; the lock itself goes with the file handle.
        self.file.set_len(0).ok();
    }
}

fn open(path: &Path) -> Result<File> {
    // The holder's name is written into it: through a link that would empty somebody's file.
    private_files::open_or_create(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => StoreError::NotInitialized,
        _ => StoreError::io("open", path, error),
    })
}

/// The program, its command and its process, so that a person can find it.
fn write_holder(file: &mut File) -> std::io::Result<()> {
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    let command = arguments.next().unwrap_or_default();
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{program} {} (process {})", command.to_string_lossy(), std::process::id())
}

/// Where a locked file cannot be read, as on Windows, the holder stays unnamed.
fn read_holder(file: &mut File) -> String {
    let mut holder = String::new();
    match file.read_to_string(&mut holder) {
        Ok(_) if !holder.trim().is_empty() => holder,
        _ => "its name is not known".into(),
    }
}
