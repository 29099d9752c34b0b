//! Runs the `git` program on untrusted data: in a clean environment, within limits, and never with a terminal.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use vectorcode_core::{CancelToken, programs, visible_line};
use vectorcode_engine::Project;

use super::credentials::Credentials;
use super::url::{Protocols, RepositoryUrl};

/// Settings that override those of the repository and of the user's files. Git starts no program because of a repository: no
/// hook, no monitor, no filter. Links are written as text files, so that no path in the tree leads outside. Redirects are not
/// followed: a permitted server must not redirect to a forbidden one, nor send its password there. The memory that git uses
/// per object and its number of threads are limited.
const SETTINGS: [&str; 22] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.symlinks=false",
    "core.autocrlf=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.sparseCheckout=true",
    "core.sparseCheckoutCone=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    "http.followRedirects=false",
    "transfer.bundleURI=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "fetch.unpackLimit=1",
    "core.bigFileThreshold=16m",
    "core.deltaBaseCacheLimit=32m",
    "pack.threads=2",
    "maintenance.auto=false",
    "gc.autoDetach=false",
    "advice.detachedHead=false",
    "credential.helper=",
];

/// Environment variables that git needs besides the search path: the user's ssh keys and agent, proxies and certificates.
const INHERITED: [&str; 15] = [
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "SystemRoot",
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTPS_PROXY",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "ALL_PROXY",
];

/// Answers git's request for a password from the environment of that one process; nothing appears on a command line.
const HELPER: &str = "!f() { test \"$1\" = get && printf 'username=%s\\npassword=%s\\n' \"$VECTORCODE_GIT_USER\" \"$VECTORCODE_GIT_PASSWORD\"; }; f";

/// Starts git with a memory limit, in kilobytes, which its helpers inherit. Mapped files do not count. Git keeps the list of
/// all references that a server offers in memory, and a malicious server can make it endless.
#[cfg(unix)]
const WITHIN_MEMORY: &str = "ulimit -d \"$1\" 2>/dev/null; shift; exec \"$@\"";
/// The memory limit of git is a fraction of the size limit of a clone, but at least this much, which is enough for small
/// clones.
#[cfg(unix)]
const MIN_MEMORY: u64 = 1 << 30;
const MISSING: &str = "the program git is not installed";

/// The settings of a project, in its `.vectorcode` directory.
const SETTINGS_FILE: &str = "config.toml";
const POLL: Duration = Duration::from_millis(50);
const SIZE_CHECK: Duration = Duration::from_secs(1);
/// How much of git's output is kept.
const MAX_OUTPUT: usize = 64 << 10;
const MAX_MESSAGE: usize = 600;
/// The size of an empty file on disk. A tree of a few objects can contain billions of them.
const ENTRY_BYTES: u64 = 4_096;

/// How long a command may take, and how large the clone may become.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitLimits {
    pub(super) timeout: Duration,
    pub(super) max_bytes: u64,
}

/// One clone, and what git may do in it.
pub(super) struct Git<'a> {
    pub(super) directory: &'a Path,
    pub(super) url: &'a RepositoryUrl,
    pub(super) protocols: Protocols,
    pub(super) credentials: &'a Credentials,
    pub(super) limits: GitLimits,
    pub(super) cancel: &'a CancelToken,
    /// The lock of the clone. Each git process also holds it, as its standard input: if we are killed, nobody takes over the
    /// clone before the git process that we started has ended.
    pub(super) lock: &'a File,
}

impl Git<'_> {
    /// Runs a command to its end. Returns its standard output, or why it failed.
    pub(super) fn run(&self, args: &[&str]) -> Result<String, String> {
        let program = programs::find_program("git".as_ref()).ok_or(MISSING)?;
        let mut command = self.command(&program, args).map_err(|error| error.to_string())?;
        let mut child = command.spawn().map_err(|error| format!("git cannot be started: {error}"))?;
        let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
        let ended = self.watch(&mut child);
        if ended.is_err() {
            end(&mut child);
        }
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        match ended {
            Ok(status) if status.success() => Ok(out),
            Ok(_) => Err(self.message(&err)),
            Err(reason) => Err(reason),
        }
    }

    #[cfg(unix)]
    fn bounded(&self, program: &Path) -> Command {
        let kilobytes = (self.limits.max_bytes / 2).max(MIN_MEMORY) / 1_024;
        let Some(shell) = programs::find_program("sh".as_ref()) else { return Command::new(program) };
        let mut command = Command::new(shell);
        command.args(["-c", WITHIN_MEMORY, "sh", &kilobytes.to_string()]).arg(program);
        command
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "the other systems read the limits")]
    fn bounded(&self, program: &Path) -> Command {
        Command::new(program)
    }

    fn command(&self, program: &Path, args: &[&str]) -> std::io::Result<Command> {
        let mut command = self.bounded(program);
        command.env_clear();
        // Git runs inside the clone: a relative entry would let the repository provide its own `ssh`.
        command.env("PATH", programs::absolute_search_path());
        for name in INHERITED {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let protocols = match self.protocols {
            Protocols::Remote => "https:ssh",
            Protocols::AlsoLocal => "https:ssh:http:git:file",
        };
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", null)
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "")
            .env("SSH_ASKPASS", "")
            .env("GIT_ALLOW_PROTOCOL", protocols)
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("LC_ALL", "C");
        if std::env::var_os("GIT_SSH_COMMAND").is_none() {
            command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        if let Some((user, password)) = self.credentials.of(self.url) {
            let helper = format!("credential.https://{}.helper={HELPER}", self.url.authority());
            command.args(["-c", &helper]);
            command.env("VECTORCODE_GIT_USER", user).env("VECTORCODE_GIT_PASSWORD", password.expose());
        }
        command.args(args).current_dir(self.directory);
        command.stdin(Stdio::from(self.lock.try_clone()?)).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A separate process group, so that git's helpers can be killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    /// Waits for the process to end, within the limits.
    fn watch(&self, child: &mut Child) -> Result<ExitStatus, String> {
        let started = Instant::now();
        let mut size_checked = started;
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) => return Err(format!("cannot wait for git: {error}")),
            }
            if self.cancel.is_cancelled() {
                return Err("the worker was stopped".into());
            }
            if started.elapsed() > self.limits.timeout {
                return Err(format!("git took longer than {} s", self.limits.timeout.as_secs()));
            }
            if size_checked.elapsed() > SIZE_CHECK {
                self.check_size()?;
                size_checked = Instant::now();
            }
            std::thread::sleep(POLL);
        }
    }

    /// Fails if the clone is larger than allowed. Our index of it does not count.
    pub(super) fn check_size(&self) -> Result<(), String> {
        let max = self.limits.max_bytes;
        if clone_size(self.directory, max) <= max {
            return Ok(());
        }
        Err(format!("the clone is larger than {} MB (`worker.max_repository_mb`)", max / 1_000_000))
    }

    /// The last lines of git's output, as one line without passwords.
    fn message(&self, err: &str) -> String {
        let lines: Vec<&str> = err.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let text = self.credentials.redact(&lines[lines.len().saturating_sub(3)..].join("; "));
        let start = text.char_indices().rev().take(MAX_MESSAGE).last().map_or(0, |(at, _)| at);
        format!("git failed: {}", visible_line(&text[start..]))
    }
}

/// Reads a stream to its end, and keeps the beginning.
fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut buffer = [0; 4096];
        let Some(mut stream) = stream else { return String::new() };
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            let room = MAX_OUTPUT.saturating_sub(kept.len()).min(read);
            kept.extend_from_slice(&buffer[..room]);
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

/// Kills git and everything it has started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The size of a clone on disk. Stops counting once it exceeds `enough`. Links are not followed.
fn clone_size(clone: &Path, enough: u64) -> u64 {
    let own_directory = clone.join(Project::DIRECTORY);
    let mut waiting = vec![clone.to_path_buf()];
    let mut bytes = 0;
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
            // Settings are all that a repository may put there; the rest is the index, which may be larger than the clone.
            if directory == own_directory && entry.file_name() != SETTINGS_FILE {
                continue;
            }
            match entry.metadata() {
                Ok(found) if found.is_dir() => {
                    bytes += ENTRY_BYTES;
                    waiting.push(entry.path());
                }
                Ok(found) => bytes += found.len().next_multiple_of(ENTRY_BYTES).max(ENTRY_BYTES),
                Err(_) => {}
            }
            if bytes > enough {
                return bytes;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_does_not_count_as_part_of_a_clone() {
        let clone = tempfile::tempdir().unwrap();
        for directory in [".git/objects", ".vectorcode", "src/.vectorcode"] {
            std::fs::create_dir_all(clone.path().join(directory)).unwrap();
        }
        let write =
            |path: &str, bytes: usize| std::fs::write(clone.path().join(path), vec![7; bytes]).unwrap();
        write(".git/objects/pack", 5_000);
        write("src/.vectorcode/index.db", 20);
        write(".vectorcode/config.toml", 3);
        // Three files, one of which takes two blocks, and five directories.
        assert_eq!(clone_size(clone.path(), 1_000_000), 9 * ENTRY_BYTES);
        write(".vectorcode/index.db", 5_000);
        assert_eq!(clone_size(clone.path(), 1_000_000), 9 * ENTRY_BYTES);
    }
}
