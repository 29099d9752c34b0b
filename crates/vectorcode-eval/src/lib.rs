//! Measures vectorcode on labelled questions.
//!
//! [`Dataset`] is a folder of questions with the files that answer them, [`trees`] indexes the repositories and asks them, [`report`] prints the outcome beside the peers' figures. [`localise`] does the same for issues of which the fix is known.

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
