//! Helpers for the tests of all crates: temporary projects, the sample projects of `tests/fixtures`, a fake embedder, a small
//! index, git repositories, a scratch home directory and seeded random numbers.
//!
//! All fakes of the workspace are here. Failures panic, because tests have no better way to report them.

#[cfg(feature = "repository")]
pub mod crafted_repository;
#[cfg(feature = "embedder")]
mod fake_embedder;
mod fixtures;
mod random;
mod scratch_home;
#[cfg(feature = "index")]
pub mod small_index;
mod temp_project;
#[cfg(feature = "repository")]
mod test_repository;

#[cfg(feature = "embedder")]
pub use fake_embedder::{Behaviour, FakeEmbedder};
pub use fixtures::{FixtureQuery, fixture_path, fixture_queries};
pub use random::SplitMix64;
pub use scratch_home::ScratchHome;
pub use temp_project::TempProject;
#[cfg(feature = "repository")]
pub use test_repository::TestRepository;
