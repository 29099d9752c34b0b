//! Index, search and the rest of the command line, on real projects.

mod commands;
mod context;
mod eval;
mod graph;
mod hostile;
mod hostile_text;
mod interrupted;
mod killed;
mod output;
mod projects;
mod root;
pub mod run;
mod settings;
mod terminal;
