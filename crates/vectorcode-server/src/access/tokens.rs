//! The interface of a token store, as the server needs it.

use std::collections::HashSet;
use std::fmt::Debug;

use vectorcode_core::api::ProjectFilter;

use super::scope::Scope;
use crate::error::ServerError;

/// What the owner of a token may do.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Identifies the token in logs; not secret.
    pub id: String,
    pub scope: Scope,
    pub projects: ProjectFilter,
    /// A limit for this token, instead of `server.requests_per_minute`.
    pub requests_per_minute: Option<u32>,
}

/// The access tokens of a server. Creating or revoking a token takes effect at the next call.
pub trait AccessTokens: Send + Sync + Debug {
    /// Whether tokens are in use. Still true when all have been revoked: that must not open the server to everybody.
    fn are_used(&self) -> Result<bool, ServerError>;

    /// What a token grants, if it is valid now.
    fn find(&self, token: &str) -> Result<Option<Grant>, ServerError>;

    /// The ids of all tokens that are valid now.
    fn valid_ids(&self) -> Result<HashSet<String>, ServerError>;
}
