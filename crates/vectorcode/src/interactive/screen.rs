//! Full-screen output on the terminal: entering, leaving, and writing changed lines.

use std::io::{self, Stdout, Write, stdout};
use std::sync::Once;

use crossterm::cursor::{MoveTo, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::style::Print;
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};

use super::view::{Frame, Size};

/// A full-screen terminal, from [`Screen::enter`] to [`leave`].
pub struct Screen {
    out: Stdout,
    size: Size,
    /// The lines shown now, so that only changed lines are written.
    lines: Vec<String>,
}

impl Screen {
    pub fn enter() -> io::Result<Self> {
        leave_on_panic();
        terminal::enable_raw_mode()?;
        let mut out = stdout();
        execute!(out, EnterAlternateScreen, Clear(ClearType::All))?;
        // Without it, a pasted line break would open the editor. Old Windows consoles do not support it.
        let _ = execute!(out, EnableBracketedPaste);
        Ok(Self { out, size: Size::default(), lines: Vec::new() })
    }

    /// The current size of the terminal. When it changes, the lines are forgotten, because terminals rearrange them.
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

    pub fn show(&mut self, frame: Frame) -> io::Result<()> {
        for (row, line) in frame.lines.iter().enumerate() {
            if self.lines.get(row) != Some(line) {
                queue!(self.out, MoveTo(0, row as u16), Print(line))?;
            }
        }
        self.lines = frame.lines;
        queue!(self.out, MoveTo(frame.cursor_column as u16, 0), Show)?;
        self.out.flush()
    }
}

/// Restores the terminal.
pub fn leave() {
    let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = terminal::disable_raw_mode();
}

/// Leaves the screen before a panic prints its message, which would otherwise be lost with the screen.
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
