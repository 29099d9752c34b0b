//! Renders the outcome of a reindex, or its progress while it is running.

use std::fmt::Write;

use serde_json::{Value, json};
use vectorcode_core::api::{Activity, IndexReport};
use vectorcode_core::visible_line;

use super::notes::note_lines;
use super::progress::progress_line;
use crate::mcp::answer::Rendered;
use crate::reindex::JobState;
use crate::served_project::Cancellation;
use crate::units::{grouped, plural};

/// Maximum number of failures to list; the rest is only counted.
const MAX_FAILURES: usize = 5;
const WHERE_TO_LOOK: &str = "`vec_status` shows the progress; `vec_reindex` with cancel stops it.";

pub(crate) fn done(report: &IndexReport) -> Rendered {
    let seconds = report.times.total_ms / 1000.0;
    let start = if report.cancelled { "Cancelled after indexing" } else { "Indexed" };
    let mut text = format!(
        "{start} {}, {}, {} in {seconds:.1}s",
        plural(report.files, "file"),
        plural(report.chunks, "chunk"),
        plural(report.embedded, "new embedding")
    );
    let _ = write!(
        text,
        "\n{} added, {} updated, {} removed; {} chunks new, {} unchanged",
        plural(report.files_added, "file"),
        grouped(report.files_changed.saturating_sub(report.files_added)),
        grouped(report.files_removed),
        grouped(report.chunks_new),
        grouped(report.chunks_unchanged)
    );
    if report.pending > 0 {
        let _ = write!(text, "\n{} chunks are not embedded yet", grouped(report.pending));
    }
    write_failures(&mut text, report);
    text.push_str(&note_lines(&report.notes));
    Rendered { text, value: value(report, seconds) }
}

fn write_failures(text: &mut String, report: &IndexReport) {
    for failed in report.failed.iter().take(MAX_FAILURES) {
        let path = visible_line(&failed.path);
        let _ = write!(text, "\nNot embedded: {path}:{}: {}", failed.start_line, failed.reason);
    }
    if let Some(rest @ 1..) = report.failed.len().checked_sub(MAX_FAILURES) {
        let _ = write!(text, "\n({rest} more failures)");
    }
}

fn value(report: &IndexReport, seconds: f64) -> Value {
    json!({
        "state": if report.cancelled { "cancelled" } else { "done" },
        "files": report.files,
        "files_changed": report.files_changed,
        "files_added": report.files_added,
        "files_removed": report.files_removed,
        "chunks": report.chunks,
        "chunks_new": report.chunks_new,
        "embedded": report.embedded,
        "reused": report.reused,
        "pending": report.pending,
        "seconds": (seconds * 1000.0).round() / 1000.0,
        "notes": report.notes,
    })
}

/// The wait has ended before the run.
pub(crate) fn in_background(state: &JobState) -> Rendered {
    running("Indexing continues in the background", state, WHERE_TO_LOOK)
}

pub(crate) fn already_running(state: &JobState) -> Rendered {
    running("A reindex is already running", state, WHERE_TO_LOOK)
}

/// The server is stopping before the run has ended.
pub(crate) fn interrupted(state: &JobState) -> Rendered {
    running("The server is stopping", state, "The run is resumed at the next start.")
}

fn running(start: &str, state: &JobState, next: &str) -> Rendered {
    let progress = match state {
        JobState::Running(Some(progress)) => progress_line(progress),
        JobState::Running(None) => "waiting for the write lock".into(),
        JobState::Done(_) | JobState::Panicked => "ended".into(),
    };
    let text = format!("{start} ({progress}). {next}");
    Rendered { text, value: json!({"state": "running", "progress": progress}) }
}

/// The outcome of a cancellation; `activity` is the work that continues.
pub(crate) fn cancelled(cancellation: Cancellation, activity: &Activity) -> Rendered {
    let (text, state) = match (cancellation, activity) {
        (Cancellation::Stopped, _) => (
            "Stopped, in the background too. What was done so far is kept; action \"reindex\" resumes."
                .to_owned(),
            "cancelled",
        ),
        (Cancellation::Stopping, _) => (
            "Stopping; the current batch is still in progress. What was done so far is kept.".to_owned(),
            "cancelled",
        ),
        (Cancellation::Nothing, Activity::Running { process: Some(process), .. }) => {
            (format!("Nothing to cancel here: {} is at work.", visible_line(process)), "idle")
        }
        (Cancellation::Nothing, _) => ("Nothing to cancel: nothing is running.".to_owned(), "idle"),
    };
    Rendered { text, value: json!({"state": state}) }
}
