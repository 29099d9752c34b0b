//! The caller of a request, and what it may do.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use vectorcode_core::api::ProjectFilter;
use vectorcode_engine::Reach;

use super::scope::Scope;
use super::tokens::Grant;
use crate::failure::Failure;

/// The id of a token; `None` for the local user.
pub(crate) type CallerId = Option<Arc<str>>;

/// The caller of one request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The id of the token, for logs and rate limits; `None` for the local user, who needs no token.
    token: CallerId,
    scope: Scope,
    projects: ProjectFilter,
    reach: Reach,
    /// Cancelled when the caller loses access.
    ended: CancellationToken,
}

impl Caller {
    /// The local user, who may do everything.
    pub(crate) fn local(reach: Reach) -> Self {
        let ended = CancellationToken::new();
        Self { token: None, scope: Scope::Admin, projects: ProjectFilter::default(), reach, ended }
    }

    /// The token in the server's environment, set by whoever started it. It allows everything, even directories that are not
    /// registered.
    pub(crate) fn of_environment() -> Self {
        Self { token: Some("environment".into()), ..Self::local(Reach::AnyDirectory) }
    }

    pub(crate) fn with(grant: &Grant) -> Self {
        let is_administrator = grant.scope == Scope::Admin && grant.projects.is_all();
        Self {
            token: Some(grant.id.as_str().into()),
            scope: grant.scope,
            projects: grant.projects.clone(),
            reach: if is_administrator { Reach::AnyDirectory } else { Reach::Registered },
            ended: CancellationToken::new(),
        }
    }

    /// The same caller, but its streams and sessions end with `ended`.
    pub(crate) fn until(self, ended: CancellationToken) -> Self {
        Self { ended, ..self }
    }

    /// Cancelled when the caller loses access because its token was revoked or has expired.
    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// The key that tells callers apart.
    pub(crate) fn id(&self) -> CallerId {
        self.token.clone()
    }

    pub(crate) fn token_id(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The projects that the caller may name, list and search.
    pub(crate) fn projects(&self) -> &ProjectFilter {
        &self.projects
    }

    /// Which directories the caller may name as a project.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    pub(crate) fn require(&self, needed: Scope) -> Result<(), Failure> {
        if self.scope >= needed {
            return Ok(());
        }
        let message = format!("This needs a token with the scope {needed}; yours has {}.", self.scope);
        Err(Failure::forbidden(message, "Create one on the server with `vectorcode token create --scope`."))
    }

    /// The error for a call without `project` by a caller that may not see the default project.
    pub(crate) fn must_name_project() -> Failure {
        Failure::forbidden(
            "Your token does not include the project that this server was started for.",
            "Name one as `project`; GET /api/v1/projects and `vec_status` with action \"projects\" list yours.",
        )
    }
}
