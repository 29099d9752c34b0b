//! The memory of a long-running process: what it no longer uses is returned to the system.

use std::time::Duration;

use vectorcode_engine::release_parse_memory;

/// Heaps that glibc keeps at most. It gives threads heaps of their own, eight for each core, and a heap keeps what its threads
/// no longer use. A server over 254,752 chunks that was asked 440 questions, eight at a time, took 226 MB so, and 175 MB with
/// two heaps, for the same processor time. Small blocks come from a cache of their thread either way.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const HEAPS: std::ffi::c_int = 2;

/// So often memory is looked through, and most of it only where the process computed for so long since: an idle server
/// stays idle.
const LOOK_EVERY: Duration = Duration::from_secs(5);
#[cfg(target_os = "linux")]
const WORTH_A_LOOK: Duration = Duration::from_millis(20);

/// Parse tables and room for trees go after this time: between two edits of a file they stay, those of a language that was read
/// once do not.
const PARSE_MEMORY_STAYS: Duration = Duration::from_mins(1);

/// To be called before other threads allocate.
pub fn limit() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    limit_heaps();
    // Without the thread, memory stays until the process ends, as without this function.
    let _ = std::thread::Builder::new().name("heap".into()).spawn(give_back_unused);
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a setting of the C library's allocator")]
fn limit_heaps() {
    // SAFETY: `mallopt` takes two numbers and may be called at any time. Where it refuses, the default stays.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, HEAPS) };
}

fn give_back_unused() {
    #[cfg(target_os = "linux")]
    let mut before = processor_time();
    loop {
        std::thread::sleep(LOOK_EVERY);
        release_parse_memory(PARSE_MEMORY_STAYS);
        #[cfg(target_os = "linux")]
        {
            let now = processor_time();
            if now.saturating_sub(before) >= WORTH_A_LOOK {
                before = now;
                give_back_models();
                #[cfg(target_env = "gnu")]
                give_back_heaps();
            }
        }
    }
}

/// glibc gives back the end of a heap alone, and keeps free pages below a block that is in use. A server over 50,443 chunks had
/// 126 MB after 400 questions, of which 20 MB were such pages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a call of the C library's allocator")]
fn give_back_heaps() {
    // SAFETY: `malloc_trim` takes a number and may be called at any time, by any thread.
    unsafe { libc::malloc_trim(0) };
}

/// Looking a word up maps the sixteen pages of a model around it, so after some hundred questions all 22 MB of the bundled models
/// count as memory of this process. The pages stay in the page cache of the system either way, and mapping them again takes less
/// than a millisecond.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a call of the kernel that the standard library does not have")]
fn give_back_models() {
    // SAFETY: takes a number and returns one.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let Some(page) = usize::try_from(page).ok().filter(|page| page.is_power_of_two()) else { return };
    for file in vectorcode_engine::bundled_files() {
        let begin = file.as_ptr().align_offset(page);
        let Some(whole) = file.get(begin..).map(|rest| &rest[..rest.len() / page * page]) else { continue };
        // SAFETY: these are whole pages of a constant without pointers, which nobody writes to. They are private pages of the
        // program's file, which the kernel reads again when they are used. Where it refuses, they stay.
        unsafe { libc::madvise(whole.as_ptr().cast_mut().cast(), whole.len(), libc::MADV_DONTNEED) };
    }
}

/// Of all threads of this process.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a clock that the standard library does not have")]
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a `timespec` that lives during the call. Where it fails, the time stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}
