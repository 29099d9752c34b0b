//! Interactive search: shows results while the user types.
//!
//! [`prompt`] is the line being typed, [`state`] is what is on the screen and how a key changes it, [`view`] lays it out in
//! lines, [`screen`] writes these to the terminal, and [`searcher`] queries the engine on a separate thread, so that typing
//! never waits. This file connects them and runs the effects outside the screen: the editor and the clipboard.

mod prompt;
mod screen;
mod searcher;
mod state;
mod view;

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use crossterm::event::{self, Event, KeyEventKind};
use ct_codecs::{Base64, Encoder as _};
use vectorcode_core::api::{Activity, Hit, SearchRequest};
use vectorcode_engine::Keeper;

use self::screen::Screen;
use self::searcher::Searcher;
use self::state::{Effect, State};
use crate::exit::Outcome;
use crate::freshen::{FreshenArgs, FreshenWait, WaitLimit, freshen};
use crate::open;
use crate::output::hits::defining_line;
use crate::output::{Printer, logging};
use crate::session::{Session, background_engine};

/// How often to look for results while a search is running.
const TICK: Duration = Duration::from_millis(30);
/// How often to read the index activity.
const ACTIVITY_INTERVAL: Duration = Duration::from_secs(1);

/// Whether a person can type and read.
pub fn has_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Fails without a terminal.
pub fn require_terminal() -> Result<()> {
    if !has_terminal() {
        bail!(
            "an interactive search needs a terminal; without one, give a question: vectorcode search \"...\""
        );
    }
    Ok(())
}

/// Runs until the user leaves. The index is brought up to date first, as before every search. While the user stays, it follows
/// edits, and missing vectors of the provider are computed on half of the cores.
pub fn run(
    query: String,
    base: SearchRequest,
    mut session: Session,
    how: &FreshenArgs,
    printer: &Printer,
) -> Result<Outcome> {
    freshen(&mut session, how, FreshenWait { limit: WaitLimit::Bounded, for_structure: false }, printer)?;
    let project = session.engine.project().clone();
    session.engine = background_engine(project).map_err(anyhow::Error::msg)?;
    let _keeper = if how.no_sync { None } else { Some(Keeper::start(session.engine.clone())?) };
    let searcher = Searcher::start(session.engine.clone())?;
    let mut app = App { session, searcher, state: State::new(query, base), has_colors: printer.has_colors() };
    let mut screen = enter()?;
    let ended = app.stay(&mut screen);
    leave();
    ended.map(|()| Outcome::Done)
}

fn enter() -> Result<Screen> {
    let screen = Screen::enter()?;
    logging::hide_on_terminal(true);
    Ok(screen)
}

fn leave() {
    screen::leave();
    logging::hide_on_terminal(false);
}

struct App {
    session: Session,
    searcher: Searcher,
    state: State,
    has_colors: bool,
}

impl App {
    fn stay(&mut self, screen: &mut Screen) -> Result<()> {
        let effect = self.state.start();
        self.act(effect, screen)?;
        let mut looked: Option<Instant> = None;
        loop {
            if let Some(found) = self.searcher.found()? {
                self.state.show(found);
            }
            if looked.is_none_or(|at| at.elapsed() >= ACTIVITY_INTERVAL) {
                looked = Some(Instant::now());
                self.state.work = describe(&self.session.engine.activity());
            }
            let size = screen.size()?;
            self.state.page = view::preview_height(size);
            screen.show(view::render_frame(&self.state, &self.session.paths, self.has_colors, size))?;
            let timeout = if self.state.is_waiting { TICK } else { ACTIVITY_INTERVAL };
            let effect = if event::poll(timeout)? { self.on(&event::read()?) } else { Effect::None };
            if effect == Effect::Leave {
                return Ok(());
            }
            self.act(effect, screen)?;
        }
    }

    fn on(&mut self, event: &Event) -> Effect {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.state.press(*key),
            Event::Paste(text) => self.state.paste(text),
            _ => Effect::None,
        }
    }

    fn act(&mut self, effect: Effect, screen: &mut Screen) -> Result<()> {
        match effect {
            Effect::None | Effect::Leave => {}
            Effect::Search => self.searcher.ask(self.state.request()),
            Effect::Open => self.open(screen)?,
            Effect::CopyPath => self.copy_path()?,
        }
        Ok(())
    }

    /// Opens the selected hit in the editor, which uses the terminal until it exits. Then searches again, since the edit may
    /// have changed the results.
    fn open(&mut self, screen: &mut Screen) -> Result<()> {
        let Some(hit) = self.state.selected() else { return Ok(()) };
        let (file, line) = (self.session.paths.file_of(hit), defining_line(hit));
        leave();
        let opened = open::in_editor(&file, line);
        *screen = enter()?;
        match opened {
            Ok(()) => {
                self.state.start();
                self.searcher.ask(self.state.request());
            }
            Err(error) => self.state.say(format!("{error:#}")),
        }
        Ok(())
    }

    /// Copies with the escape sequence OSC 52, which also works over ssh.
    fn copy_path(&mut self) -> Result<()> {
        let Some(hit) = self.state.selected() else { return Ok(()) };
        let place = place(hit, &self.session);
        let mut out = std::io::stdout();
        write!(out, "\u{1b}]52;c;{}\u{7}", Base64::encode_to_string(&place)?)?;
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
