//! The kinds of violations that can be found in the binary.

/// A guarantee that was violated.
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
    /// The harness itself failed; this says nothing about the binary.
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
