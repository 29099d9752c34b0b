//! `vectorcode remove`: deletes the index after confirmation, and unregisters the project. The settings stay, except with
//! `--all`.

use anyhow::Result;
use vectorcode_engine::Removal;

use crate::confirm::confirmed;
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::Printer;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Delete the project's settings too
    #[arg(long)]
    all: bool,

    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

pub fn run(args: &RemoveArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    let project = session.engine.project();
    let (removal, subject) = if args.all {
        (Removal::Everything, format!("{}, its index and its settings", project.directory().display()))
    } else {
        (Removal::Index, format!("the index of {} in {}", project.name(), session.engine.index_place()))
    };
    let is_present = session.engine.is_indexed() || args.all && project.directory().exists();
    if !is_present {
        printer.note(format!("No index of {}", project.root().display()));
        return Ok(Outcome::NothingFound);
    }
    if !args.yes && !confirmed(&format!("Delete {subject}?"))? {
        printer.note("Nothing deleted");
        return Ok(Outcome::Done);
    }
    session.engine.remove(removal)?;
    printer.note(format!("Deleted {subject}"));
    Ok(Outcome::Done)
}
