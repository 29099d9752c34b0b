//! What a reindex did, or that it goes on.

use std::fmt::Write;

use serde_json::{Value, json};
use vectorcode_core::api::{Activity, IndexReport};

use super::grouped;
use crate::mcp::answer::Answer;
use crate::mcp::progress::describe;
use crate::mcp::tools::output_schema;
use crate::reindex::JobState;

/// Failures beyond these are only counted.
const MOST_FAILURES: usize = 5;
const WHERE_TO_LOOK: &str = "vec_status shows how far it is; vec_reindex with cancel stops it.";

pub(crate) fn schema() -> Value {
    let count = json!({"type": "integer"});
    output_schema(
        json!({
            "state": {"type": "string", "enum": ["done", "running", "cancelled", "idle"]},
            "files": count,
            "files_changed": count,
            "files_removed": count,
            "chunks": count,
            "chunks_new": count,
            "embedded": count,
            "reused": count,
            "pending": {"type": "integer", "description": "Chunks that still wait for a vector of the provider."},
            "seconds": {"type": "number"},
            "progress": {"type": "string"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }),
        &["state"],
    )
}

pub(crate) fn done(report: &IndexReport) -> Answer {
    let seconds = report.times.total_ms / 1000.0;
    let start = if report.cancelled { "Cancelled after indexing" } else { "Indexed" };
    let mut text = format!(
        "{start} {} files, {} chunks, {} new embeddings in {seconds:.1}s",
        grouped(report.files),
        grouped(report.chunks),
        grouped(report.embedded)
    );
    let _ = write!(
        text,
        "\n{} files changed, {} removed; {} chunks new, {} unchanged",
        grouped(report.files_changed),
        grouped(report.files_removed),
        grouped(report.chunks_new),
        grouped(report.chunks_unchanged)
    );
    if report.pending > 0 {
        let _ = write!(text, "\n{} chunks wait for their embedding", grouped(report.pending));
    }
    write_failures(&mut text, report);
    for note in &report.notes {
        let _ = write!(text, "\nNote: {note}");
    }
    Answer { text, structured: structured(report, seconds) }
}

fn write_failures(text: &mut String, report: &IndexReport) {
    for failed in report.failed.iter().take(MOST_FAILURES) {
        let _ = write!(text, "\nNot embedded: {}:{}: {}", failed.path, failed.start_line, failed.reason);
    }
    if let Some(rest @ 1..) = report.failed.len().checked_sub(MOST_FAILURES) {
        let _ = write!(text, "\n({rest} more failures)");
    }
}

fn structured(report: &IndexReport, seconds: f64) -> Value {
    json!({
        "state": if report.cancelled { "cancelled" } else { "done" },
        "files": report.files,
        "files_changed": report.files_changed,
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

/// The caller has waited enough.
pub(crate) fn in_background(state: &JobState) -> Answer {
    running("Indexing continues in the background", state, WHERE_TO_LOOK)
}

pub(crate) fn already_running(state: &JobState) -> Answer {
    running("A reindex is already under way", state, WHERE_TO_LOOK)
}

/// The server ends before the run does.
pub(crate) fn interrupted(state: &JobState) -> Answer {
    running("The server is ending", state, "The run is taken up again at the next start.")
}

fn running(start: &str, state: &JobState, next: &str) -> Answer {
    let progress = match state {
        JobState::Running(Some(progress)) => describe(progress),
        JobState::Running(None) => "waiting for its turn to write".into(),
        JobState::Done(_) | JobState::Broken => "ended".into(),
    };
    let text = format!("{start} ({progress}). {next}");
    Answer { text, structured: json!({"state": "running", "progress": progress}) }
}

/// `stopped` is false when there was no reindex to stop. What keeps the index current is not for callers to stop.
pub(crate) fn cancelled(stopped: bool, activity: &Activity) -> Answer {
    let (text, state) = match (stopped, activity) {
        (true, _) => ("The run is being stopped. What it has done so far is kept.", "cancelled"),
        (false, Activity::Idle) => ("Nothing to cancel: no reindex is under way.", "idle"),
        (false, Activity::Running { .. }) => (
            "Nothing to cancel: no reindex is under way. Changes are being indexed in the background.",
            "idle",
        ),
    };
    Answer { text: text.into(), structured: json!({"state": state}) }
}
