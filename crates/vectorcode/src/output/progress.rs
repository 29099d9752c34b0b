//! Progress on stderr: bars on a terminal, plain lines elsewhere.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar as Bar, ProgressDrawTarget, ProgressState, ProgressStyle};
use vectorcode_core::{ChunkCounts, Phase, Progress, ProgressSink};

use super::Printer;
use super::numbers::{grouped, plural, rate};

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
}

#[derive(Debug)]
enum Mode {
    Silent,
    Lines,
    Bar(Bar),
    /// A bar that appears once work has taken this long, and leaves nothing behind.
    Later(Instant),
    Transient(Bar),
}

/// Characters of the bar in the line that stays.
const BAR_WIDTH: usize = 20;

/// Work that is done sooner needs no bar, which would only flicker.
const BAR_AFTER: Duration = Duration::from_millis(400);

impl ProgressBar {
    pub fn new(printer: &Printer) -> Self {
        let mode = if printer.is_quiet() {
            Mode::Silent
        } else if std::io::stderr().is_terminal() {
            Mode::Bar(Bar::with_draw_target(None, ProgressDrawTarget::stderr()))
        } else {
            Mode::Lines
        };
        Self { state: Mutex::new(State { mode, phase: None, last: None }) }
    }

    /// For work that precedes an answer: a bar on a terminal while it lasts, and nothing else.
    pub fn transient(printer: &Printer) -> Self {
        let is_shown = !printer.is_quiet() && std::io::stderr().is_terminal();
        let mode = if is_shown { Mode::Later(Instant::now()) } else { Mode::Silent };
        Self { state: Mutex::new(State { mode, phase: None, last: None }) }
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
        if let Mode::Bar(bar) | Mode::Transient(bar) = &state.mode {
            bar.set_length(progress.total.max(progress.done));
            bar.set_position(progress.done);
        }
        state.last = Some(progress.clone());
    }
}

impl State {
    fn open_phase(&mut self, progress: &Progress) {
        self.phase = Some(progress.phase);
        if let Mode::Bar(bar) | Mode::Transient(bar) = &self.mode {
            bar.reset();
            bar.set_style(style(progress.phase));
            bar.set_message(title(progress.phase));
        }
    }

    /// Prints one line for a finished phase.
    fn close_phase(&mut self) {
        let Some(line) = self.last.take().and_then(|progress| summary(&progress)) else { return };
        match &self.mode {
            Mode::Silent | Mode::Later(_) | Mode::Transient(_) => {}
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
        // indicatif's own `per_sec` has four decimals: 783.5349/s.
        .with_key("rate", |state: &ProgressState, text: &mut dyn Write| {
            let _ = text.write_str(&rate(state.per_sec()));
        })
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
        Phase::Discover => "{msg}... {spinner}",
        Phase::Chunk => "{msg}... {pos}/{len} files [{bar:20}] {percent}% ({rate}, {eta} left)",
        Phase::Embed => "{msg}... {pos}/{len} chunks [{bar:20}] {percent}% ({rate}, {eta} left)",
    };
    templated(template)
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
