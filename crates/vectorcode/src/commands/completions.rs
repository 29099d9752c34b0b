//! `vectorcode completions`: a completion script on stdout.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::exit::Outcome;
use crate::output::Printer;

#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Shell to print the script for
    shell: Shell,
}

pub fn run(args: &CompletionsArgs, printer: &Printer) -> Result<Outcome> {
    // The generator panics on a closed pipe, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "vectorcode", &mut script);
    printer.bytes(&script)?;
    Ok(Outcome::Done)
}
