//! Progress bars for work other than an index run. The caller moves them.

use std::io::IsTerminal;

use indicatif::{ProgressBar as Bar, ProgressDrawTarget};

use super::text::templated;
use crate::output::Printer;
use crate::output::numbers::plural;

/// A bar that counts up to a total and disappears at the end. Without a terminal, a single line.
pub fn counter(verb: &'static str, total: u64, noun: &str, printer: &Printer) -> Bar {
    if printer.is_quiet() {
        return Bar::hidden();
    }
    if !std::io::stderr().is_terminal() {
        printer.note(format!("{verb} {}...", plural(total, noun)));
        return Bar::hidden();
    }
    let bar = Bar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    bar.set_style(templated("{msg}... {pos}/{len} [{bar:20}] ({eta} left)"));
    bar.with_message(verb)
}

/// A bar for a transfer whose size is not known at the start. Without a terminal, nothing is shown.
pub fn transfer(verb: &'static str, printer: &Printer) -> Bar {
    if printer.is_quiet() || !std::io::stderr().is_terminal() {
        return Bar::hidden();
    }
    let bar = Bar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(templated("{msg}... {pos}/{len} vectors [{bar:20}] {percent}%"));
    bar.with_message(verb)
}

/// Returns a callback that moves the bar of a transfer. Its arguments are the amount done and the total.
pub fn on(bar: &Bar) -> impl Fn(u64, u64) {
    |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    }
}
