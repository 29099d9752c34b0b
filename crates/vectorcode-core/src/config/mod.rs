//! The settings and their defaults. [`load`] merges the layers (user file, project file, environment, flags) into one
//! [`Config`], which is all that the other crates see. `trust` decides which settings of a project's file apply without the
//! user's approval.

mod approvals;
mod commented;
mod environment;
mod error;
mod keys;
mod load;
mod places;
mod schema;
mod secret;
mod trust;

pub use approvals::{Approval, Approvals, TrustedRoot};
pub use commented::{SettingsScope, commented, is_common};
pub use environment::variables_of;
pub use error::ConfigError;
pub use keys::{Key, Section, as_table, find_key, keys, sections, similar_key};
pub use load::{Origin, Override, ProjectTrust, Resolved, Sources, load};
pub use places::{
    REGISTRY_VARIABLE, user_cache_dir, user_config_file, user_registry_file, user_repositories_dir,
    user_repositories_file, user_tokens_file, user_trust_file,
};
pub use schema::*;
pub use secret::{Secret, shown_value, without_password};
pub use trust::{Risk, SensitiveSetting, SensitiveSettings};
