//! Counts the work of one phase and reports progress at a limited rate.

use std::time::{Duration, Instant};

use vectorcode_core::{ChunkCounts, Phase, Progress, ProgressSink};

const REPORT_EVERY: Duration = Duration::from_millis(50);

pub(crate) struct Meter<'s> {
    sink: &'s dyn ProgressSink,
    phase: Phase,
    started: Instant,
    reported: Option<Instant>,
    done: u64,
    total: u64,
    bytes: u64,
    chunks: Option<ChunkCounts>,
}

impl<'s> Meter<'s> {
    /// Starts the phase and reports it.
    pub(crate) fn start(sink: &'s dyn ProgressSink, phase: Phase, total: u64) -> Self {
        let started = Instant::now();
        let mut meter = Self { sink, phase, started, reported: None, done: 0, total, bytes: 0, chunks: None };
        meter.report();
        meter
    }

    pub(crate) fn advance(&mut self, items: u64, bytes: u64) {
        self.done += items;
        self.bytes += bytes;
        if self.reported.is_none_or(|at| at.elapsed() >= REPORT_EVERY) {
            self.report();
        }
    }

    /// Sets how many items are left; other processes may have added or removed some.
    pub(crate) fn left(&mut self, items: u64) {
        self.total = self.done + items;
    }

    pub(crate) fn chunks(&mut self, counts: ChunkCounts) {
        self.chunks = Some(counts);
    }

    /// Reports the final state and returns how long the phase took, in milliseconds.
    pub(crate) fn finish(mut self) -> f64 {
        self.report();
        self.started.elapsed().as_secs_f64() * 1e3
    }

    fn report(&mut self) {
        self.reported = Some(Instant::now());
        self.sink.report(&Progress {
            phase: self.phase,
            done: self.done,
            total: self.total,
            bytes: self.bytes,
            chunks: self.chunks,
            elapsed: self.started.elapsed(),
        });
    }
}
