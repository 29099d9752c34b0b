//! Measures vectorcode on labelled questions.
//!
//! [`Dataset`] is a folder of questions with the files that answer them, [`metrics`] says how good a ranked list is,
//! [`trees`] indexes the repositories and asks them, [`report`] prints the outcome beside the peers' figures.

pub mod dataset;
pub mod features;
pub mod metrics;
pub mod peers;
pub mod report;
pub mod run;
pub mod speed;
pub mod trees;

pub use dataset::Dataset;
