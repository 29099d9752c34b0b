//! Ends the program with an error when the system has no memory or threads left. By default, Rust would abort, or panic on the
//! thread that failed.
#![expect(unsafe_code, reason = "an allocator handles raw pointers; this one only passes them on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

#[global_allocator]
static ALLOCATOR: Exhaustible = Exhaustible;

/// Written without allocating. Parser processes write it too, and are recognised by "memory allocation".
const NO_MEMORY: &[u8] =
    b"error: Not enough memory: a memory allocation failed\nhint: Raise the memory limit (ulimit -v), or free some memory.\n";
const NO_THREAD: &[u8] =
    b"error: Cannot start a thread\nhint: Raise the limit for memory (ulimit -v) or for processes (ulimit -u).\n";

/// How the panic messages of the standard library and tokio start if a thread cannot be started, or gets no signal stack.
const THREAD_PANICS: [&str; 3] =
    ["failed to spawn thread", "failed to allocate an alternative stack", "OS can't spawn worker thread"];

/// The exit code of a command that failed as a whole.
#[cfg(unix)]
const EXIT_CODE: i32 = 2;

/// From now on a thread that cannot be started ends the program with an error. Libraries that start threads do not handle this
/// case and panic.
pub fn report_missing_threads() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_thread = |words: &str| THREAD_PANICS.iter().any(|panic| words.starts_with(panic));
        if panic.payload_as_str().is_some_and(is_thread) {
            end(NO_THREAD);
        }
        print(panic);
    }));
}

struct Exhaustible;

// SAFETY: every call is forwarded to the system allocator, and its result is returned unchanged.
unsafe impl GlobalAlloc for Exhaustible {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as of this function.
        given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as of this function.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as of this function.
        given(unsafe { System.realloc(block, layout, new_size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as of this function.
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn given(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        end(NO_MEMORY);
    }
    block
}

#[cold]
fn end(message: &[u8]) -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    while IS_ENDING.swap(true, Ordering::Relaxed) {
        // Another thread writes the message and ends the process.
        std::thread::yield_now();
    }
    end_process(message)
}

/// Exits without running exit handlers: they may allocate, or wait for this thread.
#[cfg(unix)]
fn end_process(message: &[u8]) -> ! {
    // SAFETY: `write` gets a valid pointer and its length; `_exit` takes a number.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::_exit(EXIT_CODE)
    }
}

#[cfg(not(unix))]
fn end_process(message: &[u8]) -> ! {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(message);
    std::process::abort()
}
