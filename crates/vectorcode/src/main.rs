//! The binary. Arguments go to [`commands`], and what comes back becomes an exit code; nothing else happens here.

mod agents;
mod args;
mod commands;
mod exit;
mod freshen;
mod interrupt;
mod output;
mod session;
mod settings_file;
mod upgrade;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::report(commands::run)
}
