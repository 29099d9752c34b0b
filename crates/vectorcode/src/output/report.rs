//! The report of an index run, on stderr.

use vectorcode_core::api::IndexReport;

use super::Printer;
use super::numbers::{grouped, plural};

/// Maximum number of failed chunks that are listed.
const FAILURES_SHOWN: usize = 5;

pub fn print(report: &IndexReport, printer: &Printer) {
    printer.note(summary(report));
    for failure in report.failed.iter().take(FAILURES_SHOWN) {
        printer.warn(format!("{}:{} was not embedded: {}", failure.path, failure.start_line, failure.reason));
    }
    if let Some(rest) = report.failed.len().checked_sub(FAILURES_SHOWN).filter(|rest| *rest > 0) {
        printer.warn(format!("{} more were not embedded", plural(rest as u64, "chunk")));
    }
    for note in &report.notes {
        printer.warn(note);
    }
    if report.cancelled {
        printer.warn("Interrupted. Finished work is kept; `vectorcode index` continues from there.");
    }
}

fn summary(report: &IndexReport) -> String {
    let done = format!(
        "Indexed {}, {}, {} in {:.1}s",
        plural(report.files, "file"),
        plural(report.chunks, "chunk"),
        plural(report.embedded, "new embedding"),
        report.times.total_ms / 1e3
    );
    let reused = match report.reused {
        0 => String::new(),
        reused => format!(" ({} reused)", grouped(reused)),
    };
    let skipped: Vec<String> = report
        .skipped
        .iter()
        .map(|skip| format!("{} {}", grouped(skip.count), skip.reason.describe()))
        .collect();
    let skipped =
        if skipped.is_empty() { String::new() } else { format!("\nSkipped: {}", skipped.join(", ")) };
    format!("{done}{reused}{skipped}")
}
