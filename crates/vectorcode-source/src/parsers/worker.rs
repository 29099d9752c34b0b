//! The main loop of a parser process: reads a text, parses it and writes the result, until its input ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

use super::answer::{Answer, without_text};
use super::process::{READY, VERSION, WAITS_FOR_TURN, framed, read_bytes, read_length};
use super::process_exit::{NO_MEMORY, TOO_MUCH_MEMORY, TOO_SLOW};
use super::{Task, sandbox};
use crate::arena::{self, Limits};
use crate::languages::by_name;
use crate::source::{parse_source, uses_in};
use crate::source_text::SourceText;

/// Runs a process that was started with [`super::PARSER_PROCESS`]: it serves requests from standard input, and does nothing
/// else.
pub fn run_parser_process() -> ExitCode {
    if std::env::args_os().nth(2).is_none_or(|version| version != VERSION) {
        let _ = writeln!(io::stderr(), "the program has been replaced by another version");
        return ExitCode::FAILURE;
    }
    match Pipes::standard().and_then(|pipes| answer_requests(PIPES.get_or_init(|| pipes))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

static PIPES: OnceLock<Pipes> = OnceLock::new();

fn answer_requests(pipes: &'static Pipes) -> io::Result<()> {
    arena::set_limits(pipes);
    sandbox::enter();
    let (mut requests, mut answers) = (&pipes.requests, &pipes.answers);
    answers.write_all(&[READY])?;
    while let Some(length) = read_length(&mut requests)? {
        let request = read_bytes(&mut requests, length)?;
        sandbox::limit_processor_time();
        answers.write_all(&framed(&answer(&request)?))?;
    }
    Ok(())
}

fn answer(request: &[u8]) -> io::Result<Answer> {
    let (task, language, source): (Task, &str, SourceText) =
        postcard::from_bytes(request).map_err(io::Error::other)?;
    let language = by_name(language).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(match task {
        Task::Parse { path } => Answer::Parsed(without_text(parse_source(&path, language, &source))),
        Task::Uses { names } => Answer::Uses(uses_in(language, &source, &names)),
        Task::Highlight => Answer::Tokens(crate::highlight(language, &source)),
    })
}

/// Standard input and output, without the standard library's buffers.
#[derive(Debug)]
struct Pipes {
    requests: File,
    answers: File,
}

impl Pipes {
    #[cfg(unix)]
    fn standard() -> io::Result<Self> {
        use std::os::fd::AsFd as _;
        Ok(Self {
            requests: io::stdin().as_fd().try_clone_to_owned()?.into(),
            answers: io::stdout().as_fd().try_clone_to_owned()?.into(),
        })
    }

    #[cfg(windows)]
    fn standard() -> io::Result<Self> {
        use std::os::windows::io::AsHandle as _;
        Ok(Self {
            requests: io::stdin().as_handle().try_clone_to_owned()?.into(),
            answers: io::stdout().as_handle().try_clone_to_owned()?.into(),
        })
    }

    fn ask_for_turn(&self) -> io::Result<()> {
        (&self.answers).write_all(&WAITS_FOR_TURN.to_le_bytes())?;
        (&self.requests).read_exact(&mut [0])
    }
}

/// Beyond a limit, the process exits with a code that says which limit it was. The parent starts another process.
impl Limits for Pipes {
    fn out_of_time(&self) -> ! {
        end(TOO_SLOW)
    }

    fn out_of_memory(&self) -> ! {
        end(TOO_MUCH_MEMORY)
    }

    fn no_memory(&self) -> ! {
        end(NO_MEMORY)
    }

    fn wait_for_permit(&self) {
        if self.ask_for_turn().is_err() {
            // The parent process is gone.
            end(1)
        }
    }
}

fn end(code: u8) -> ! {
    std::process::exit(code.into())
}
