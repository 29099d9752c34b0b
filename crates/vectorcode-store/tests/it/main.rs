//! The store over real files and real processes.

mod change;
mod fixture;
mod search;
