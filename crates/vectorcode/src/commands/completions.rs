//! `vectorcode completions`: a completion script on stdout.

use anyhow::Result;
use clap_complete::Shell;

use crate::exit::Outcome;
use crate::output::Printer;

#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    /// Shell to print the script for
    shell: Shell,
}

/// `command_line` is the whole tree of commands.
pub fn run(args: &CompletionsArgs, command_line: &mut clap::Command, printer: &Printer) -> Result<Outcome> {
    // The generator panics on a closed pipe, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command_line, "vectorcode", &mut script);
    printer.bytes(&script)?;
    Ok(Outcome::Done)
}
