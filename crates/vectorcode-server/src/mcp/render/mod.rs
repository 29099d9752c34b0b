//! Renders tool results: the text that models and people read, and the same as a value.
//!
//! All project data that must stay on one line (paths, symbols, queries) goes through [`vectorcode_core::visible_line`], so
//! that a file name with a line break cannot forge lines of a result. Other control characters are escaped later, for whole
//! results at once.

pub(crate) mod changes;
pub(crate) mod commits;
pub(crate) mod context;
mod edit;
pub(crate) mod exact;
pub(crate) mod excerpt;
mod folded_nodes;
pub(crate) mod graph;
pub(crate) mod history;
mod hit;
mod notes;
mod other_lines;
pub(crate) mod outline;
mod packing;
mod progress;
pub(crate) mod projects;
pub(crate) mod read;
pub(crate) mod reindex;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod symbols;

pub(crate) use progress::progress_line;
