//! The scene: one kind of trouble, and the violation that it may find.

use fastrand::Rng;

use crate::binary_under_test::BinaryUnderTest;
pub use crate::violation::Violation;

/// What a round can use.
#[derive(Debug)]
pub struct Round<'a> {
    pub binary: &'a BinaryUnderTest,
    pub rng: Rng,
}

/// The number of kills, damaged files, inputs or requests that a round tried.
pub type Trials = u64;

/// One kind of trouble.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    pub name: &'static str,
    /// The unit of a trial, for the table.
    pub unit: &'static str,
    pub run: fn(&mut Round<'_>) -> Result<Trials, Violation>,
}
