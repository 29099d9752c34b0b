//! The engine on real files: indexing, change detection, resuming, safety and watching.

#![allow(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod artifacts;
mod cycle;
mod damage;
mod fixture_queries;
mod graph;
mod history;
mod keeping;
mod kinds_of_files;
mod many;
mod other_languages;
mod project;
mod reports;
mod reranking;
mod safety;
mod searching;
mod settings;
mod stable;
mod stages;
mod upgrade;
mod words_first;
mod written_names;
