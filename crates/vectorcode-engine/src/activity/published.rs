//! The progress of this process's runs, written beside the index so that other processes can show it.
//!
//! The file is a hint: it counts only while the process that it names holds a lock of the index, so one that a killed process
//! left behind says nothing.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use vectorcode_core::api::Activity;
use vectorcode_core::private_files::{self, Links};
use vectorcode_store::process_label;

const NAME: &str = "activity.json";
const MAX_BYTES: u64 = 4_096;
/// A run that is over sooner is not worth the writing: the small ones before each answer are over in milliseconds.
const FIRST_AFTER: Duration = Duration::from_millis(300);
const INTERVAL: Duration = Duration::from_millis(500);

/// What a process says about itself.
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

    /// Writes the activity, unless it was written a moment ago. A failure costs others the progress, and nothing else.
    pub(crate) fn publish(&self, activity: &Activity) {
        let now = Instant::now();
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// The last run of this process is over.
    pub(crate) fn clear(&self) {
        let was_running = self.due.lock().unwrap_or_else(PoisonError::into_inner).take().is_some();
        if was_running && self.read().is_some_and(|published| published.process == process_label()) {
            self.delete();
        }
    }

    pub(crate) fn delete(&self) {
        // It may not be there.
        let _ = std::fs::remove_file(&self.path);
    }

    /// What some process published last.
    pub(crate) fn read(&self) -> Option<PublishedActivity> {
        let text = private_files::read_text(&self.path, MAX_BYTES, Links::Refuse).ok()?;
        // Another process may be half-way through writing it.
        serde_json::from_str(&text).ok()
    }

    /// In place, not by replacing: that would wait for the disk.
    fn write(&self, activity: &Activity) -> std::io::Result<()> {
        let published = PublishedActivity { process: process_label(), activity: activity.clone() };
        let text = serde_json::to_vec(&published)?;
        let mut file: File = private_files::open_or_create(&self.path)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)
    }
}
