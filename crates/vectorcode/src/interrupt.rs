//! Handles Ctrl-C, which asks running work to stop at its next safe point. If that takes longer than a second, because the work
//! waits for a provider or reads a slow disk, the process exits: the index is in the state of its last batch. A second Ctrl-C
//! exits at once. SIGTERM has its usual effect, which is safe for the same reason.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use vectorcode_core::{CancelToken, lock};

use crate::output::numbers::plural;

/// The exit code that shells expect after Ctrl-C: 128 plus the number of the signal.
pub const EXIT_CODE: u8 = 130;
/// Less than the second that people wait before they press Ctrl-C again.
const GRACE: Duration = Duration::from_millis(800);

static INSTALLED: Once = Once::new();
static CURRENT: Mutex<Option<Work>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

#[derive(Clone)]
struct Work {
    token: CancelToken,
    /// Whether Ctrl-C is the normal way to end this command, as for `watch`.
    is_normal_end: bool,
}

/// From now on Ctrl-C cancels this token and marks the command as interrupted.
pub fn cancel_on_interrupt(token: &CancelToken) -> Result<()> {
    watch_for(Work { token: token.clone(), is_normal_end: false })
}

/// From now on Ctrl-C cancels this token, as the normal end of the command.
pub fn end_on_interrupt(token: &CancelToken) -> Result<()> {
    watch_for(Work { token: token.clone(), is_normal_end: true })
}

/// Whether Ctrl-C interrupted the command.
pub fn was_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The error of a run that was interrupted while it indexed files. `None` if it was stopped before it could count them.
pub fn interrupted_error(indexed_files: Option<u64>) -> anyhow::Error {
    let kept = indexed_files.map_or_else(
        || "what is indexed is kept".to_owned(),
        |files| {
            format!("{} {} indexed and kept", plural(files, "file"), if files == 1 { "is" } else { "are" })
        },
    );
    anyhow!("interrupted; {kept}, and the next run continues from there")
}

fn watch_for(work: Work) -> Result<()> {
    *lock(&CURRENT) = Some(work);
    let mut installed = Ok(());
    INSTALLED.call_once(|| installed = ctrlc::set_handler(on_interrupt));
    // This fails if a thread or a pipe cannot be created.
    installed.context(
        "cannot listen for Ctrl-C: not enough memory, threads or open files (ulimit -v, ulimit -u, ulimit -n)",
    )
}

/// Runs on a separate thread, not in the signal handler, so it may allocate and print.
fn on_interrupt() {
    let work = lock(&CURRENT).clone();
    let Some(Work { token, is_normal_end }) = work.filter(|work| !work.token.is_cancelled()) else {
        std::process::exit(EXIT_CODE.into());
    };
    INTERRUPTED.store(!is_normal_end, Ordering::Relaxed);
    token.cancel();
    let code = if is_normal_end { 0 } else { EXIT_CODE.into() };
    std::thread::spawn(move || {
        std::thread::sleep(GRACE);
        if !is_normal_end {
            // The progress bar may be in the middle of a line.
            eprintln!("\nInterrupted. What was finished is kept, and the next run continues from there.");
        }
        std::process::exit(code);
    });
}
