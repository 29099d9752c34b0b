//! Index, search and the rest of the command line, on real projects.

mod commands;
mod killed;
mod run;
mod terminal;
