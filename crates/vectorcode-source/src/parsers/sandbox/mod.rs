//! Restricts a parser process before it reads its first text.
//!
//! On Linux, the kernel refuses every system call that parsing does not need ([`linux`]): the process can open no file, reach
//! no network and start no program. On all Unix systems, it may open no further file, write none, start no process, and use
//! only a limited amount of memory and processor time. On Windows, it is only a separate process.

#[cfg(target_os = "linux")]
mod linux;

/// Limit of the address space: a parse may take 128 MB, all parse tables together take 131 MB, and the program itself 60 MB.
#[cfg(unix)]
const MEMORY_BYTES: u64 = 1 << 30;

/// Processor time of one request. A parse stops itself after one second; this limit is for a scanner that never returns.
#[cfg(unix)]
const REQUEST_SECONDS: u64 = 3;

/// The size that a thread's stack would have. If memory is limited, a stack that cannot grow ends the process with a signal,
/// just as a bug of the grammar would.
#[cfg(unix)]
const STACK_BYTES: usize = 2 << 20;
#[cfg(unix)]
const PAGE_BYTES: usize = 4 << 10;

/// Drops all privileges that parsing does not need, as far as the system supports it. Must be called by the only thread of
/// the process.
pub(super) fn enter() {
    // Windows reserves memory for the whole stack, which has 1 MB there.
    #[cfg(unix)]
    if is_memory_limited_from_outside() {
        touch_stack(STACK_BYTES / PAGE_BYTES);
    }
    // If one of these fails, the others still apply, and the process has no information except the texts that it parses.
    #[cfg(target_os = "linux")]
    let _ = linux::restrict_access();
    #[cfg(unix)]
    limit_resources();
    #[cfg(target_os = "linux")]
    let _ = linux::filter_calls();
}

/// Touches the pages of the stack, so that the system allocates them now.
#[cfg(unix)]
#[inline(never)]
fn touch_stack(pages: usize) {
    let page = std::hint::black_box([0_u8; PAGE_BYTES]);
    if pages > 0 {
        touch_stack(pages - 1);
    }
    std::hint::black_box(page);
}

/// Sets limits that cannot be raised again. A limit that the system refuses is ignored, as on a system that does not have it.
#[cfg(unix)]
fn limit_resources() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let mut limits =
        vec![(Resource::Core, 0), (Resource::Fsize, 0), (Resource::Nofile, 0), (Resource::Nproc, 0)];
    if !is_memory_limited_from_outside() {
        limits.push((Resource::As, MEMORY_BYTES));
    }
    for (resource, most) in limits {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

/// Whether child processes get less memory than [`enter`] would allow. If so, running out of memory is not the fault of a
/// file.
#[cfg(unix)]
pub(super) fn is_memory_limited_from_outside() -> bool {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    limit.is_some_and(|limit| limit < MEMORY_BYTES)
}

#[cfg(not(unix))]
pub(super) fn is_memory_limited_from_outside() -> bool {
    true
}

/// Sets a limit so that the system kills this process if the current request takes too long.
#[cfg(unix)]
pub(super) fn limit_processor_time() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let most = used.tv_sec.unsigned_abs() + REQUEST_SECONDS;
    let maximum = getrlimit(Resource::Cpu).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    let _ = setrlimit(Resource::Cpu, Rlimit { current, maximum });
}

#[cfg(not(unix))]
pub(super) fn limit_processor_time() {}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{ErrorKind, Write as _};
    use std::net::{TcpListener, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    /// Set in the environment of the process that confines itself.
    const CONFINED: &str = "VECTORCODE_TEST_CONFINED";

    /// Not a real test: it is what [`a_confined_process_reaches_nothing`] runs in a process that is then confined for good.
    #[test]
    fn try_everything() {
        if std::env::var_os(CONFINED).is_none() {
            return;
        }
        super::enter();
        let mut heap = vec![1_u8; 3 << 20];
        heap.resize(40 << 20, 2);
        let refused = |what: &str, error: Option<std::io::Error>| {
            assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::PermissionDenied), "{what}");
        };
        refused("open", File::open("/proc/self/environ").err());
        refused("create", File::create("confined").err());
        refused("list", std::fs::read_dir("/").err());
        refused("delete", std::fs::remove_file("confined").err());
        refused("listen", TcpListener::bind("127.0.0.1:0").err());
        refused("send", UdpSocket::bind("127.0.0.1:0").err());
        refused("local socket", UnixStream::connect("/confined").err());
        refused("exec", Some(Command::new("/bin/true").exec()));
        refused("start", Command::new("/bin/true").spawn().err());
        assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "a thread");
        std::io::stdout().write_all(b"all refused").unwrap();
    }

    #[test]
    fn a_confined_process_reaches_nothing() {
        // A kernel without system call filters refuses in other ways, or not at all.
        if !std::path::Path::new("/proc/sys/kernel/seccomp/actions_avail").exists() {
            return;
        }
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "parsers::sandbox::tests::try_everything", "--nocapture"])
            .env(CONFINED, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("all refused"), "{ended:?}");
    }
}
