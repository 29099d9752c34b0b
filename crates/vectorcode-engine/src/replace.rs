//! Replaces a file atomically: a reader sees the old content or the new one, also after a crash.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How long a rename is retried. Reading a small file, or scanning it for viruses, takes less.
const RETRY_TIMEOUT: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(5);

/// The caller makes sure that no one else replaces the same file at the same time.
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
    let deadline = Instant::now() + RETRY_TIMEOUT;
    loop {
        match fs::rename(from, to) {
            Err(error) if is_in_use(&error) && Instant::now() < deadline => thread::sleep(RETRY_INTERVAL),
            renamed => return renamed,
        }
    }
}

/// Windows may refuse while another process has the old file open: access denied (5) or sharing violation (32).
fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32))
}
