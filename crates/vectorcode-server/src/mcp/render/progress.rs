//! The progress of an index run in one line.

use vectorcode_core::{Phase, Progress};

use crate::units::grouped;

/// For example `chunking: 120 of 2,515 files (350/s)`.
pub(crate) fn progress_line(progress: &Progress) -> String {
    let (verb, unit) = match progress.phase {
        Phase::Discover => ("discovering", "files"),
        Phase::Chunk => ("chunking", "files"),
        Phase::Embed => ("embedding", "chunks"),
    };
    let done = grouped(progress.done);
    let rate = progress.rate();
    match progress.total {
        0 => format!("{verb}: {done} {unit}"),
        total => format!("{verb}: {done} of {} {unit} ({rate:.0}/s)", grouped(total)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_line_says_what_is_done() {
        let progress = |phase, done, total| Progress {
            phase,
            done,
            total,
            bytes: 0,
            chunks: None,
            elapsed: Duration::from_secs(2),
        };
        assert_eq!(progress_line(&progress(Phase::Chunk, 700, 2515)), "chunking: 700 of 2,515 files (350/s)");
        assert_eq!(progress_line(&progress(Phase::Discover, 9, 0)), "discovering: 9 files");
    }
}
