//! The engine on real files: indexing, change detection, resuming, safety and watching.

mod cycle;
mod fixture_queries;
mod keeping;
mod project;
mod safety;
mod searching;
mod stages;
