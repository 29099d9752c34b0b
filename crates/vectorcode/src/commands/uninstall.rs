//! `vectorcode uninstall`: removes what `install` added to the configuration of agents.

use anyhow::Result;

use super::install::{self, AgentArgs};
use crate::agents::Operation;
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::Printer;

pub fn run(args: &AgentArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    install::run_operation(Operation::Uninstall, args, global, printer)
}
