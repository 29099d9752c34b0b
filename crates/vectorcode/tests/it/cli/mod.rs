//! Index, search and the rest of the command line, on real projects.

mod commands;
mod context;
mod eval;
mod graph;
mod killed;
mod projects;
mod run;
mod terminal;
