//! The binary. Arguments go to [`dispatch`], and what comes back becomes an exit code; nothing else happens here.

mod agents;
mod arg_values;
mod args;
mod commands;
mod dispatch;
mod exit;
mod freshen;
mod global_args;
mod heap;
mod interrupt;
mod open;
mod output;
mod session;
mod settings_file;
mod shell_paths;
mod upgrade;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::report(dispatch::run)
}
