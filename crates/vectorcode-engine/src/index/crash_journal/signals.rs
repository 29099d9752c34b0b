//! On Unix, the handler of a fault appends the file that its thread was parsing to the journal. Nothing is written unless a
//! fault happens: a file costs a thread two stores to a variable of its own.
//!
//! A process that is killed from outside (`SIGKILL`, a power cut) blames no file.

#![expect(unsafe_code, reason = "a handler of faults is registered with the C library")]

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
