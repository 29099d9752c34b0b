//! One file per subcommand: its options, and what it does.

pub mod completions;
pub mod config;
pub mod context;
pub mod doctor;
pub mod eval;
pub mod graph;
pub mod history;
pub mod hook;
pub mod index;
pub mod init;
pub mod install;
pub mod man;
mod path_args;
pub mod projects;
pub mod remove;
pub mod repo;
pub mod search;
pub mod serve;
pub mod stats;
pub mod status;
pub mod symbols;
pub mod token;
pub mod trust;
pub mod uninstall;
pub mod upgrade;
pub mod watch;
pub mod worker;
