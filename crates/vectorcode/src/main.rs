//! The `vectorcode` binary. Sets up the process, runs [`dispatch`] and turns its result into an exit code.

mod agents;
mod arg_values;
mod args;
mod commands;
mod confirm;
mod dispatch;
mod embed_after_search;
mod exit;
mod freshen;
mod global_args;
mod heap;
mod interactive;
mod interrupt;
mod memory;
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
mod name_service;
mod open;
mod output;
mod session;
mod settings_file;
mod shell_paths;
mod toml_table;
mod upgrade;

use std::process::ExitCode;

use vectorcode_engine::{PARSER_PROCESS, parse_in_processes, run_parser_process};

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == PARSER_PROCESS) {
        return run_parser_process();
    }
    #[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
    name_service::use_own_sources();
    memory::report_missing_threads();
    parse_in_processes();
    let code = exit::report(dispatch::run);
    vectorcode_engine::release_parse_memory(std::time::Duration::ZERO);
    code
}
