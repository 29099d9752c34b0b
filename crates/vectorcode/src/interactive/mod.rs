//! Interactive search: type, and see results while typing.
//!
//! [`state`] is what is on the screen and how a key changes it, [`view`] draws it, [`searcher`] asks the engine on a thread of
//! its own, so that typing never waits. This file joins them and does what a key asks for outside of the screen: the editor,
//! the clipboard.

mod ansi;
mod searcher;
mod state;
mod view;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use anyhow::{Result, bail};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use vectorcode_core::api::Hit;

use self::searcher::Searcher;
use self::state::{Effect, State};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, Patience, Wait, freshen};
use crate::global_args::GlobalArgs;
use crate::open;
use crate::output::Printer;
use crate::output::hits::defining_line;
use crate::session::Session;

/// How often the screen is looked at for results that have come.
const TICK: Duration = Duration::from_millis(30);

/// Whether somebody is there to type and to read.
pub fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Runs until the user leaves. The index is brought up to date first, as before every search.
pub fn run(query: String, how: &FreshenArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    if !has_terminal() {
        bail!(
            "an interactive search needs a terminal; without one, give a question: vectorcode search \"...\""
        );
    }
    let session = Session::open(global, Vec::new(), printer)?;
    freshen(&session, how, Wait { patience: Patience::Terminal, for_structure: false }, printer)?;
    let searcher = Searcher::start(session.engine.clone())?;
    let mut app = App { session, searcher, state: State::new(query), has_colors: printer.has_colors() };
    let mut terminal = ratatui::try_init()?;
    let ended = app.stay(&mut terminal);
    ratatui::restore();
    ended.map(|()| Outcome::Done)
}

struct App {
    session: Session,
    searcher: Searcher,
    state: State,
    has_colors: bool,
}

impl App {
    fn stay(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        self.searcher.ask(self.state.request());
        loop {
            if let Some(found) = self.searcher.found() {
                self.state.show(found);
            }
            terminal.draw(|frame| view::draw(&self.state, &self.session.paths, self.has_colors, frame))?;
            if !event::poll(TICK)? {
                continue;
            }
            let Event::Key(key) = event::read()? else { continue };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match self.state.press(key) {
                Effect::None => {}
                Effect::Search => self.searcher.ask(self.state.request()),
                Effect::Open => self.open(terminal)?,
                Effect::CopyPath => self.copy_path()?,
                Effect::Leave => return Ok(()),
            }
        }
    }

    /// The editor gets the terminal until it ends.
    fn open(&mut self, terminal: &mut DefaultTerminal) -> Result<()> {
        let Some(hit) = self.state.selected() else { return Ok(()) };
        let (file, line) = (self.session.paths.file_of(hit), defining_line(hit));
        ratatui::restore();
        let opened = open::in_editor(&file, line);
        *terminal = ratatui::try_init()?;
        terminal.clear()?;
        if let Err(error) = opened {
            self.state.say(format!("{error:#}"));
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
