//! `vectorcode uninstall`: removes from the configuration of agents what `install` added.

use anyhow::Result;

use super::install::{self, AgentArgs};
use crate::agents::Operation;
use crate::args::GlobalArgs;
use crate::exit::Outcome;
use crate::output::Printer;

pub fn run(args: &AgentArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    install::carry_out(Operation::Uninstall, args, global, printer)
}
