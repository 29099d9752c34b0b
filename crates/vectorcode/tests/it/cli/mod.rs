//! Index, search and the rest of the command line, on real projects.

mod at_commit;
mod commands;
mod context;
mod embed_after_search;
mod eval;
mod exact;
mod excerpts;
mod first_minutes;
mod graph;
mod hostile;
mod hostile_text;
mod interactive;
mod interrupted;
mod killed;
mod little_found;
mod opening;
mod output;
#[cfg(target_os = "linux")]
mod parsers;
mod paths;
mod projects;
mod root;
pub mod run;
mod screen;
mod settings;
mod share;
#[cfg(target_os = "linux")]
mod shortage;
mod spellings;
mod stats;
mod terminal;
