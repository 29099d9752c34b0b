//! Errors that mean the system has run out of a resource. They say nothing about a file: one that cannot be opened for lack
//! of file descriptors still exists.

use std::io;

/// Whether this process or the whole system has run out of file descriptors or memory.
pub fn is_resource_exhausted(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
        || error.raw_os_error().is_some_and(|code| EXHAUSTION_CODES.contains(&code))
}

#[cfg(unix)]
const EXHAUSTION_CODES: [i32; 3] = [libc::EMFILE, libc::ENFILE, libc::ENOMEM];

/// `ERROR_TOO_MANY_OPEN_FILES`, `ERROR_NOT_ENOUGH_MEMORY`, `ERROR_OUTOFMEMORY`, `ERROR_NO_SYSTEM_RESOURCES`.
#[cfg(not(unix))]
const EXHAUSTION_CODES: [i32; 4] = [4, 8, 14, 1450];
