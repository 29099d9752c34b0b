//! Usage statistics: which tools and commands are called, how long they take and how many tokens they return.
//! Recorded next to the index, shown by `vectorcode stats`, sent nowhere. Neither queries nor results are recorded.
//!
//! The log has one line per call, appended without a lock, so that several servers and terminals can write to it at
//! the same time and no call waits for another. If the log cannot be written, only its numbers are lost.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use vectorcode_core::api::{ToolUsage, UsageResponse};
use vectorcode_core::{Links, private_files, read_bounded_regular_file};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::time::{iso8601, now_ns};

const FILE: &str = "calls.log";
/// When the log exceeds this size, its older half is dropped; some 8,000 calls remain.
const MAX_BYTES: u64 = 512 << 10;
/// A checkout may contain a log of its own, of any size. A larger one is not read.
const MAX_READ_BYTES: u64 = 4 * MAX_BYTES;
/// Names of tools and commands are shorter than this.
const MAX_NAME_CHARS: usize = 32;

/// One finished call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use<'a> {
    /// Name of the tool or command: letters, `_` and `-`.
    pub name: &'a str,
    pub took: Duration,
    /// Estimated tokens of the response.
    pub tokens: usize,
    pub failed: bool,
}

/// Records a command when dropped.
#[derive(Debug)]
pub struct UseTimer<'e> {
    engine: &'e Engine,
    name: &'static str,
    started: Instant,
}

impl Drop for UseTimer<'_> {
    fn drop(&mut self) {
        let took = self.started.elapsed();
        self.engine.record_use(&Use { name: self.name, took, tokens: 0, failed: false });
    }
}

impl Engine {
    /// Records a call, unless the settings disable it or there is no index next to which the log could be kept.
    pub fn record_use(&self, used: &Use<'_>) {
        if !self.config().usage.record || !self.is_indexed() {
            return;
        }
        if let Err(error) = append(&self.usage_file(), used) {
            tracing::debug!(%error, "the use of a tool was not recorded");
        }
    }

    /// Starts a timer that records the command when it is dropped.
    pub fn time_use(&self, name: &'static str) -> UseTimer<'_> {
        UseTimer { engine: self, name, started: Instant::now() }
    }

    /// A summary of the log; empty if there is none.
    pub fn usage(&self) -> Result<UsageResponse, EngineError> {
        let file = self.usage_file();
        let text = read(&file).map_err(EngineError::io("read", &file))?;
        Ok(summary(text.lines().filter_map(Call::parse)))
    }

    /// Deletes the log.
    pub fn forget_usage(&self) -> Result<(), EngineError> {
        delete_usage(self.project().index_directory())
    }

    fn usage_file(&self) -> PathBuf {
        self.project().index_directory().join(FILE)
    }
}

pub(in crate::engine) fn delete_usage(index_directory: &Path) -> Result<(), EngineError> {
    let file = index_directory.join(FILE);
    private_files::remove_if_there(&file).map_err(EngineError::io("delete", file))
}

fn read(file: &Path) -> io::Result<String> {
    match read_bounded_regular_file(file, MAX_READ_BYTES, Links::Refuse) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

fn append(path: &Path, used: &Use<'_>) -> io::Result<()> {
    let mut file = private_files::open_to_append(path)?;
    if file.metadata()?.len() > MAX_BYTES {
        drop(file);
        halve(path)?;
        file = private_files::open_to_append(path)?;
    }
    let seconds = now_ns() / 1_000_000_000;
    let (name, tokens) = (used.name, used.tokens);
    let status = if used.failed { "failed" } else { "ok" };
    let took_ms = used.took.as_secs_f64() * 1e3;
    // A single write, or another process's line could end up in between.
    file.write_all(format!("{seconds} {name} {took_ms:.2} {tokens} {status}\n").as_bytes())
}

/// Drops the older half of the log. If two processes do this at the same time, a few calls may be lost, which does no
/// harm.
fn halve(path: &Path) -> io::Result<()> {
    let text = match read(path) {
        Ok(text) => text,
        // Too long to have been written by vectorcode.
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => String::new(),
        Err(error) => return Err(error),
    };
    let newer = &text.as_bytes()[text.len() / 2..];
    let from = newer.iter().position(|byte| *byte == b'\n').map_or(newer.len(), |end| end + 1);
    private_files::replace(path, &newer[from..])
}

/// One line of the log.
struct Call<'t> {
    seconds: i64,
    name: &'t str,
    took_ms: f64,
    tokens: u64,
    failed: bool,
}

impl<'t> Call<'t> {
    /// `None` for a line that vectorcode did not write, or that was cut off.
    fn parse(line: &'t str) -> Option<Self> {
        let mut words = line.split(' ');
        let seconds = words.next()?.parse().ok()?;
        let name = words.next()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
            return None;
        }
        let took_ms: f64 = words.next()?.parse().ok().filter(|ms: &f64| ms.is_finite() && *ms >= 0.0)?;
        let tokens: u32 = words.next()?.parse().ok()?;
        let failed = match words.next()? {
            "ok" => false,
            "failed" => true,
            _ => return None,
        };
        Some(Self { seconds, name, took_ms, tokens: tokens.into(), failed })
    }
}

fn summary<'t>(calls: impl Iterator<Item = Call<'t>>) -> UsageResponse {
    let mut since = None;
    let mut by_name: BTreeMap<&str, Vec<Call<'_>>> = BTreeMap::new();
    for call in calls {
        since = since.map_or(Some(call.seconds), |oldest: i64| Some(oldest.min(call.seconds)));
        by_name.entry(call.name).or_default().push(call);
    }
    let mut tools: Vec<ToolUsage> = by_name.into_iter().map(|(name, calls)| tool(name, &calls)).collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    UsageResponse { since: since.map(iso8601), tools }
}

fn tool(name: &str, calls: &[Call<'_>]) -> ToolUsage {
    let mut times: Vec<f64> = calls.iter().map(|call| call.took_ms).collect();
    times.sort_by(f64::total_cmp);
    ToolUsage {
        name: name.to_owned(),
        calls: calls.len() as u64,
        errors: calls.iter().filter(|call| call.failed).count() as u64,
        p50_ms: percentile(&times, 50),
        p95_ms: percentile(&times, 95),
        tokens: calls.iter().map(|call| call.tokens).sum(),
    }
}

/// The nearest-rank percentile: the smallest value that is at least as large as `percent` of the values.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(name: &str, ms: u64) -> Use<'_> {
        Use { name, took: Duration::from_millis(ms), tokens: 100, failed: ms > 90 }
    }

    fn read_summary(path: &Path) -> UsageResponse {
        summary(read(path).unwrap().lines().filter_map(Call::parse))
    }

    #[test]
    fn calls_are_summed_by_name_the_most_used_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        append(&path, &used("graph", 3)).unwrap();
        for ms in 1..=100 {
            append(&path, &used("vec_search", ms)).unwrap();
        }
        let usage = read_summary(&path);
        assert!(usage.since.is_some_and(|since| since.starts_with("20")));
        assert_eq!((usage.tools[0].name.as_str(), usage.tools[1].name.as_str()), ("vec_search", "graph"));
        let search = &usage.tools[0];
        assert_eq!((search.calls, search.errors, search.tokens), (100, 10, 10_000));
        assert!((search.p50_ms - 50.0).abs() < 0.01 && (search.p95_ms - 95.0).abs() < 0.01, "{search:?}");
    }

    #[test]
    fn a_full_record_keeps_its_newer_half() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE);
        let old = "1700000000 old 1.00 0 ok\n".repeat(MAX_BYTES as usize / 20);
        std::fs::write(&path, old + &"1700000001 young 1.00 0 ok\n".repeat(100)).unwrap();
        append(&path, &used("newest", 1)).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() <= MAX_BYTES);
        let usage = read_summary(&path);
        let calls = |name: &str| usage.tools.iter().find(|tool| tool.name == name).map(|tool| tool.calls);
        assert_eq!((calls("young"), calls("newest")), (Some(100), Some(1)));
        std::fs::write(&path, "x".repeat(MAX_READ_BYTES as usize + 1)).unwrap();
        append(&path, &used("newest", 1)).unwrap();
        assert_eq!(read_summary(&path).tools.len(), 1, "an oversized file is replaced");
    }

    #[test]
    fn lines_of_others_are_not_counted() {
        for line in [
            "",
            "1 a",
            "1 a 1.0 5 maybe",
            "x a 1.0 5 ok",
            "1 \u{1b}[2J 1.0 5 ok",
            "1 a nan 5 ok",
            "1 a -1 5 ok",
            "1 a 1.0 99999999999999 ok",
        ] {
            assert!(Call::parse(line).is_none(), "{line:?}");
        }
    }
}
