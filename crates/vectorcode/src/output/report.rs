//! Prints the report of an index run to stderr.

use std::io;

use vectorcode_core::api::{IndexPreview, IndexReport};
use vectorcode_core::visible_line;

use super::numbers::{bytes, grouped, plural};
use super::{Printer, style};
use crate::shell_paths::ShellPaths;

/// Maximum number of failed chunks to list.
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

/// Prints what would be indexed, one line for each file. Lines of files that would be left out start with `-` and end with the
/// reason.
pub fn print_preview(preview: &IndexPreview, paths: &ShellPaths, printer: &Printer) -> io::Result<()> {
    for file in &preview.files {
        let path = paths.shown(&file.path);
        let path = printer.link(visible_line(&path).into_owned(), &paths.absolute(&file.path));
        printer.line(format!("  {path}  {}", style::painted(style::DIM, &file.language)))?;
    }
    for skip in &preview.skipped {
        let place = paths.absolute(&skip.path);
        let end = if place.is_dir() { "/" } else { "" };
        let path = paths.shown(&skip.path);
        let line = format!("- {}{end}  {}", visible_line(&path), skip.reason.describe());
        printer.line(style::painted(style::DIM, line))?;
    }
    let size = preview.files.iter().map(|file| file.bytes).sum();
    printer.note(format!(
        "{} ({}) would be indexed; {} left out",
        plural(preview.files.len() as u64, "file"),
        bytes(size),
        plural(preview.skipped.len() as u64, "path")
    ));
    Ok(())
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
    let changed = changes(report);
    let skipped: Vec<String> = report
        .skipped
        .iter()
        .map(|skip| format!("{} {}", grouped(skip.count), skip.reason.describe()))
        .collect();
    let skipped =
        if skipped.is_empty() { String::new() } else { format!("\nSkipped: {}", skipped.join(", ")) };
    format!("{done}{reused}{changed}{skipped}")
}

/// The changes since the last run; empty for a new index.
fn changes(report: &IndexReport) -> String {
    let IndexReport { files_changed, files_added, files_removed, .. } = *report;
    if (files_changed, files_removed) == (0, 0) || files_added == report.files {
        return String::new();
    }
    let updated = grouped(files_changed.saturating_sub(files_added));
    let (added, removed) = (plural(files_added, "file"), grouped(files_removed));
    format!("\nChanged: {added} added, {updated} updated, {removed} removed")
}
