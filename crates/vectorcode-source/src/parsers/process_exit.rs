//! Classifies why a parser process ended, and whether the file that it was parsing is to blame.

use std::fmt;
use std::process::ExitStatus;

#[cfg(unix)]
use rustix::process::Signal;
use vectorcode_core::FileFlags;

/// Exit codes of a parser process. They differ from those of a panic (101) and of signals (128 and more).
pub(super) const TOO_SLOW: u8 = 70;
pub(super) const TOO_MUCH_MEMORY: u8 = 71;
pub(super) const NO_MEMORY: u8 = 72;

/// Part of the message that our allocator or Rust prints when an allocation fails.
const OUT_OF_MEMORY: &str = "memory allocation";

/// What is known about a process that ended during a request.
#[derive(Debug)]
pub(super) struct ProcessExit {
    pub status: Option<ExitStatus>,
    /// The end of its standard error.
    pub words: String,
    pub timed_out: bool,
    /// Whether it had reported that it was ready.
    pub was_ready: bool,
    /// Whether it was killed because its response was invalid.
    pub was_refused: bool,
    /// Whether memory is limited from outside, and not by the process itself.
    pub is_short_of_memory: bool,
}

/// The conclusion about a process that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The process never started to parse: try again.
    NotStarted,
    NoMemory,
    /// The file is to blame, and would be again.
    Blamed(Unparsed),
    /// The file may be to blame, or another program killed the process: try again.
    Suspect(Unparsed),
}

/// Why a file has no symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unparsed {
    TooSlow,
    TooMuchMemory,
    Crashed,
    /// Killed from outside: by the system for lack of memory, or by the user. It may succeed another time.
    Killed,
    NotAsNamed,
}

impl Unparsed {
    /// Why a file is marked as unparsed although its process did not end.
    pub(super) fn of(parsed: FileFlags, decoded: FileFlags) -> Option<Self> {
        match (parsed.unparsed, decoded.unparsed) {
            (false, _) => None,
            (true, false) => Some(Self::TooSlow),
            (true, true) => Some(Self::NotAsNamed),
        }
    }
}

impl fmt::Display for Unparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooSlow => "its parser took too much time",
            Self::TooMuchMemory => "its parser took too much memory",
            Self::Crashed => "its parser crashed",
            Self::Killed => "its parser was killed, perhaps for lack of memory",
            Self::NotAsNamed => "it is not what its name says",
        })
    }
}

impl ProcessExit {
    pub fn verdict(&self) -> Verdict {
        let code = self.status.and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok());
        let got_no_memory = self.words.contains(OUT_OF_MEMORY);
        match code {
            // The machine was too busy to let it start.
            _ if self.timed_out && !self.was_ready => Verdict::NotStarted,
            _ if self.timed_out || ended_by(self.status, Signal::XCPU) => Verdict::Blamed(Unparsed::TooSlow),
            Some(TOO_SLOW) => Verdict::Blamed(Unparsed::TooSlow),
            Some(TOO_MUCH_MEMORY) => Verdict::Blamed(Unparsed::TooMuchMemory),
            Some(NO_MEMORY) => Verdict::NoMemory,
            _ if got_no_memory && (self.is_short_of_memory || !self.was_ready) => Verdict::NoMemory,
            // If there is not enough memory to start a process, a signal kills it without a message.
            _ if cfg!(unix) && self.is_short_of_memory && !self.was_ready => Verdict::NoMemory,
            _ if got_no_memory => Verdict::Blamed(Unparsed::TooMuchMemory),
            _ if !self.was_ready => Verdict::NotStarted,
            _ if !self.was_refused && ended_by(self.status, Signal::KILL) => {
                Verdict::Suspect(Unparsed::Killed)
            }
            _ => Verdict::Suspect(Unparsed::Crashed),
        }
    }
}

#[cfg(unix)]
fn ended_by(status: Option<ExitStatus>, signal: Signal) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.and_then(|status| status.signal()) == Some(signal.as_raw())
}

#[cfg(not(unix))]
enum Signal {
    KILL,
    XCPU,
}

#[cfg(not(unix))]
fn ended_by(_status: Option<ExitStatus>, _signal: Signal) -> bool {
    false
}
