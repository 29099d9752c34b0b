//! Ctrl-C asks the work under way to stop at its next safe point. Work that does not get there within a second, because
//! it waits for a provider or reads a slow disk, is ended: the index is as it was after the last batch. A second Ctrl-C
//! ends the process at once. SIGTERM has its usual effect, which is safe for the same reason.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use vectorcode_core::CancelToken;

use crate::output::numbers::plural;

/// What shells expect of a command that Ctrl-C ended: 128 and the number of the signal.
pub const EXIT_CODE: u8 = 130;
/// Below the second that people wait before they press Ctrl-C again.
const GRACE: Duration = Duration::from_millis(800);

static INSTALLED: Once = Once::new();
static CURRENT: Mutex<Option<Work>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

#[derive(Clone)]
struct Work {
    token: CancelToken,
    /// Whether Ctrl-C is how it is meant to end.
    ends_so: bool,
}

/// From now on Ctrl-C cancels this token, and the command counts as interrupted.
pub fn cancels(token: &CancelToken) -> Result<()> {
    watch_for(Work { token: token.clone(), ends_so: false })
}

/// From now on Ctrl-C cancels this token, which is the usual end of the command.
pub fn ends(token: &CancelToken) -> Result<()> {
    watch_for(Work { token: token.clone(), ends_so: true })
}

/// Whether the command was stopped before it was done.
pub fn was_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// What a run says that was stopped while it read files. Without a number it was stopped before it could count.
pub fn kept(indexed_files: Option<u64>) -> anyhow::Error {
    let kept = indexed_files.map_or_else(
        || "what is indexed is kept".to_owned(),
        |files| {
            format!("{} {} indexed and kept", plural(files, "file"), if files == 1 { "is" } else { "are" })
        },
    );
    anyhow!("interrupted; {kept}, and the next run continues from there")
}

fn watch_for(work: Work) -> Result<()> {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(work);
    let mut installed = Ok(());
    INSTALLED.call_once(|| installed = ctrlc::set_handler(on_interrupt));
    // What is refused here is a thread or a pipe.
    installed.context(
        "cannot listen for Ctrl-C: not enough memory, threads or open files (ulimit -v, ulimit -u, ulimit -n)",
    )
}

/// Runs on a thread of its own, not in the signal handler.
fn on_interrupt() {
    let work = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(Work { token, ends_so }) = work.filter(|work| !work.token.is_cancelled()) else {
        std::process::exit(EXIT_CODE.into());
    };
    INTERRUPTED.store(!ends_so, Ordering::Relaxed);
    token.cancel();
    let code = if ends_so { 0 } else { EXIT_CODE.into() };
    std::thread::spawn(move || {
        std::thread::sleep(GRACE);
        if !ends_so {
            // The bar may be in the middle of a line.
            eprintln!("\nInterrupted. What was finished is kept, and the next run continues from there.");
        }
        std::process::exit(code);
    });
}
