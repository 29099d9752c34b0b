//! What tests of all crates share: throw-away projects, the sample projects of `tests/fixtures`, a fake embedder, a
//! small index, git repositories, a scratch home directory and random numbers from a seed.
//!
//! The fakes of the workspace live here and nowhere else. Failures panic: a test has no better answer.

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
