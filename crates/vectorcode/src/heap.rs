//! The heap of a process that runs for long.

/// Heaps that glibc keeps at most. It gives threads heaps of their own, eight for each core, and a heap keeps what its threads
/// no longer use. A server over 254,752 chunks that was asked 440 questions, eight at a time, took 226 MB so, and 175 MB with
/// two heaps, for the same processor time. Small blocks come from a cache of their thread either way.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAPS: std::ffi::c_int = 2;

/// To be called before other threads allocate.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a setting of the C library's allocator")]
pub fn limit() {
    // SAFETY: `mallopt` takes two numbers and may be called at any time. Where it refuses, the default stays.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, HEAPS) };
}

/// Other allocators do not keep a heap for each thread.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn limit() {}
