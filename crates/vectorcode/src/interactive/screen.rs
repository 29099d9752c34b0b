//! The terminal while it is a screen: entered, left, and written line by line.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Once;

use crossterm::cursor::{MoveTo, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};

use super::view::{Picture, Size};

/// A full-screen terminal, from [`Screen::enter`] to [`leave`].
pub struct Screen {
    out: Stdout,
    size: Size,
    /// What it shows, so that only lines that change are written.
    lines: Vec<String>,
}

impl Screen {
    pub fn enter() -> io::Result<Self> {
        leave_on_panic();
        terminal::enable_raw_mode()?;
        let mut out = stdout();
        execute!(out, EnterAlternateScreen, Clear(ClearType::All))?;
        // A pasted line break would open the editor. Old consoles of Windows have no such mode.
        let _ = execute!(out, EnableBracketedPaste);
        Ok(Self { out, size: Size::default(), lines: Vec::new() })
    }

    /// The size of the terminal now. What was shown before it changed is forgotten, because terminals rearrange it.
    pub fn size(&mut self) -> io::Result<Size> {
        let (columns, rows) = terminal::size()?;
        let size = Size { columns: columns.into(), rows: rows.into() };
        if size != self.size {
            self.size = size;
            self.lines.clear();
            queue!(self.out, Clear(ClearType::All))?;
        }
        Ok(size)
    }

    pub fn show(&mut self, picture: Picture) -> io::Result<()> {
        for (row, line) in picture.lines.iter().enumerate() {
            if self.lines.get(row) != Some(line) {
                queue!(self.out, MoveTo(0, row as u16), Print(line))?;
            }
        }
        self.lines = picture.lines;
        queue!(self.out, MoveTo(picture.cursor_column as u16, 0), Show)?;
        self.out.flush()
    }
}

/// Gives the terminal back as it was.
pub fn leave() {
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = terminal::disable_raw_mode();
}

/// The message of a panic would be lost with the screen that it is written to.
fn leave_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            report(panic);
        }));
    });
}
