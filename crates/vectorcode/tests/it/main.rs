//! The integration tests: the real binary, run as a user runs it, in a home directory of its own.

#![allow(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod agent_files;
mod agent_flow;
mod cli;
mod forged_releases;
mod help;
mod home;
#[cfg(unix)] // Making a link needs a privilege on Windows.
mod hostile_links;
mod http;
#[cfg(unix)] // `install.sh` is run by a shell.
mod install_script;
mod mcp;
#[cfg(unix)] // Servers are started by a script of the shell.
mod postgres;
mod release_server;
mod specification;
mod trust;
mod unreadable;
mod upgrade;
#[cfg(unix)] // Workers are killed by signals.
mod worker;
