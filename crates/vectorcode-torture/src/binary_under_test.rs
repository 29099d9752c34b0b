//! The binary under test: starts it in a scratch home, watches it while it runs, and judges how it ends.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use vectorcode_testkit::ScratchHome;

use crate::violation::Violation;

/// A command that runs longer than this hangs. Debug builds on a busy machine need most of it.
const TIME_LIMIT: Duration = Duration::from_mins(2);
/// How often a running process is polled.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The environment variable with the PostgreSQL server that tests use.
const POSTGRES_VARIABLE: &str = "VECTORCODE_TEST_POSTGRES";
/// The exit code of a Rust program after a panic on the main thread.
const PANIC_EXIT: i32 = 101;

/// The binary and its home directory. All commands of a run share the home, as they do for a user.
#[derive(Debug)]
pub struct BinaryUnderTest {
    binary: PathBuf,
    home: Arc<ScratchHome>,
    /// The database that stores the indexes, unless they are files in each project.
    store_url: Option<String>,
}

/// The result of a command that exited by itself.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    /// Peak memory, if the system reports it.
    pub peak_mib: Option<u64>,
    command: String,
}

impl BinaryUnderTest {
    pub fn new(binary: &Path) -> std::io::Result<Self> {
        Ok(Self { binary: fs::canonicalize(binary)?, home: Arc::new(ScratchHome::new()), store_url: None })
    }

    /// The same binary with its indexes on the PostgreSQL server that tests use, if there is one.
    pub fn on_postgres(&self) -> Option<Self> {
        let url = std::env::var(POSTGRES_VARIABLE).ok().filter(|url| !url.is_empty())?;
        Some(Self { binary: self.binary.clone(), home: self.home.clone(), store_url: Some(url) })
    }

    /// A command that runs the binary in `root`.
    pub fn command(&self, root: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        self.home.apply(&mut command);
        command.envs(self.store_url.iter().map(|url| ("VECTORCODE_STORE_URL", url)));
        command.args(arguments).current_dir(root).stdin(Stdio::null());
        command
    }

    /// The same, under limits of a shell's `ulimit`, for example `-n 24`.
    pub fn limited_command(&self, root: &Path, limits: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new("sh");
        self.home.apply(&mut command);
        let script = format!("{limits}; exec \"$0\" \"$@\"");
        command.args(["-c", &script]).arg(&self.binary).args(arguments);
        // A program that has no memory for the backtrace of a panic waits for itself forever.
        command.env("RUST_BACKTRACE", "0");
        command.current_dir(root).stdin(Stdio::null());
        command
    }

    /// Runs a command to its end. It must exit by itself, in time, and without a panic; the caller checks the exit code.
    pub fn run(&self, root: &Path, arguments: &[&str]) -> Result<Ended, Violation> {
        finish(self.command(root, arguments))
    }

    /// Runs a command that must succeed and print JSON.
    pub fn json(&self, root: &Path, arguments: &[&str]) -> Result<Value, Violation> {
        let ended = self.run(root, arguments)?;
        ended.succeeded()?;
        serde_json::from_str(&ended.stdout).map_err(|error| {
            Violation::wrong(ended.command.clone(), "JSON", format!("{error}: {}", ended.stdout))
        })
    }
}

impl Ended {
    pub fn succeeded(&self) -> Result<(), Violation> {
        if self.code == 0 {
            return Ok(());
        }
        Err(Violation::wrong(&self.command, "exit code 0", format!("{}\n{}", self.code, self.stderr)))
    }

    /// Checks the peak memory against a limit, if the system reports it.
    pub fn stayed_below(&self, limit_mib: u64) -> Result<(), Violation> {
        match self.peak_mib {
            Some(used_mib) if used_mib > limit_mib => {
                Err(Violation::TooMuchMemory { command: self.command.clone(), used_mib, limit_mib })
            }
            _ => Ok(()),
        }
    }
}

/// Runs `command` to its end and judges it.
pub fn finish(mut command: Command) -> Result<Ended, Violation> {
    let name = name_of(&command);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let watched = wait(&mut child, TIME_LIMIT)?;
    let (stdout, stderr) = (collected(stdout), collected(stderr));
    let Some((status, peak_mib)) = watched else {
        return Err(Violation::Hangs { command: name, seconds: TIME_LIMIT.as_secs() });
    };
    let code = judge(&name, status, &stderr)?;
    Ok(Ended { code, stdout, stderr, peak_mib, command: name })
}

/// The exit code of a process that ended by itself and did not panic.
pub fn judge(name: &str, status: ExitStatus, stderr: &str) -> Result<i32, Violation> {
    if let Some(signal) = signal_of(status) {
        return Err(Violation::Crashed { command: name.into(), signal, stderr: last_lines(stderr) });
    }
    let code = status.code().unwrap_or(PANIC_EXIT);
    // A panic on another thread may not affect the exit code, so the message counts too.
    if code == PANIC_EXIT || stderr.contains("panicked at") {
        return Err(Violation::Panicked { command: name.into(), stderr: last_lines(stderr) });
    }
    Ok(code)
}

/// Waits for a process to end and records its peak memory. `None`: it had to be killed.
pub fn wait(child: &mut Child, limit: Duration) -> Result<Option<(ExitStatus, Option<u64>)>, std::io::Error> {
    let deadline = Instant::now() + limit;
    let mut peak = None;
    loop {
        peak = peak_mib(child.id()).max(peak);
        if let Some(status) = child.try_wait()? {
            return Ok(Some((status, peak)));
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Peak resident memory, from Linux's `/proc`.
pub fn peak_mib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib / 1024)
}

/// Reads a pipe on a separate thread: a full pipe would block the process.
fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A failed read ends the output, as the end of the process does.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn collected(reader: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
}

fn name_of(command: &Command) -> String {
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    arguments.collect::<Vec<_>>().join(" ")
}

fn last_lines(text: &str) -> String {
    const LINES: usize = 12;
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}
