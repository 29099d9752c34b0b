//! One kind of trouble, and what it means that the binary did not survive it.

use fastrand::Rng;

use crate::subject::Subject;

/// A promise that was broken.
#[derive(Debug, thiserror::Error)]
pub enum Violation {
    #[error("{command}: killed by signal {signal}\n{stderr}")]
    Crashed { command: String, signal: i32, stderr: String },
    #[error("{command}: panicked\n{stderr}")]
    Panicked { command: String, stderr: String },
    #[error("{command}: still running after {seconds} s")]
    Hangs { command: String, seconds: u64 },
    #[error("{command}: used {used_mib} MiB of memory, more than {limit_mib} MiB")]
    TooMuchMemory { command: String, used_mib: u64, limit_mib: u64 },
    #[error("{what}: expected {expected}, found {found}")]
    Wrong { what: String, expected: String, found: String },
    /// The harness itself failed; nothing is known about the binary.
    #[error("the harness failed: {0}")]
    Harness(#[from] std::io::Error),
}

impl Violation {
    pub fn wrong(
        what: impl Into<String>,
        expected: impl std::fmt::Display,
        found: impl std::fmt::Display,
    ) -> Self {
        Self::Wrong { what: what.into(), expected: expected.to_string(), found: found.to_string() }
    }
}

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
