//! Measures vectorcode on labelled questions.
//!
//! [`Dataset`] is a folder of questions with the files that answer them, [`trees`] indexes the repositories and searches
//! them, and [`report`] prints the outcome next to the figures of other tools. [`localise`] does the same for issues whose
//! fix is known.

pub mod agents;
pub mod dataset;
pub mod features;
pub mod localise;
pub mod peers;
pub mod report;
pub mod run;
pub mod speed;
pub mod trees;

pub use dataset::Dataset;
