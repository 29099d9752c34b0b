//! The texts of progress output: titles, lines, estimates, and the templates of bars.

use std::time::Duration;

use indicatif::ProgressStyle;
use vectorcode_core::{ChunkCounts, Phase, Progress};

use crate::output::numbers::{grouped, plural, rate, remaining};
use crate::output::terminal;

/// Width of a bar, if there is room.
const BAR_WIDTH: usize = 20;

/// Columns of the longest progress line without its bar. A line that wraps would leave remnants behind when it is redrawn.
const COLUMNS_BESIDE_BAR: usize = 72;

/// Rates are only meaningful after this time: before it, a cold start would predict hours, or a warm cache no time at all.
pub(super) const ESTIMATE_AFTER: Duration = Duration::from_secs(3);

pub(super) fn templated(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates are constant and valid")
        .progress_chars("█▓░")
}

/// Template for work without numbers, which only shows that it goes on.
const UNCOUNTED: &str = "{prefix}... {spinner} {elapsed}";

/// Shown before the first phase: the index is being opened and checked, or another process has locked it.
pub(super) fn opening() -> (&'static str, ProgressStyle) {
    ("Opening the index", templated(UNCOUNTED))
}

/// Shown after all files have been read.
pub(super) fn finishing() -> (&'static str, ProgressStyle) {
    ("Finishing: history and database", templated(UNCOUNTED))
}

/// A line for a log that has shown nothing for a while.
pub(super) fn still(last: Option<&Progress>) -> String {
    match last {
        None => format!("{}...", opening().0),
        Some(progress) if progress.chunks.is_some() => format!("{}...", finishing().0),
        Some(progress) => line(progress).unwrap_or_else(|| format!("{}...", title(progress.phase))),
    }
}

pub(super) fn title(phase: Phase) -> &'static str {
    match phase {
        Phase::Discover => "[1/3] Discovering files",
        Phase::Chunk => "[2/3] Chunking",
        Phase::Embed => "[3/3] Embedding",
    }
}

pub(super) fn style(phase: Phase) -> ProgressStyle {
    let noun = match phase {
        Phase::Discover => return templated(UNCOUNTED),
        Phase::Chunk => "files",
        Phase::Embed => "chunks",
    };
    let width = bar_width(terminal::columns());
    templated(&format!("{{prefix}}... {{pos}}/{{len}} {noun} [{{bar:{width}}}] {{percent}}% {{wide_msg}}"))
}

fn bar_width(columns: usize) -> usize {
    columns.saturating_sub(COLUMNS_BESIDE_BAR).clamp(4, BAR_WIDTH)
}

/// Seconds until the phase ends at its current rate; `None` while that is unknown.
pub(super) fn seconds_left(progress: &Progress) -> Option<f64> {
    let is_known = progress.elapsed >= ESTIMATE_AFTER && progress.done > 0 && progress.total > 0;
    is_known.then(|| progress.total.saturating_sub(progress.done) as f64 / progress.rate())
}

/// `5.1/s, 9 minutes left`
pub(super) fn pace(progress: &Progress) -> Option<String> {
    let left = seconds_left(progress)?;
    Some(format!("{}, {} left", rate(progress.rate()), remaining(left.ceil() as u64)))
}

/// `[3/3] Embedding... 1,024 of 3,955 chunks, 26 % (5.1/s, 9 minutes left)`
pub(super) fn line(progress: &Progress) -> Option<String> {
    let noun = match progress.phase {
        Phase::Discover => return None,
        Phase::Chunk | Phase::Embed if progress.total == 0 => return None,
        Phase::Chunk => "file",
        Phase::Embed => "chunk",
    };
    let (done, total) = (grouped(progress.done), plural(progress.total, noun));
    let pace = pace(progress).map_or_else(String::new, |pace| format!(" ({pace})"));
    Some(format!("{}... {done} of {total}, {:.0} %{pace}", title(progress.phase), progress.percent()))
}

pub(super) fn summary(progress: &Progress) -> Option<String> {
    let title = title(progress.phase);
    let count = |noun: &str| plural(progress.done, noun);
    let seconds = progress.elapsed.as_secs_f64();
    match progress.phase {
        Phase::Discover => Some(format!("{title}... {} found", count("file"))),
        Phase::Chunk => progress.chunks.map(|ChunkCounts { new, unchanged }| {
            let all = plural(new + unchanged, "chunk");
            format!("{title}... {all} ({} new, {} unchanged)", grouped(new), grouped(unchanged))
        }),
        Phase::Embed if progress.done == 0 => None,
        Phase::Embed => {
            let percent = progress.percent();
            let filled = (percent / 100.0 * BAR_WIDTH as f64) as usize;
            let bar = format!("{:░<BAR_WIDTH$}", "█".repeat(filled.min(BAR_WIDTH)));
            Some(format!("{title}... {} [{bar}] {percent:.0}% ({seconds:.1}s)", count("chunk")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::embedding;
    use super::*;

    #[test]
    fn a_line_says_how_long_it_takes() {
        assert_eq!(
            line(&embedding(60, 3)).unwrap(),
            "[3/3] Embedding... 60 of 3,955 chunks, 2 % (20/s, 3 minutes left)"
        );
        assert_eq!(pace(&embedding(900, 1)), None, "the first second says nothing");
        assert_eq!(pace(&embedding(0, 20)), None, "neither does a provider that has not answered");
    }

    #[test]
    fn a_bar_leaves_room_for_the_estimate() {
        let beside =
            format!("{}... 99999/99999 chunks [] 100% (125/s, 119 seconds left)", title(Phase::Embed));
        assert!(beside.len() <= COLUMNS_BESIDE_BAR, "{}", beside.len());
        assert_eq!([40, 80, 400].map(bar_width), [4, 8, 20]);
    }

    #[test]
    fn work_without_numbers_is_named() {
        let chunking = |total, chunks| Progress { phase: Phase::Chunk, total, chunks, ..embedding(0, 20) };
        assert_eq!(still(None), "Opening the index...");
        assert_eq!(still(Some(&chunking(0, None))), "[2/3] Chunking...");
        assert_eq!(still(Some(&chunking(7, None))), "[2/3] Chunking... 0 of 7 files, 0 %");
        let ended = ChunkCounts { new: 0, unchanged: 9 };
        assert_eq!(still(Some(&chunking(7, Some(ended)))), "Finishing: history and database...");
    }
}
