//! Replacing a file in one step: a reader sees the old content or the new one, and so does who comes after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Reading a small file, or looking at it for viruses, takes less.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(5);

/// The caller sees to it that nobody else replaces the same file at the same time.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut file = File::create(&beside)?;
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    rename(Path::new(&beside), path)
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match fs::rename(from, to) {
            Err(error) if is_in_use(&error) && Instant::now() < deadline => thread::sleep(RETRY),
            renamed => return renamed,
        }
    }
}

/// Windows may refuse while somebody has the old file open, and says that access is denied or that sharing is violated.
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32))
}
