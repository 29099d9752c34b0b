//! The settings and their defaults. [`load`] merges the layers (user file, project file, environment, flags) into one
//! [`Config`], which is all that the other crates see.

mod commented;
mod environment;
mod error;
mod keys;
mod load;
mod places;
mod schema;
mod secret;

pub use commented::commented;
pub use error::ConfigError;
pub use keys::{Key, Section, as_table, find_key, keys, sections, similar_key};
pub use load::{Origin, Override, Resolved, Sources, load};
pub use places::{REGISTRY_VARIABLE, user_cache_dir, user_config_file, user_registry_file};
pub use schema::*;
pub use secret::Secret;
