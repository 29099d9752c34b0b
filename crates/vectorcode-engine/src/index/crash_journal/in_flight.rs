//! Where no handler runs when C code ends the process: what is being parsed is kept in a file, and what a run finds there at
//! its start was being parsed when an earlier one ended.
//!
//! That alone is no proof: several files are parsed at a time, and the process may have been killed from outside. So such a file
//! is a suspect. It is parsed again, with no other file beside it, and blamed if that run too ends before it is done.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use vectorcode_core::{VERSION, private_files};

use super::{IN_FLIGHT_NAME, records};

/// Stands before the record of a suspect that is being parsed again.
const AGAIN: char = '!';

#[derive(Debug)]
pub(super) struct Recorder {
    /// Held exclusively by a suspect.
    turns: RwLock<()>,
    list: Mutex<List>,
}

impl Recorder {
    /// Appends to `journal` what the last run is blamed on, and takes over its suspects.
    pub(super) fn new(journal: &Path) -> Self {
        let path = journal.with_file_name(IN_FLIGHT_NAME);
        let (again, once): (Vec<_>, Vec<_>) =
            records(&path).into_iter().partition(|record| record.starts_with(AGAIN));
        // Another version may have another grammar.
        let is_ours = |record: &String| record.split(' ').next() == Some(VERSION);
        let suspects = once.into_iter().filter(is_ours).collect();
        for record in again {
            // A file that cannot be blamed is tried once more, which is all that can be done here.
            let _ = blame(journal, record.trim_start_matches(AGAIN));
        }
        let list = List { path, file: None, suspects, parsing: BTreeSet::new() };
        Self { turns: RwLock::new(()), list: Mutex::new(list) }
    }

    pub(super) fn watch<T>(&self, record: &str, work: impl FnOnce() -> T) -> T {
        let is_suspect = self.list().suspects.contains(record);
        let _alone = is_suspect.then(|| self.turns.write());
        let _beside_others = (!is_suspect).then(|| self.turns.read());
        self.list().begin(record);
        let _until_done = Parsing { recorder: self, record };
        work()
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends with the parsing of one file, also by a panic, which is no crash.
struct Parsing<'a> {
    recorder: &'a Recorder,
    record: &'a str,
}

impl Drop for Parsing<'_> {
    fn drop(&mut self) {
        self.recorder.list().end(self.record);
    }
}

fn blame(journal: &Path, record: &str) -> io::Result<()> {
    let mut file = private_files::open_or_create(journal)?;
    file.seek(io::SeekFrom::End(0))?;
    write!(file, "{record}\0")
}

/// What the file holds: suspects whose turn has not come, and what is being parsed.
#[derive(Debug)]
struct List {
    path: PathBuf,
    /// Opened when there is something to write.
    file: Option<File>,
    suspects: BTreeSet<String>,
    parsing: BTreeSet<String>,
}

impl List {
    fn begin(&mut self, record: &str) {
        let again = if self.suspects.remove(record) { AGAIN.to_string() } else { String::new() };
        self.parsing.insert(again + record);
        // The files are indexed all the same where the list cannot be written.
        let _ = self.write();
    }

    fn end(&mut self, record: &str) {
        self.parsing.remove(record);
        self.parsing.remove(&format!("{AGAIN}{record}"));
        let _ = self.write();
    }

    /// Rewrites the file in place: a few records, in the cache of the system, which outlives the process.
    fn write(&mut self) -> io::Result<()> {
        let content: String =
            self.suspects.iter().chain(&self.parsing).flat_map(|record| [record.as_str(), "\0"]).collect();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(private_files::open_or_create(&self.path)?),
        };
        file.rewind()?;
        file.write_all(content.as_bytes())?;
        // Afterwards: a record that is cut off names no file, and one that is missing would be missed.
        file.set_len(content.len() as u64)
    }
}

impl Drop for List {
    fn drop(&mut self) {
        if self.file.take().is_some() && self.suspects.is_empty() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tempfile::TempDir;

    use super::*;

    struct Index(TempDir);

    impl Index {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn journal(&self) -> PathBuf {
            self.0.path().join("crashed")
        }

        fn open(&self) -> Recorder {
            Recorder::new(&self.journal())
        }

        fn blamed(&self) -> Vec<String> {
            records(&self.journal())
        }

        /// What a process leaves that ends now.
        fn at_this_moment(&self) -> Self {
            let copy = Self::new();
            for entry in std::fs::read_dir(self.0.path()).unwrap().map(Result::unwrap) {
                std::fs::copy(entry.path(), copy.0.path().join(entry.file_name())).unwrap();
            }
            copy
        }
    }

    fn record(name: &str) -> String {
        format!("{VERSION} 1 2 {name}")
    }

    #[test]
    fn a_file_that_ends_two_runs_is_blamed_and_its_neighbour_is_not() {
        let index = Index::new();
        let (good, bad) = (record("good.rs"), record("bad.rs"));
        let first = index.open();
        let crashed = first.watch(&good, || first.watch(&bad, || index.at_this_moment()));

        let second = crashed.open();
        assert_eq!(crashed.blamed(), [""; 0]);
        second.watch(&good, || ());
        let crashed = second.watch(&bad, || crashed.at_this_moment());

        crashed.open();
        assert_eq!(crashed.blamed(), [bad]);
    }

    #[test]
    fn one_end_from_outside_blames_nothing() {
        let index = Index::new();
        let first = index.open();
        let killed = first.watch(&record("a.rs"), || index.at_this_moment());
        drop(first);
        assert!(!index.0.path().join(IN_FLIGHT_NAME).exists(), "a run that reached its end leaves nothing");

        // The second run does not come to the suspect, and the third parses it.
        killed.open().watch(&record("b.rs"), || ());
        let third = killed.open();
        assert!(third.list().suspects.contains(&record("a.rs")));
        third.watch(&record("a.rs"), || ());
        drop(third);
        killed.open();
        assert_eq!(killed.blamed(), [""; 0]);
        assert!(!killed.0.path().join(IN_FLIGHT_NAME).exists());
    }

    #[test]
    fn a_suspect_is_parsed_alone() {
        let index = Index::new();
        let first = index.open();
        let crashed = first.watch(&record("a.rs"), || index.at_this_moment());
        let second = crashed.open();
        let (started, others) = channel();
        std::thread::scope(|scope| {
            second.watch(&record("a.rs"), || {
                let second = &second;
                let neighbour =
                    scope.spawn(move || second.watch(&record("b.rs"), || started.send(()).unwrap()));
                assert!(!neighbour.is_finished() && others.try_recv().is_err());
                assert_eq!(second.list().parsing.len(), 1);
            });
        });
        others.recv().unwrap();
    }
}
