//! Renders the status of the index.

use std::fmt::Write;

use jiff::Timestamp;
use serde_json::{Value, json};
use vectorcode_core::api::{Activity, StatusResponse};
use vectorcode_core::{visible_line, with_causes};

use crate::mcp::answer::Rendered;
use crate::reindex::JobState;
use crate::units::{grouped, short_age};

const TITLE: &str = "VectorCode Index Status\n═══════════════════════\n";
/// Maximum number of pending files to list; the rest is only counted.
const MAX_PENDING: usize = 20;

/// `reindex` is the last run that a caller requested.
pub(crate) fn render(status: &StatusResponse, reindex: Option<&JobState>) -> Rendered {
    let mut text = TITLE.to_owned();
    write_space(&mut text, status);
    write_contents(&mut text, status);
    write_state(&mut text, status);
    if let Some(line) = reindex.and_then(failure) {
        let _ = writeln!(text, "Reindex:     {line}");
    }
    write_pending(&mut text, status);
    for note in &status.notes {
        let _ = writeln!(text, "\nNote: {note}");
    }
    Rendered { text: text.trim_end().to_owned(), value: value(status) }
}

/// The status before the first index exists.
pub(crate) fn without_index(root: &str, activity: &Activity) -> Rendered {
    let doing = describe(activity);
    let text = format!("{TITLE}The index of {root} is being built.\nActivity:    {doing}");
    Rendered { text, value: json!({"project_root": root, "indexed": false, "activity": doing}) }
}

fn write_space(text: &mut String, status: &StatusResponse) {
    let _ = write!(
        text,
        "Provider:    {}\nModel:       {}\nDimensions:  {}\nVersion:     {}\n\n",
        status.space.provider, status.space.model, status.space.dimensions, status.version
    );
}

fn write_contents(text: &mut String, status: &StatusResponse) {
    let synced = status.last_sync_at.as_deref().map_or_else(|| "never".to_owned(), with_age);
    let _ = write!(
        text,
        "Files:       {} indexed\nChunks:      {} stored\nLast sync:   {synced}\n\n",
        grouped(status.files),
        grouped(status.chunks)
    );
}

fn write_state(text: &mut String, status: &StatusResponse) {
    let _ = writeln!(
        text,
        "Embedded:    {:.0} % ({} of {} chunks)",
        f64::from(status.coverage.fraction() * 100.0).floor(),
        grouped(status.coverage.embedded),
        grouped(status.coverage.total)
    );
    let _ = writeln!(text, "Activity:    {}", describe(&status.activity));
    let _ = writeln!(text, "Watching:    {}", if status.watched { "yes" } else { "no" });
    if !status.skipped.is_empty() {
        let reasons: Vec<String> = status
            .skipped
            .iter()
            .map(|skipped| format!("{} {}", grouped(skipped.count), skipped.reason.describe()))
            .collect();
        let _ = writeln!(text, "Skipped:     {}", reasons.join(", "));
    }
}

fn write_pending(text: &mut String, status: &StatusResponse) {
    if status.pending.is_empty() {
        return;
    }
    text.push_str("\nPending sync:\n");
    for file in status.pending.iter().take(MAX_PENDING) {
        let _ = writeln!(
            text,
            "  {} (modified {} ago)",
            visible_line(&file.path),
            short_age(file.modified_secs_ago)
        );
    }
    if let Some(rest @ 1..) = status.pending.len().checked_sub(MAX_PENDING) {
        let _ = writeln!(text, "  ({} more files)", grouped(rest as u64));
    }
}

/// `embedding, 62 % (5,228 of 8,432), 340/s, by vectorcode index (process 4711)`
fn describe(activity: &Activity) -> String {
    let Activity::Running { phase, done, total, per_second, process } = activity else {
        return "idle".into();
    };
    let by = process.as_ref().map_or_else(String::new, |process| format!(", by {}", visible_line(process)));
    match (done, total) {
        (0, 0) => format!("{phase}{by}"),
        (done, 0) => format!("{phase}, {} so far{by}", grouped(*done)),
        (done, total) => {
            let percent = 100 * done / total;
            format!("{phase}, {percent} % ({} of {}), {per_second:.0}/s{by}", grouped(*done), grouped(*total))
        }
    }
}

fn failure(reindex: &JobState) -> Option<String> {
    match reindex {
        JobState::Done(outcome) => {
            outcome.as_ref().as_ref().err().map(|error| format!("failed: {}", with_causes(error)))
        }
        JobState::Panicked => Some("failed with an internal error".into()),
        JobState::Running(None) => Some("waiting for another process to release the write lock".into()),
        JobState::Running(Some(_)) => None,
    }
}

/// `2026-06-10T20:00:00Z (3 minutes ago)`
fn with_age(time: &str) -> String {
    let Ok(then) = time.parse::<Timestamp>() else { return time.to_owned() };
    let seconds = Timestamp::now().as_second().saturating_sub(then.as_second()).max(0);
    format!("{time} ({})", long_age(seconds.unsigned_abs()))
}

fn long_age(seconds: u64) -> String {
    let (count, unit) = match seconds {
        0..5 => return "just now".into(),
        5..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

fn value(status: &StatusResponse) -> Value {
    let languages: serde_json::Map<String, Value> =
        status.languages.iter().map(|(name, files)| (name.clone(), (*files).into())).collect();
    let mut value = json!({
        "project_root": status.project_root,
        "indexed": true,
        "provider": status.space.provider,
        "model": status.space.model,
        "dimensions": status.space.dimensions,
        "version": status.version,
        "files": status.files,
        "chunks": status.chunks,
        "symbols": status.symbols,
        "database_bytes": status.database_bytes,
        "created_at": status.created_at,
        "embedded": status.coverage.embedded,
        "activity": describe(&status.activity),
        "watched": status.watched,
        "languages": languages,
        "pending": status.pending.iter().take(MAX_PENDING).collect::<Vec<_>>(),
        "notes": status.notes,
    });
    if let Some(time) = &status.last_sync_at {
        value["last_sync_at"] = time.as_str().into();
    }
    value
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::{Coverage, PendingFile, SkippedCount, SpecialFiles};
    use vectorcode_core::{Phase, SkipReason, VectorSpace};

    use super::*;

    fn status() -> StatusResponse {
        StatusResponse {
            project_root: "/home/ada/shop".into(),
            space: VectorSpace::new("gemini", "gemini-embedding-001", 768),
            version: "0.1.0".into(),
            created_at: "2026-06-01T08:00:00Z".into(),
            last_sync_at: None,
            files: 2515,
            chunks: 8432,
            symbols: 6001,
            commits: 0,
            languages: vec![("typescript".into(), 2000), ("python".into(), 515)],
            database_bytes: 20_000_000,
            coverage: Coverage { embedded: 5228, total: 8432 },
            skipped: vec![SkippedCount { reason: SkipReason::TooLarge, count: 12 }],
            special: SpecialFiles { minified: 3, ..SpecialFiles::default() },
            pending: vec![
                PendingFile { path: "src/payment/retry.ts".into(), modified_secs_ago: 5 },
                PendingFile { path: "src/auth/handler.ts".into(), modified_secs_ago: 12 },
            ],
            activity: Activity::Running {
                phase: Phase::Embed,
                done: 5228,
                total: 8432,
                per_second: 340.4,
                process: None,
            },
            watched: true,
            notes: vec!["Context artifact `api`: there is nothing at docs/api".into()],
        }
    }

    #[test]
    fn a_status_looks_as_specified() {
        insta::assert_snapshot!(render(&status(), None).text);
    }

    #[test]
    fn long_lists_of_pending_files_are_counted() {
        let file = |number| PendingFile { path: format!("src/{number}.rs"), modified_secs_ago: 1 };
        let many = StatusResponse { pending: (0..25).map(file).collect(), ..status() };
        assert!(render(&many, None).text.contains("(5 more files)"));
    }

    #[test]
    fn ages_read_as_a_person_says_them() {
        assert_eq!(
            [0, 59, 60, 180, 7_200, 200_000].map(long_age),
            ["just now", "59 seconds ago", "1 minute ago", "3 minutes ago", "2 hours ago", "2 days ago"]
        );
        assert_eq!(with_age("yesterday"), "yesterday");
    }
}
