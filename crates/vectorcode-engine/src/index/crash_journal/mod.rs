//! Remembers the file whose parsing brought down the process, so that the next run leaves it out.
//!
//! Grammars are C. One that aborts or faults ends the whole process: on this run and, without this journal, on every run
//! that follows. The file is recorded in `crashed` beside the index. As long as it has the same time and size, and vectorcode
//! the same version, it is skipped under a reason of its own. How the file is known depends on the system: `signals` on Unix,
//! `in_flight` elsewhere.

#[cfg(any(not(unix), test))]
mod in_flight;
#[cfg(unix)]
mod signals;

use std::path::Path;

use vectorcode_core::{Links, SkipReason, VERSION, private_files, read_bounded_regular_file};
use vectorcode_source::FoundFile;

use crate::EngineError;
#[cfg(not(unix))]
use in_flight::Recorder;
#[cfg(unix)]
use signals::Recorder;

const FILE_NAME: &str = "crashed";
/// What was being parsed when a process ended, where no handler can tell; beside the journal.
const IN_FLIGHT_NAME: &str = "parsing";
/// Hundreds of crashes; a larger file is none of ours.
const MAX_BYTES: u64 = 64 << 10;

/// The files that earlier runs fell over, and the means to record another.
#[derive(Debug)]
pub(crate) struct CrashJournal {
    /// As [`record`] writes them.
    blamed: Vec<String>,
    fault: Recorder,
}

impl CrashJournal {
    /// Reads the journal of the index in `directory`; faults from now on are recorded there.
    pub(crate) fn open(directory: &Path) -> Self {
        let path = directory.join(FILE_NAME);
        // First, because it may find that the last run fell over a file.
        let fault = Recorder::new(&path);
        Self { blamed: records(&path), fault }
    }

    /// Whether an earlier run fell over this very file.
    pub(crate) fn judge(&self, file: &FoundFile) -> Option<SkipReason> {
        // As a rule there is no journal.
        (!self.blamed.is_empty() && self.blamed.contains(&record(file))).then_some(SkipReason::Crashed)
    }

    /// Runs `parse`, and blames `file` if that ends the process.
    pub(crate) fn watch<T>(&self, file: &FoundFile, parse: impl FnOnce() -> T) -> T {
        self.fault.watch(&record(file), parse)
    }
}

/// Deletes the journal of the index in `directory`, if there is one. A new index gives every file another chance.
pub(crate) fn delete(directory: &Path) -> Result<(), EngineError> {
    for name in [FILE_NAME, IN_FLIGHT_NAME] {
        let path = directory.join(name);
        private_files::remove_if_there(&path).map_err(EngineError::io("delete", path))?;
    }
    Ok(())
}

fn records(path: &Path) -> Vec<String> {
    let bytes = read_bounded_regular_file(path, MAX_BYTES, Links::Refuse).unwrap_or_default();
    String::from_utf8_lossy(&bytes).split_terminator('\0').map(str::to_owned).collect()
}

/// A file in the state in which it was parsed, by this version. Paths have no zero byte, so one ends a record.
fn record(file: &FoundFile) -> String {
    format!("{VERSION} {} {} {}", file.mtime_ns, file.size, file.path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Command;

    use vectorcode_core::config::IndexingConfig;
    use vectorcode_source::Scope;
    use vectorcode_testkit::TempProject;

    use super::*;

    /// Set for the process that is to crash: the root of its project.
    const ROOT: &str = "VECTORCODE_TEST_CRASH_ROOT";

    fn found(root: &Path) -> FoundFile {
        let scope = Scope::new(root, &IndexingConfig::default()).expect("the defaults are valid");
        scope.judge("bad.rs".as_ref()).expect("the file is there")
    }

    /// Not a test of its own: what [`a_file_that_ends_the_process_is_blamed`] runs in a process that may end.
    #[test]
    fn crash_while_parsing() {
        let Some(root) = std::env::var_os(ROOT) else { return };
        let journal = CrashJournal::open(root.as_ref());
        journal.watch(&found(root.as_ref()), || std::process::abort());
    }

    #[test]
    fn a_file_that_ends_the_process_is_blamed() {
        let project = TempProject::new(&[("bad.rs", "fn bad() {}\n")]);
        let crashed = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "index::crash_journal::tests::crash_while_parsing"])
            .env(ROOT, project.root())
            .output()
            .unwrap();
        assert_eq!(crashed.status.signal(), Some(libc::SIGABRT));

        let journal = CrashJournal::open(project.root());
        assert_eq!(journal.judge(&found(project.root())), Some(SkipReason::Crashed));
        project.write("bad.rs", "fn mended_since() {}\n");
        assert_eq!(journal.judge(&found(project.root())), None);
    }
}
