//! The engine on real files: indexing, change detection, resuming, safety and watching.

mod cycle;
mod keeping;
mod project;
mod safety;
mod stages;
