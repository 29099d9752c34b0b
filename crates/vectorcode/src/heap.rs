//! Returns memory that a long-running process no longer uses to the system.

use std::time::Duration;

use vectorcode_engine::release_parse_memory;

/// Maximum number of glibc heaps. By default glibc creates up to eight per core for threads, and each keeps memory that its
/// threads no longer use. After 440 queries, eight at a time, a server over 254,752 chunks took 226 MB with the default and 175
/// MB with two heaps, for the same CPU time. Small blocks come from a per-thread cache either way.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAX_ARENAS: std::ffi::c_int = 2;

/// How often to look for unused memory. Most of the work is skipped unless the process has used [`MIN_CPU_BEFORE_TRIM`] of CPU time
/// since, so that an idle server stays idle.
const TRIM_INTERVAL: Duration = Duration::from_secs(5);
#[cfg(target_os = "linux")]
const MIN_CPU_BEFORE_TRIM: Duration = Duration::from_millis(20);

/// Parse tables and tree memory are released after this time without use: they stay between two edits of a file, but not for a
/// language that was parsed only once.
const PARSE_MEMORY_TTL: Duration = Duration::from_mins(1);

/// Limits the memory of this process. Call it before other threads allocate.
pub fn limit() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    limit_heaps();
    // If the thread cannot be started, memory just stays until the process ends.
    let _ = std::thread::Builder::new().name("heap".into()).spawn(give_back_unused);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a setting of the C library's allocator")]
fn limit_heaps() {
    // SAFETY: `mallopt` takes two numbers and may be called at any time. If it refuses, the default stays.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, MAX_ARENAS) };
}

fn give_back_unused() {
    #[cfg(target_os = "linux")]
    let mut before = processor_time();
    loop {
        std::thread::sleep(TRIM_INTERVAL);
        release_parse_memory(PARSE_MEMORY_TTL);
        #[cfg(target_os = "linux")]
        {
            let now = processor_time();
            if now.saturating_sub(before) >= MIN_CPU_BEFORE_TRIM {
                before = now;
                give_back_models();
                #[cfg(target_env = "gnu")]
                give_back_heaps();
            }
        }
    }
}

/// Releases free pages inside the heaps. glibc by itself only releases the end of a heap and keeps free pages below a block
/// that is in use. A server over 50,443 chunks had 126 MB after 400 queries, of which 20 MB were such pages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a call of the C library's allocator")]
fn give_back_heaps() {
    // SAFETY: `malloc_trim` takes a number and may be called at any time, by any thread.
    unsafe { libc::malloc_trim(0) };
}

/// Unmaps the pages of the bundled models. Looking up a word maps the sixteen pages around it, so after some hundred queries
/// all 22 MB of the models count as memory of this process. The pages stay in the system's page cache either way, and mapping
/// them again takes less than a millisecond.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a call of the kernel that the standard library does not have")]
fn give_back_models() {
    // SAFETY: `sysconf` takes a number and returns one.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Some(page) = usize::try_from(page).ok().filter(|page| page.is_power_of_two()) else { return };
    for file in vectorcode_engine::bundled_files() {
        let begin = file.as_ptr().align_offset(page);
        let Some(whole) = file.get(begin..).map(|rest| &rest[..rest.len() / page * page]) else { continue };
        // SAFETY: these are whole pages of a constant without pointers, which nobody writes to. They are private pages of the
        // program's file, which the kernel reads again on the next access. If it refuses, they stay mapped.
        unsafe { libc::madvise(whole.as_ptr().cast_mut().cast(), whole.len(), libc::MADV_DONTNEED) };
    }
}

/// CPU time of all threads of this process.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a clock that the standard library does not have")]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a `timespec` that lives during the call. If it fails, the time stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}
