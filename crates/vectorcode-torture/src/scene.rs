//! One kind of trouble, and what it means that the binary did not survive it.

use fastrand::Rng;

use crate::subject::Subject;
pub use crate::violation::Violation;

/// What a round may use.
#[derive(Debug)]
pub struct Round<'a> {
    pub subject: &'a Subject,
    pub rng: Rng,
}

/// How much a round tried: kills, damaged files, inputs, requests.
pub type Trials = u64;

/// One kind of trouble.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    pub name: &'static str,
    /// What a trial is, for the table.
    pub unit: &'static str,
    pub run: fn(&mut Round<'_>) -> Result<Trials, Violation>,
}
