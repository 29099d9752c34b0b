//! Publishes the progress of this process in a file next to the index, so that other processes can show it.
//!
//! The file is only a hint: it counts only while the process named in it holds a lock of the index, so a file left
//! behind by a killed process is ignored.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use vectorcode_core::api::Activity;
use vectorcode_core::lock;
use vectorcode_core::private_files::{self, Links};
use vectorcode_store::process_label;

const NAME: &str = "activity.json";
/// An activity takes a few hundred bytes; a larger file was not written by this program and is ignored.
const MAX_BYTES: u64 = 4_096;
/// A shorter run is not worth a write: the small ones before each response take milliseconds.
const FIRST_AFTER: Duration = Duration::from_millis(300);
const INTERVAL: Duration = Duration::from_millis(500);

/// What a process publishes about itself.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PublishedActivity {
    pub(crate) process: String,
    pub(crate) activity: Activity,
}

#[derive(Debug)]
pub(crate) struct ActivityFile {
    path: PathBuf,
    /// When the file is to be written next; `None` while nothing runs.
    due: Mutex<Option<Instant>>,
}

impl ActivityFile {
    pub(crate) fn in_directory(index_directory: &Path) -> Self {
        Self { path: index_directory.join(NAME), due: Mutex::default() }
    }

    /// Writes the activity, unless it was written a moment ago. If that fails, other processes show no progress;
    /// nothing else is lost.
    pub(crate) fn publish(&self, activity: &Activity) {
        let now = Instant::now();
        let mut due = lock(&self.due);
        match *due {
            None => *due = Some(now + FIRST_AFTER),
            Some(at) if at <= now => {
                *due = Some(now + INTERVAL);
                if let Err(error) = self.write(activity) {
                    tracing::debug!(%error, "the progress was not published");
                }
            }
            Some(_) => {}
        }
    }

    /// Called when the last run of this process is over.
    pub(crate) fn clear(&self) {
        let was_running = lock(&self.due).take().is_some();
        if was_running && self.read().is_some_and(|published| published.process == process_label()) {
            self.delete();
        }
    }

    pub(crate) fn delete(&self) {
        // The file may not exist.
        let _ = std::fs::remove_file(&self.path);
    }

    /// What some process published last.
    pub(crate) fn read(&self) -> Option<PublishedActivity> {
        let text = private_files::read_text(&self.path, MAX_BYTES, Links::Refuse).ok()?;
        // Another process may be in the middle of writing it.
        serde_json::from_str(&text).ok()
    }

    /// Written in place, not atomically replaced, which would wait for the disk.
    fn write(&self, activity: &Activity) -> std::io::Result<()> {
        let published = PublishedActivity { process: process_label(), activity: activity.clone() };
        let text = serde_json::to_vec(&published)?;
        let mut file: File = private_files::open_or_create(&self.path)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)
    }
}
