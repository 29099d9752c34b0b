//! Shows progress on stderr: bars on a terminal, otherwise a line at the end of each phase and every ten seconds. A line also
//! appears if the engine reports nothing for a while, for example while it waits for another process.

mod bars;
mod heartbeat;
mod text;

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar as Bar, ProgressDrawTarget};
use vectorcode_core::{Phase, Progress, ProgressSink};

pub use self::bars::{counter, on, transfer};
use self::heartbeat::Heartbeat;
use self::text::{
    ESTIMATE_AFTER, finishing, line, opening, pace, seconds_left, still, style, summary, title,
};
use super::Printer;

/// Shows the progress of an index run.
#[derive(Debug)]
pub struct ProgressBar {
    state: Arc<Mutex<State>>,
    _heartbeat: Heartbeat,
}

#[derive(Debug)]
struct State {
    mode: Mode,
    phase: Option<Phase>,
    last: Option<Progress>,
    /// Elapsed time of the phase when a line was last printed.
    printed: Option<Duration>,
    /// When a line was last printed.
    heard: Instant,
    /// Whether [`ADVICE`] has been printed.
    has_advised: bool,
}

impl State {
    fn new(mode: Mode) -> Self {
        let heard = Instant::now();
        Self { mode, phase: None, last: None, printed: None, heard, has_advised: false }
    }
}

#[derive(Debug)]
enum Mode {
    Silent,
    Lines,
    /// Lines, but only if the work takes long.
    LongWork,
    Bar(Bar),
    /// A bar that appears once work has taken this long, and leaves nothing behind.
    Later(Instant),
    Transient(Bar),
    Finished,
}

/// Faster work shows no bar, which would only flicker.
const BAR_AFTER: Duration = Duration::from_millis(400);

/// How often a line is written to a log or a pipe.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// If nothing is reported, a line is printed after this time, slightly later than a regular one would be.
const SILENCE: Duration = Duration::from_secs(11);

/// How often the spinner moves.
const TICK: Duration = Duration::from_millis(120);

/// If embedding has more than this many seconds left, [`ADVICE`] says that search already works.
const LONG: f64 = 60.0;
const ADVICE: &str =
    "The project can be searched meanwhile. Ctrl-C keeps what is done; `vectorcode index` continues.";

impl ProgressBar {
    pub fn new(printer: &Printer) -> Self {
        Self::in_mode(if printer.is_quiet() {
            Mode::Silent
        } else if std::io::stderr().is_terminal() {
            Mode::Bar(opening_bar())
        } else {
            Mode::Lines
        })
    }

    /// For work before a query is answered: a bar on a terminal while it lasts, otherwise a line every ten seconds.
    pub fn transient(printer: &Printer) -> Self {
        Self::in_mode(if printer.is_quiet() {
            Mode::Silent
        } else if std::io::stderr().is_terminal() {
            Mode::Later(Instant::now())
        } else {
            Mode::LongWork
        })
    }

    fn in_mode(mode: Mode) -> Self {
        let state = Arc::new(Mutex::new(State::new(mode)));
        let beating = state.clone();
        let beat = move || {
            if let Ok(mut state) = beating.lock() {
                state.beat();
            }
        };
        Self { state, _heartbeat: Heartbeat::start(beat) }
    }

    /// Closes the last phase. Nothing is shown after that.
    pub fn finish(&self) {
        if let Ok(mut state) = self.state.lock() {
            state.close_phase();
            if let Mode::Bar(bar) | Mode::Transient(bar) = &state.mode {
                bar.finish_and_clear();
            }
            state.mode = Mode::Finished;
        }
    }
}

impl ProgressSink for ProgressBar {
    fn report(&self, progress: &Progress) {
        let Ok(mut state) = self.state.lock() else { return };
        state.show_bar_if_late();
        if state.phase != Some(progress.phase) {
            state.close_phase();
            state.open_phase(progress);
        }
        state.show(progress);
        state.last = Some(progress.clone());
        if progress.chunks.is_some() {
            state.wait_for_end();
        }
    }
}

impl State {
    fn show_bar_if_late(&mut self) {
        if matches!(self.mode, Mode::Later(since) if since.elapsed() >= BAR_AFTER) {
            self.mode = Mode::Transient(opening_bar());
            self.phase = None;
        }
    }

    fn open_phase(&mut self, progress: &Progress) {
        self.phase = Some(progress.phase);
        self.printed = None;
        if let Mode::Bar(bar) | Mode::Transient(bar) = &self.mode {
            // Must happen before the style is set, which draws the bar: otherwise it would show the numbers of the previous
            // phase.
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
                    self.say(&line);
                    self.printed = Some(progress.elapsed);
                }
            }
            Mode::Silent | Mode::Lines | Mode::LongWork | Mode::Later(_) | Mode::Finished => {}
        }
        self.advise(progress);
    }

    fn say(&mut self, line: &str) {
        eprintln!("{line}");
        self.heard = Instant::now();
    }

    fn is_line_due(&self, progress: &Progress) -> bool {
        let since = |printed| progress.elapsed.saturating_sub(printed) >= LINE_EVERY;
        self.printed.map_or(progress.elapsed >= ESTIMATE_AFTER, since)
    }

    /// Called once a second, whether anything is reported or not.
    fn beat(&mut self) {
        self.show_bar_if_late();
        let patience = if self.phase.is_none() { ESTIMATE_AFTER } else { SILENCE };
        if matches!(self.mode, Mode::Lines | Mode::LongWork) && self.heard.elapsed() >= patience {
            let line = still(self.last.as_ref());
            self.say(&line);
        }
    }

    /// Called when all files have been read. Except for embedding, what follows has no numbers.
    fn wait_for_end(&mut self) {
        if matches!(self.mode, Mode::Silent | Mode::Later(_)) {
            return;
        }
        if let Some(line) = self.last.as_ref().and_then(summary) {
            self.keep(&line);
        }
        if let Mode::Bar(bar) | Mode::Transient(bar) = &self.mode {
            let (prefix, style) = finishing();
            bar.reset();
            bar.set_prefix(prefix);
            bar.set_style(style);
        }
    }

    /// Tells the user once that there is no need to wait for the vectors.
    fn advise(&mut self, progress: &Progress) {
        let is_long =
            progress.phase == Phase::Embed && seconds_left(progress).is_some_and(|left| left > LONG);
        if self.has_advised || !is_long {
            return;
        }
        match &self.mode {
            Mode::Lines | Mode::Bar(_) => self.keep(ADVICE),
            Mode::Silent | Mode::LongWork | Mode::Later(_) | Mode::Transient(_) | Mode::Finished => return,
        }
        self.has_advised = true;
    }

    /// Prints one line for a finished phase, unless that was done when its last file was read.
    fn close_phase(&mut self) {
        if let Some(progress) = self.last.take().filter(|progress| progress.chunks.is_none())
            && let Some(line) = summary(&progress)
        {
            self.keep(&line);
        }
    }

    /// Prints a line that stays, in modes that keep lines.
    fn keep(&mut self, line: &str) {
        match &self.mode {
            Mode::Lines => self.say(line),
            Mode::Bar(bar) => bar.println(line),
            Mode::Silent | Mode::LongWork | Mode::Later(_) | Mode::Transient(_) | Mode::Finished => {}
        }
    }
}

/// The bar that is shown until the first phase is reported.
fn opening_bar() -> Bar {
    let bar = Bar::with_draw_target(None, ProgressDrawTarget::stderr());
    let (prefix, style) = opening();
    bar.set_prefix(prefix);
    bar.set_style(style);
    bar.enable_steady_tick(TICK);
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn embedding(done: u64, seconds: u64) -> Progress {
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
    fn a_pipe_that_hears_nothing_is_told_that_the_work_goes_on() {
        let mut state = State::new(Mode::Lines);
        let is_told = |state: &mut State, seconds: u64| {
            let before = Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
            state.heard = before;
            state.beat();
            state.heard != before
        };
        assert!(!is_told(&mut state, 2) && is_told(&mut state, 3), "the first line comes soon");
        state.phase = Some(Phase::Discover);
        assert!(!is_told(&mut state, 9) && is_told(&mut state, 12));
    }
}
