//! Interactive search: type, and see results while typing.
//!
//! [`prompt`] is the line that is typed, [`state`] is what is on the screen and how a key changes it, [`view`] draws it, [`searcher`] asks the engine on a thread of
//! its own, so that typing never waits. This file joins them and does what a key asks for outside of the screen: the editor,
//! the clipboard.

mod ansi;
mod prompt;
mod searcher;
mod state;
mod view;

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event, KeyEventKind};
use ratatui::crossterm::execute;
use vectorcode_core::api::{Activity, Hit, SearchRequest};
use vectorcode_engine::Keeper;

use self::searcher::Searcher;
use self::state::{Effect, State};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, Patience, Wait, freshen};
use crate::open;
use crate::output::hits::defining_line;
use crate::output::{Printer, logging};
use crate::session::{Session, background_engine};

/// How often it is looked for results while some are expected.
const TICK: Duration = Duration::from_millis(30);
/// How often it is looked what is being done to the index.
const ACTIVITY_INTERVAL: Duration = Duration::from_secs(1);

/// Whether somebody is there to type and to read.
pub fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// An interactive search needs a person.
pub fn require_terminal() -> Result<()> {
    if !has_terminal() {
        bail!(
            "an interactive search needs a terminal; without one, give a question: vectorcode search \"...\""
        );
    }
    Ok(())
}

/// Runs until the user leaves. The index is brought up to date first, as before every search; while the user stays it
/// follows edits, and the vectors of the provider that are missing are computed with half of the cores.
pub fn run(
    query: String,
    base: SearchRequest,
    mut session: Session,
    how: &FreshenArgs,
    printer: &Printer,
) -> Result<Outcome> {
    freshen(&session, how, Wait { patience: Patience::Terminal, for_structure: false }, printer)?;
    let project = session.engine.project().clone();
    session.engine = background_engine(project).map_err(anyhow::Error::msg)?;
    let _keeper = if how.no_sync { None } else { Some(Keeper::start(session.engine.clone())?) };
    let searcher = Searcher::start(session.engine.clone())?;
    let mut app = App { session, searcher, state: State::new(query, base), has_colors: printer.has_colors() };
    let mut terminal = enter()?;
    let ended = app.stay(&mut terminal);
    leave();
    ended.map(|()| Outcome::Done)
}

fn enter() -> Result<DefaultTerminal> {
    let terminal = ratatui::try_init()?;
    logging::hide_on_terminal(true);
    // A pasted line break would open the editor. Old consoles of Windows have no such mode.
    let _ = execute!(std::io::stdout(), EnableBracketedPaste);
    Ok(terminal)
}

fn leave() {
    let _ = execute!(std::io::stdout(), DisableBracketedPaste);
    ratatui::restore();
    logging::hide_on_terminal(false);
}

struct App {
    session: Session,
    searcher: Searcher,
    state: State,
    has_colors: bool,
}

impl App {
    fn stay(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let effect = self.state.start();
        self.act(effect, terminal)?;
        let mut looked: Option<Instant> = None;
        loop {
            if let Some(found) = self.searcher.found() {
                self.state.show(found);
            }
            if looked.is_none_or(|at| at.elapsed() >= ACTIVITY_INTERVAL) {
                looked = Some(Instant::now());
                self.state.work = describe(&self.session.engine.activity());
            }
            self.state.page = view::preview_height(terminal.size()?);
            terminal.draw(|frame| view::draw(&self.state, &self.session.paths, self.has_colors, frame))?;
            let timeout = if self.state.is_waiting { TICK } else { ACTIVITY_INTERVAL };
            let effect = if event::poll(timeout)? { self.on(&event::read()?) } else { Effect::None };
            if effect == Effect::Leave {
                return Ok(());
            }
            self.act(effect, terminal)?;
        }
    }

    fn on(&mut self, event: &Event) -> Effect {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.state.press(*key),
            Event::Paste(text) => self.state.paste(text),
            _ => Effect::None,
        }
    }

    fn act(&mut self, effect: Effect, terminal: &mut DefaultTerminal) -> Result<()> {
        match effect {
            Effect::None | Effect::Leave => {}
            Effect::Search => self.searcher.ask(self.state.request()),
            Effect::Open => self.open(terminal)?,
            Effect::CopyPath => self.copy_path()?,
        }
        Ok(())
    }

    /// The editor gets the terminal until it ends. What was edited may be what was found.
    fn open(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let Some(hit) = self.state.selected() else { return Ok(()) };
        let (file, line) = (self.session.paths.file_of(hit), defining_line(hit));
        leave();
        let opened = open::in_editor(&file, line);
        *terminal = enter()?;
        match opened {
            Ok(()) => {
                self.state.start();
                self.searcher.ask(self.state.request());
            }
            Err(error) => self.state.say(format!("{error:#}")),
        }
        Ok(())
    }

    /// By the escape sequence that terminals take for it (OSC 52), which works over ssh too.
    fn copy_path(&mut self) -> Result<()> {
        let Some(hit) = self.state.selected() else { return Ok(()) };
        let place = place(hit, &self.session);
        let mut out = std::io::stdout();
        write!(out, "\u{1b}]52;c;{}\u{7}", base64(place.as_bytes()))?;
        out.flush()?;
        self.state.say(format!("Copied {place}"));
        Ok(())
    }
}

/// `embedding 34 %`
fn describe(activity: &Activity) -> Option<String> {
    match activity {
        Activity::Running { phase, done, total, .. } if *total > 0 => {
            Some(format!("{phase} {} %", 100 * done / total))
        }
        _ => None,
    }
}

fn place(hit: &Hit, session: &Session) -> String {
    format!("{}:{}", session.paths.openable(&session.paths.file_of(hit)), defining_line(hit))
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let number =
            (0..3).fold(0_u32, |sum, place| sum << 8 | part.get(place).map_or(0, |byte| u32::from(*byte)));
        for place in 0..4 {
            let is_padding = place > part.len();
            let letter = ALPHABET[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if is_padding { '=' } else { char::from(letter) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let all = ["", "f", "fo", "foo", "src/a.rs:12"].map(|text| base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "c3JjL2EucnM6MTI="]);
    }
}
