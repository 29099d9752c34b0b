//! Progress on stderr: bars on a terminal, elsewhere a line when a phase ends and every ten seconds.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar as Bar, ProgressDrawTarget, ProgressStyle};
use vectorcode_core::{ChunkCounts, Phase, Progress, ProgressSink};

use super::Printer;
use super::numbers::{duration, grouped, plural, rate};

/// Shows the progress of an index run.
#[derive(Debug)]
pub struct ProgressBar {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    mode: Mode,
    phase: Option<Phase>,
    last: Option<Progress>,
    /// How far the phase was, in time, when a line was last printed.
    printed: Option<Duration>,
    /// Whether it was said that a long run may be left alone.
    has_advised: bool,
}

impl State {
    fn new(mode: Mode) -> Self {
        Self { mode, phase: None, last: None, printed: None, has_advised: false }
    }
}

#[derive(Debug)]
enum Mode {
    Silent,
    Lines,
    /// Only the lines of work that takes long.
    LongWork,
    Bar(Bar),
    /// A bar that appears once work has taken this long, and leaves nothing behind.
    Later(Instant),
    Transient(Bar),
}

/// Characters of the bar in the line that stays.
const BAR_WIDTH: usize = 20;

/// Work that is done sooner needs no bar, which would only flicker.
const BAR_AFTER: Duration = Duration::from_millis(400);

/// A rate means something after this time; before it, a cold start would promise hours, or a warm cache no time at all.
const ESTIMATE_AFTER: Duration = Duration::from_secs(3);

/// How often a log or a pipe is told how far it is.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// After this long, the bar says that search already works.
const LONG: f64 = 60.0;
const ADVICE: &str =
    "The project can be searched meanwhile. Ctrl-C keeps what is done; `vectorcode index` continues.";

impl ProgressBar {
    pub fn new(printer: &Printer) -> Self {
        let mode = if printer.is_quiet() {
            Mode::Silent
        } else if std::io::stderr().is_terminal() {
            Mode::Bar(Bar::with_draw_target(None, ProgressDrawTarget::stderr()))
        } else {
            Mode::Lines
        };
        Self { state: Mutex::new(State::new(mode)) }
    }

    /// For work that precedes an answer: a bar on a terminal while it lasts, and elsewhere a line every ten seconds.
    pub fn transient(printer: &Printer) -> Self {
        let mode = if printer.is_quiet() {
            Mode::Silent
        } else if std::io::stderr().is_terminal() {
            Mode::Later(Instant::now())
        } else {
            Mode::LongWork
        };
        Self { state: Mutex::new(State::new(mode)) }
    }

    /// Closes the last phase.
    pub fn finish(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.close_phase();
            if let Mode::Bar(bar) | Mode::Transient(bar) = &state.mode {
                bar.finish_and_clear();
            }
        }
    }
}

impl ProgressSink for ProgressBar {
    fn report(&self, progress: &Progress) {
        let Ok(mut state) = self.state.lock() else { return };
        if matches!(state.mode, Mode::Later(since) if since.elapsed() >= BAR_AFTER) {
            state.mode = Mode::Transient(Bar::with_draw_target(None, ProgressDrawTarget::stderr()));
            state.phase = None;
        }
        if state.phase != Some(progress.phase) {
            state.close_phase();
            state.open_phase(progress);
        }
        state.show(progress);
        state.last = Some(progress.clone());
    }
}

impl State {
    fn open_phase(&mut self, progress: &Progress) {
        self.phase = Some(progress.phase);
        self.printed = None;
        if let Mode::Bar(bar) | Mode::Transient(bar) = &self.mode {
            // Before the style, which draws: a bar that opens with the numbers of the phase before it is wrong.
            bar.reset();
            bar.set_length(progress.total.max(progress.done));
            bar.set_message("");
            bar.set_prefix(title(progress.phase));
            bar.set_style(style(progress.phase));
        }
    }

    fn show(&mut self, progress: &Progress) {
        match &self.mode {
            Mode::Bar(bar) | Mode::Transient(bar) => {
                bar.set_length(progress.total.max(progress.done));
                bar.set_position(progress.done);
                bar.set_message(pace(progress).map_or_else(String::new, |pace| format!("({pace})")));
            }
            Mode::Lines | Mode::LongWork if self.is_line_due(progress) => {
                if let Some(line) = line(progress) {
                    eprintln!("{line}");
                    self.printed = Some(progress.elapsed);
                }
            }
            Mode::Silent | Mode::Lines | Mode::LongWork | Mode::Later(_) => {}
        }
        self.advise(progress);
    }

    fn is_line_due(&self, progress: &Progress) -> bool {
        let since = |printed| progress.elapsed.saturating_sub(printed) >= LINE_EVERY;
        self.printed.map_or(progress.elapsed >= ESTIMATE_AFTER, since)
    }

    /// Says once that nobody needs to wait for the vectors.
    fn advise(&mut self, progress: &Progress) {
        let is_long =
            progress.phase == Phase::Embed && seconds_left(progress).is_some_and(|left| left > LONG);
        if self.has_advised || !is_long {
            return;
        }
        match &self.mode {
            Mode::Lines => eprintln!("{ADVICE}"),
            Mode::Bar(bar) => bar.println(ADVICE),
            Mode::Silent | Mode::LongWork | Mode::Later(_) | Mode::Transient(_) => return,
        }
        self.has_advised = true;
    }

    /// Prints one line for a finished phase.
    fn close_phase(&mut self) {
        let Some(line) = self.last.take().and_then(|progress| summary(&progress)) else { return };
        match &self.mode {
            Mode::Silent | Mode::LongWork | Mode::Later(_) | Mode::Transient(_) => {}
            Mode::Lines => eprintln!("{line}"),
            Mode::Bar(bar) => bar.println(line),
        }
    }
}

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

fn templated(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates are constant and valid")
        .progress_chars("█▓░")
}

fn title(phase: Phase) -> &'static str {
    match phase {
        Phase::Discover => "[1/3] Discovering files",
        Phase::Chunk => "[2/3] Chunking",
        Phase::Embed => "[3/3] Embedding",
    }
}

fn style(phase: Phase) -> ProgressStyle {
    let template = match phase {
        Phase::Discover => "{prefix}... {spinner}",
        Phase::Chunk => "{prefix}... {pos}/{len} files [{bar:20}] {percent}% {msg}",
        Phase::Embed => "{prefix}... {pos}/{len} chunks [{bar:20}] {percent}% {msg}",
    };
    templated(template)
}

/// Seconds until the phase ends at its pace so far; `None` while that cannot be told.
fn seconds_left(progress: &Progress) -> Option<f64> {
    let is_known = progress.elapsed >= ESTIMATE_AFTER && progress.done > 0 && progress.total > 0;
    is_known.then(|| progress.total.saturating_sub(progress.done) as f64 / progress.rate())
}

/// `5.1/s, 9 minutes left`
fn pace(progress: &Progress) -> Option<String> {
    let left = seconds_left(progress)?;
    Some(format!("{}, {} left", rate(progress.rate()), duration(left.ceil() as u64)))
}

/// `[3/3] Embedding... 1,024 of 3,955 chunks, 26 % (5.1/s, 9 minutes left)`
fn line(progress: &Progress) -> Option<String> {
    let noun = match progress.phase {
        Phase::Discover => return None,
        Phase::Chunk => "file",
        Phase::Embed => "chunk",
    };
    let (done, total) = (grouped(progress.done), plural(progress.total, noun));
    let pace = pace(progress).map_or_else(String::new, |pace| format!(" ({pace})"));
    Some(format!("{}... {done} of {total}, {:.0} %{pace}", title(progress.phase), progress.percent()))
}

fn summary(progress: &Progress) -> Option<String> {
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
    use super::*;

    fn embedding(done: u64, seconds: u64) -> Progress {
        let elapsed = Duration::from_secs(seconds);
        Progress { phase: Phase::Embed, done, total: 3_955, bytes: 0, chunks: None, elapsed }
    }

    #[test]
    fn a_pipe_is_told_the_estimate_after_three_seconds_and_then_every_ten() {
        let mut state = State::new(Mode::LongWork);
        let mut told = Vec::new();
        for second in 0..30 {
            state.show(&embedding(20 * second, second));
            if state.printed == Some(Duration::from_secs(second)) {
                told.push(second);
            }
        }
        assert_eq!(told, [3, 13, 23]);
    }

    #[test]
    fn a_line_says_how_long_it_takes() {
        assert_eq!(
            line(&embedding(60, 3)).unwrap(),
            "[3/3] Embedding... 60 of 3,955 chunks, 2 % (20/s, 3 minutes left)"
        );
        assert_eq!(pace(&embedding(900, 1)), None, "the first second says nothing");
        assert_eq!(pace(&embedding(0, 20)), None, "neither does a provider that has not answered");
    }
}
