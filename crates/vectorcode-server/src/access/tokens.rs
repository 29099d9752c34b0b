//! What a server asks of whoever gives out access tokens.

use std::collections::HashSet;
use std::fmt::Debug;

use vectorcode_core::api::ProjectFilter;

use super::scope::Scope;
use crate::error::ServerError;

/// What the owner of a token may do.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Names the token in logs; no secret.
    pub id: String,
    pub scope: Scope,
    pub projects: ProjectFilter,
    /// A limit of its own in place of `server.requests_per_minute`.
    pub requests_per_minute: Option<u32>,
}

/// The access tokens of a server. A token that was just made or revoked counts from the next call on.
pub trait AccessTokens: Send + Sync + Debug {
    /// Whether tokens are in use. Also true once all have been revoked: that must not open the server to everybody.
    fn are_used(&self) -> Result<bool, ServerError>;

    /// What a token grants, if it is valid now.
    fn find(&self, token: &str) -> Result<Option<Grant>, ServerError>;

    /// The ids of all tokens that are valid now.
    fn valid_ids(&self) -> Result<HashSet<String>, ServerError>;
}
