//! One parser process, seen from the process that sends requests to it.

use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Serialize;
use vectorcode_core::lock;

use super::PARSER_PROCESS;
use super::answer::Answer;
use super::permit::LargeParsePermit;
use super::process_exit::ProcessExit;
use super::sandbox;

/// The first byte that a process sends: it is confined and waits for requests.
pub(super) const READY: u8 = b'R';

/// Sent instead of the length of a response: the process waits for permission to use much memory. The response follows later.
pub(super) const WAITS_FOR_TURN: u32 = u32::MAX;
/// The permission.
pub(super) const GO_ON: u8 = b'G';

/// The second argument. Processes of different versions may lay out messages differently.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A larger response cannot be genuine: 1 MB of source produces up to 10 MB.
const MAX_ANSWER_BYTES: u32 = 64 << 20;
/// How much of a process's standard error is kept.
const MAX_WORDS_BYTES: u64 = 4 << 10;

/// How a parser process is started.
#[derive(Debug)]
pub(super) struct Program {
    pub path: PathBuf,
    pub arguments: Vec<OsString>,
}

impl Program {
    /// The executable of this process. On Linux, this works even after an upgrade has replaced the file; elsewhere, the new
    /// one refuses to run.
    pub fn own() -> Self {
        let running = Path::new("/proc/self/exe");
        let path = if cfg!(target_os = "linux") && running.exists() {
            running.to_path_buf()
        } else {
            // If the system cannot tell, as on Linux without `/proc`, use the name that the program was started with.
            let called = || std::env::args_os().next().map(PathBuf::from);
            std::env::current_exe().ok().or_else(called).unwrap_or_default()
        };
        Self { path, arguments: vec![PARSER_PROCESS.into(), VERSION.into()] }
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.path);
        // The environment may contain keys.
        command.args(&self.arguments).env_clear();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        detach(&mut command);
        command.spawn()
    }
}

/// Ctrl-C on the terminal is only for the requesting process, which lets the current file finish.
#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Suppresses the window. System libraries need the `SystemRoot` variable.
#[cfg(windows)]
fn detach(command: &mut Command) {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, CREATE_NO_WINDOW);
    command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
}

#[derive(Debug)]
pub(super) struct Process {
    watched: Arc<WatchedProcess>,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    is_ready: bool,
}

/// The state of a process that the watchdog needs.
#[derive(Debug)]
pub(super) struct WatchedProcess {
    child: Mutex<Child>,
    asked_at: Mutex<Option<Instant>>,
    timed_out: AtomicBool,
}

impl Process {
    pub fn start(program: &Program) -> io::Result<Self> {
        let mut child = program.start()?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let watched = WatchedProcess {
            child: Mutex::new(child),
            asked_at: Mutex::default(),
            timed_out: AtomicBool::default(),
        };
        let answers = BufReader::with_capacity(64 << 10, answers);
        Ok(Self { watched: Arc::new(watched), requests: Some(requests), answers, is_ready: false })
    }

    pub fn watched(&self) -> &Arc<WatchedProcess> {
        &self.watched
    }

    /// Sends a request. Fails if the process ends, is killed, or sends an invalid response. Then it must not be used again.
    pub fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        *self.watched.asked_at() = Some(Instant::now());
        let answer = self.exchange(request);
        *self.watched.asked_at() = None;
        answer
    }

    fn exchange(&mut self, request: &[u8]) -> io::Result<Answer> {
        let ended = || io::Error::from(io::ErrorKind::UnexpectedEof);
        // Read before writing, so that a process that dies during the write still counts as ready.
        if !self.is_ready {
            let mut first = [0];
            self.answers.read_exact(&mut first)?;
            self.is_ready = first == [READY];
        }
        self.requests.as_mut().ok_or_else(ended)?.write_all(request)?;
        let mut length = read_length(&mut self.answers)?.ok_or_else(ended)?;
        // Held until the response arrives. Each part of a file may ask for it.
        let mut permit = None;
        while length == WAITS_FOR_TURN {
            permit.get_or_insert_with(LargeParsePermit::wait);
            // The time spent waiting does not count.
            *self.watched.asked_at() = Some(Instant::now());
            self.requests.as_mut().ok_or_else(ended)?.write_all(&[GO_ON])?;
            length = read_length(&mut self.answers)?.ok_or_else(ended)?;
        }
        if length > MAX_ANSWER_BYTES {
            return Err(io::Error::other("the answer is too long"));
        }
        let answer = read_bytes(&mut self.answers, length)?;
        postcard::from_bytes(&answer).map_err(io::Error::other)
    }

    /// Kills the process and returns how it ended.
    pub fn end(mut self) -> ProcessExit {
        self.requests = None;
        let mut child = self.watched.child();
        // If it has already ended, its own exit status is kept.
        let _ = child.kill();
        let status = child.wait().ok();
        let mut words = Vec::new();
        if let Some(stderr) = child.stderr.take() {
            let _ = stderr.take(MAX_WORDS_BYTES).read_to_end(&mut words);
        }
        ProcessExit {
            status,
            words: String::from_utf8_lossy(&words).into_owned(),
            timed_out: self.watched.timed_out.load(Ordering::Relaxed),
            was_ready: self.is_ready,
            was_refused: false,
            is_short_of_memory: sandbox::is_memory_limited_from_outside(),
        }
    }
}

impl Drop for Process {
    /// Waits for the process, so that not even a zombie is left behind.
    fn drop(&mut self) {
        self.requests = None;
        let mut child = self.watched.child();
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl WatchedProcess {
    /// Kills a process that has been busy with one request for longer than `limit`.
    pub fn end_if_stuck(&self, limit: Duration) {
        let is_stuck = self.asked_at().is_some_and(|since| since.elapsed() > limit);
        if is_stuck {
            self.timed_out.store(true, Ordering::Relaxed);
            let _ = self.child().kill();
        }
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Child> {
        lock(&self.child)
    }

    fn asked_at(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        lock(&self.asked_at)
    }
}

/// A message, preceded by its length.
pub(super) fn framed(message: &impl Serialize) -> Vec<u8> {
    let frame = postcard::to_extend(message, vec![0; size_of::<u32>()]);
    let mut frame = frame.expect("plain values can be written to memory");
    let length = (frame.len() - size_of::<u32>()) as u32;
    frame[..size_of::<u32>()].copy_from_slice(&length.to_le_bytes());
    frame
}

/// `None` at the end of the stream.
pub(super) fn read_length(from: &mut impl Read) -> io::Result<Option<u32>> {
    let mut length = [0; size_of::<u32>()];
    match from.read_exact(&mut length) {
        Ok(()) => Ok(Some(u32::from_le_bytes(length))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Allocates memory as the bytes arrive, not for the announced length.
pub(super) fn read_bytes(from: &mut impl Read, length: u32) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity((length as usize).min(1 << 20));
    from.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() == length as usize { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
