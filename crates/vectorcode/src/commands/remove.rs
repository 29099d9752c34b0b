//! `vectorcode remove`: deletes the index after confirmation, and unregisters the project.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{Result, bail};

use crate::args::GlobalArgs;
use crate::exit::Outcome;
use crate::output::Printer;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

pub fn run(args: &RemoveArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    let directory = session.engine.project().directory();
    if !directory.exists() {
        printer.note(format!("No index in {}", session.engine.project().root().display()));
        return Ok(Outcome::NothingFound);
    }
    if !args.yes && !confirmed(&format!("Delete {}, its index and its settings?", directory.display()))? {
        printer.note("Nothing deleted");
        return Ok(Outcome::Done);
    }
    session.engine.remove()?;
    printer.note(format!("Deleted {}", directory.display()));
    Ok(Outcome::Done)
}

fn confirmed(question: &str) -> Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        bail!("cannot ask for confirmation without a terminal; add --yes");
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{question} [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
