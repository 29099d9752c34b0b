//! One file per subcommand: its options, and what it does. This file only finds the right one.

pub mod completions;
pub mod install;
pub mod man;
pub mod uninstall;
pub mod upgrade;

use anyhow::Result;
use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Outcome;
use crate::output::Printer;

/// Reads the command line and runs what it asks for.
pub fn run() -> Result<Outcome> {
    let args = Args::parse();
    let printer = Printer::new(&args.global);
    match args.command {
        Command::Install(options) => install::run(&options, &args.global, &printer),
        Command::Uninstall(options) => uninstall::run(&options, &args.global, &printer),
        Command::Upgrade(options) => upgrade::run(&options, &printer),
        Command::Completions(options) => completions::run(&options, &printer),
        Command::Man(options) => man::run(&options, &printer),
    }
}
