//! Runs a built `vectorcode` under conditions that no test suite can enumerate, and counts what it does not survive.
//!
//! A [`Scene`] is one kind of trouble: kills, faults of the system, damaged indexes, hostile sources, bad frames, bad HTTP
//! clients. A round of a scene is generated from a seed, so that a violation can be repeated with `--scene NAME --seed N`.
//! The guarantees are listed in `docs/reliability.md`; each is checked by exactly one scene. `fuzz` feeds mutated inputs
//! directly to the libraries, many thousands per minute.

pub mod binary_under_test;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod mutation;
pub mod report;
pub mod scene;
pub mod scenes;
pub mod tree;
pub mod violation;

pub use binary_under_test::BinaryUnderTest;
pub use report::Report;
pub use scene::{Round, Scene, Violation};
