//! Remembers the file whose parsing brought down the process, so that the next run leaves it out.
//!
//! Grammars are C. One that aborts or faults ends the whole process: on this run and, without this journal, on every run
//! that follows. The handler of the fault appends the file that its thread was parsing to `crashed` beside the index. As long as
//! that file has the same time and size, and vectorcode the same version, it is skipped under a reason of its own. Nothing
//! is written unless a fault happens: a file costs a thread two stores to a variable of its own.
//!
//! A process that is killed from outside (`SIGKILL`, a power cut) blames no file. On Windows nothing is recorded.

use std::io::ErrorKind;
use std::path::Path;

use vectorcode_core::{Links, SkipReason, VERSION, read_bounded_regular_file};
use vectorcode_source::FoundFile;

use crate::EngineError;

const FILE_NAME: &str = "crashed";
/// Hundreds of crashes; a larger file is none of ours.
const MAX_BYTES: u64 = 64 << 10;

/// The files that earlier runs fell over, and the means to record another.
#[derive(Debug)]
pub(crate) struct CrashJournal {
    /// As [`record`] writes them.
    blamed: Vec<String>,
    fault: fault::Recorder,
}

impl CrashJournal {
    /// Reads the journal of the index in `directory`; faults from now on are recorded there.
    pub(crate) fn open(directory: &Path) -> Self {
        let path = directory.join(FILE_NAME);
        let bytes = read_bounded_regular_file(&path, MAX_BYTES, Links::Refuse).unwrap_or_default();
        let blamed = String::from_utf8_lossy(&bytes).split_terminator('\0').map(str::to_owned).collect();
        Self { blamed, fault: fault::Recorder::new(&path) }
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
    let path = directory.join(FILE_NAME);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        deleted => deleted.map_err(EngineError::io("delete", path)),
    }
}

/// A file in the state in which it was parsed, by this version. Paths have no zero byte, so one ends a record.
fn record(file: &FoundFile) -> String {
    format!("{VERSION} {} {} {}", file.mtime_ns, file.size, file.path)
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "a handler of faults is registered with the C library")]
mod fault {
    use std::cell::Cell;
    use std::ffi::{CStr, CString, c_int};
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;
    use std::ptr;
    use std::sync::Once;

    /// What ends the process from within C: a failed assertion, a wild pointer, a stack that is full.
    const SIGNALS: [c_int; 3] = [libc::SIGABRT, libc::SIGSEGV, libc::SIGBUS];

    /// What the handler needs, ready to be written: it must not allocate.
    struct InFlight<'a> {
        journal: &'a CStr,
        /// Ends with a zero byte.
        record: &'a [u8],
    }

    thread_local! {
        static IN_FLIGHT: Cell<*const InFlight<'static>> = const { Cell::new(ptr::null()) };
    }

    #[derive(Debug)]
    pub(super) struct Recorder {
        journal: CString,
    }

    impl Recorder {
        pub(super) fn new(journal: &Path) -> Self {
            static INSTALLED: Once = Once::new();
            INSTALLED.call_once(install);
            let journal = CString::new(journal.as_os_str().as_bytes()).expect("a path has no zero byte");
            Self { journal }
        }

        pub(super) fn watch<T>(&self, record: &str, work: impl FnOnce() -> T) -> T {
            let record = [record.as_bytes(), b"\0"].concat();
            let in_flight = InFlight { journal: &self.journal, record: &record };
            let _until_done = Guard;
            IN_FLIGHT.set((&raw const in_flight).cast());
            work()
        }
    }

    /// Nothing is in flight any more, even when the work panics.
    struct Guard;

    impl Drop for Guard {
        fn drop(&mut self) {
            IN_FLIGHT.set(ptr::null());
        }
    }

    /// The handlers before ours, put back when a fault was recorded: the runtime reports a full stack in its own.
    static PREVIOUS: [std::sync::OnceLock<libc::sigaction>; 3] = [const { std::sync::OnceLock::new() }; 3];

    fn install() {
        for (signal, previous) in SIGNALS.iter().zip(&PREVIOUS) {
            // SAFETY: both are plain structs of C, for which zeros are valid; the handler does only what a handler may do.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_fault as *const () as libc::sighandler_t;
                // A full stack has no room for a handler.
                action.sa_flags = libc::SA_ONSTACK;
                let mut before: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(*signal, &raw const action, &raw mut before) == 0 {
                    let _ = previous.set(before);
                }
            }
        }
    }

    extern "C" fn on_fault(signal: c_int) {
        // SAFETY: it is null, or points to what `watch` on this very thread keeps alive; open, write, close and sigaction
        // may be called in a handler of signals.
        unsafe {
            if let Some(in_flight) = IN_FLIGHT.get().as_ref() {
                write_record(in_flight);
            }
            let place = SIGNALS.iter().position(|known| *known == signal);
            if let Some(before) = place.and_then(|place| PREVIOUS[place].get()) {
                libc::sigaction(signal, before, ptr::null_mut());
            }
        }
        // Back to the instruction that failed, which fails again, and is now handled as if we had never been here.
    }

    unsafe fn write_record(in_flight: &InFlight<'_>) {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        let owner_only: libc::c_uint = 0o600;
        // SAFETY: a path that ends with a zero, and a buffer of the length that is given.
        unsafe {
            let file = libc::open(in_flight.journal.as_ptr(), flags | libc::O_NONBLOCK, owner_only);
            if file >= 0 {
                libc::write(file, in_flight.record.as_ptr().cast(), in_flight.record.len());
                libc::close(file);
            }
        }
    }
}

#[cfg(not(unix))]
mod fault {
    use std::path::Path;

    #[derive(Debug)]
    pub(super) struct Recorder;

    impl Recorder {
        pub(super) fn new(_journal: &Path) -> Self {
            Self
        }

        pub(super) fn watch<T>(&self, _record: &str, work: impl FnOnce() -> T) -> T {
            work()
        }
    }
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
