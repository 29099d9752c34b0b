//! Ctrl-C asks the work under way to stop at its next safe point; a second one ends the process at once.

use std::sync::{Mutex, Once, PoisonError};

use anyhow::{Context, Result};
use vectorcode_core::CancelToken;

static INSTALLED: Once = Once::new();
static CURRENT: Mutex<Option<CancelToken>> = Mutex::new(None);

/// Lets Ctrl-C cancel this token from now on.
pub fn cancels(token: &CancelToken) -> Result<()> {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
    let mut installed = Ok(());
    INSTALLED.call_once(|| installed = ctrlc::set_handler(on_interrupt));
    installed.context("cannot listen for Ctrl-C")
}

fn on_interrupt() {
    let token = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match token {
        Some(token) if !token.is_cancelled() => token.cancel(),
        _ => std::process::exit(130),
    }
}
