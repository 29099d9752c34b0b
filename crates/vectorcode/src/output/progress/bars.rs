//! Bars of work that is no index run: they are moved by whoever does it.

use std::io::IsTerminal;

use indicatif::{ProgressBar as Bar, ProgressDrawTarget};

use super::text::templated;
use crate::output::Printer;
use crate::output::numbers::plural;

/// A bar that counts up to a total and disappears when done; without a terminal, one line.
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

/// A bar for a transfer whose size is not known before it begins; without a terminal, nothing.
pub fn transfer(verb: &'static str, printer: &Printer) -> Bar {
    if printer.is_quiet() || !std::io::stderr().is_terminal() {
        return Bar::hidden();
    }
    let bar = Bar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(templated("{msg}... {pos}/{len} vectors [{bar:20}] {percent}%"));
    bar.with_message(verb)
}

/// Moves the bar of a transfer: what is done, of how much.
pub fn on(bar: &Bar) -> impl Fn(u64, u64) {
    |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    }
}
