//! The pool of parser processes: as many as there are threads that parse at the same time, started on demand.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use vectorcode_core::lock;

use super::answer::Answer;
use super::process::{Process, Program, WatchedProcess};
use super::process_exit::{ProcessExit, Unparsed, Verdict};
use crate::SourceError;

/// A parser stops itself after some seconds of processor time. This limit is for one that fails to do so, or sleeps.
const STUCK_AFTER: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Pool {
    program: Program,
    most_idle: usize,
    /// The most recently used one is last.
    idle: Mutex<Vec<Idle>>,
    watchdog: Arc<Watchdog>,
}

#[derive(Debug)]
struct Idle {
    process: Process,
    project: PathBuf,
    since: Instant,
}

impl Pool {
    pub fn new(program: Program) -> Self {
        Self::with_patience(program, STUCK_AFTER, LOOK_EVERY)
    }

    fn with_patience(program: Program, stuck_after: Duration, look_every: Duration) -> Self {
        let most_idle = std::thread::available_parallelism().map_or(1, usize::from);
        let watchdog = Arc::new(Watchdog { stuck_after, look_every, watched: Mutex::default() });
        Self { program, most_idle, idle: Mutex::default(), watchdog }
    }

    /// Sends a request. Returns what `read` makes of the response, or why there is none. A process that dies without a clear
    /// reason, or whose response `read` rejects, is replaced once: somebody may have killed it.
    pub fn ask<T>(
        &self,
        project: &Path,
        request: &[u8],
        read: impl Fn(Answer) -> Option<T>,
    ) -> Result<Result<T, Unparsed>, SourceError> {
        let idle = self.take_idle(project);
        let mut process = idle.map_or_else(|| self.start(), Ok)?;
        let mut is_second = false;
        loop {
            let asked = process.ask(request);
            let is_gone = asked.as_ref().is_err_and(is_end);
            if let Some(found) = asked.ok().and_then(&read) {
                self.keep(process, project);
                return Ok(Ok(found));
            }
            let exit = ProcessExit { was_refused: !is_gone, ..process.end() };
            // The process's own output is not logged: a panic message may quote the source.
            tracing::debug!(status = ?exit.status, timed_out = exit.timed_out, "a parser process ended");
            match exit.verdict() {
                Verdict::NoMemory => return Err(SourceError::NoMemory),
                Verdict::NotStarted if is_second => {
                    let status = exit.status.map_or_else(String::new, |status| status.to_string());
                    return Err(not_started(io::Error::other(format!("{status} {}", exit.words.trim()))));
                }
                Verdict::Blamed(reason) => return Ok(Err(reason)),
                Verdict::Suspect(reason) if is_second => return Ok(Err(reason)),
                Verdict::Suspect(_) | Verdict::NotStarted => is_second = true,
            }
            process = self.start()?;
        }
    }

    fn start(&self) -> Result<Process, SourceError> {
        let process = Process::start(&self.program).map_err(not_started)?;
        self.watchdog.watch(process.watched()).map_err(not_started)?;
        Ok(process)
    }

    fn take_idle(&self, project: &Path) -> Option<Process> {
        let mut idle = self.idle();
        let at = idle.iter().rposition(|idle| idle.project == project)?;
        Some(idle.remove(at).process)
    }

    fn keep(&self, process: Process, project: &Path) {
        let mut idle = self.idle();
        idle.push(Idle { process, project: project.to_path_buf(), since: Instant::now() });
        let too_many = (idle.len() > self.most_idle).then(|| idle.remove(0));
        // Processes are ended without holding the lock.
        drop(idle);
        drop(too_many);
    }

    pub fn end_unused(&self, since: Duration) {
        let unused: Vec<Idle> = self.idle().extract_if(.., |idle| idle.since.elapsed() >= since).collect();
        drop(unused);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        lock(&self.idle)
    }
}

/// Whether the process has ended or is about to end.
fn is_end(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe)
}

fn not_started(cause: io::Error) -> SourceError {
    SourceError::ParserProcess { cause }
}

/// Kills processes that are stuck. Its thread runs as long as there are processes.
#[derive(Debug)]
struct Watchdog {
    stuck_after: Duration,
    look_every: Duration,
    watched: Mutex<Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    processes: Vec<Weak<WatchedProcess>>,
    has_thread: bool,
}

impl Watchdog {
    fn watch(self: &Arc<Self>, process: &Arc<WatchedProcess>) -> io::Result<()> {
        let mut watched = self.watched();
        watched.processes.push(Arc::downgrade(process));
        if !watched.has_thread {
            let watchdog = self.clone();
            std::thread::Builder::new().name("parsers".into()).spawn(move || while watchdog.look() {})?;
            watched.has_thread = true;
        }
        Ok(())
    }

    /// Kills stuck processes. Returns whether any processes are left to watch.
    fn look(&self) -> bool {
        std::thread::sleep(self.look_every);
        let mut watched = self.watched();
        watched.processes.retain(|process| process.strong_count() > 0);
        watched
            .processes
            .iter()
            .filter_map(Weak::upgrade)
            .for_each(|process| process.end_if_stuck(self.stuck_after));
        watched.has_thread = !watched.processes.is_empty();
        watched.has_thread
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        lock(&self.watched)
    }
}

/// Fake parser processes that misbehave.
#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request to a process that reports that it is ready and then runs this shell script.
    fn ask(script: &str) -> Result<Result<(), Unparsed>, SourceError> {
        ask_before_ready(&format!("printf R; {script}"))
    }

    fn ask_before_ready(script: &str) -> Result<Result<(), Unparsed>, SourceError> {
        let program = Program { path: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
        let pool = Pool::with_patience(program, Duration::from_secs(1), Duration::from_millis(50));
        pool.ask(Path::new("project"), b"a request", |_| Some(()))
    }

    #[test]
    fn a_process_that_dies_twice_over_a_file_costs_its_structure() {
        assert_eq!(ask("kill -SEGV $$").unwrap(), Err(Unparsed::Crashed));
        assert_eq!(ask("kill -9 $$").unwrap(), Err(Unparsed::Killed));
        assert_eq!(ask("exit 101").unwrap(), Err(Unparsed::Crashed));
    }

    #[test]
    fn a_process_that_dies_once_is_replaced() {
        let folder = vectorcode_testkit::TempProject::empty();
        let seen = folder.path("seen");
        // The response: an empty list of tokens.
        let script = format!(
            r"if mkdir '{}'; then kill -9 $$; fi; printf '\002\000\000\000\001\000'; read -r _",
            seen.display()
        );
        assert_eq!(ask(&script).unwrap(), Ok(()));
    }

    #[test]
    fn a_process_that_never_answers_is_ended() {
        assert_eq!(ask("exec sleep 1000").unwrap(), Err(Unparsed::TooSlow));
    }

    #[test]
    fn answers_that_cannot_be_read_are_refused() {
        let nonsense = r"printf '\004\000\000\000junk'; read -r _";
        assert_eq!(ask(nonsense).unwrap(), Err(Unparsed::Crashed));
        let endless = r"printf '\376\377\377\377'; exec cat /dev/zero";
        assert_eq!(ask(endless).unwrap(), Err(Unparsed::Crashed));
    }

    #[test]
    fn its_own_limits_blame_the_file_at_once() {
        assert_eq!(ask("exit 70").unwrap(), Err(Unparsed::TooSlow));
        assert_eq!(ask("exit 71").unwrap(), Err(Unparsed::TooMuchMemory));
    }

    #[test]
    fn a_process_that_gets_no_memory_blames_no_file() {
        assert!(matches!(ask("exit 72"), Err(SourceError::NoMemory)));
        let aborted = "echo memory allocation of 8 bytes failed >&2; kill -6 $$";
        assert!(matches!(ask_before_ready(aborted), Err(SourceError::NoMemory)));
    }

    #[test]
    fn a_process_that_does_not_start_blames_no_file() {
        assert!(matches!(ask_before_ready("exit 3"), Err(SourceError::ParserProcess { .. })));
        assert!(matches!(ask_before_ready("exec sleep 1000"), Err(SourceError::ParserProcess { .. })));
        let program = Program { path: "/does/not/exist".into(), arguments: Vec::new() };
        let asked = Pool::new(program).ask(Path::new("project"), b"", |_| Some(()));
        assert!(matches!(asked, Err(SourceError::ParserProcess { .. })));
    }
}
