//! Who makes a request, and what they may do.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use vectorcode_core::api::ProjectFilter;
use vectorcode_engine::Reach;

use super::scope::Scope;
use super::tokens::Grant;
use crate::failure::Failure;

/// The id of a token; `None` for the user of this machine.
pub(crate) type CallerId = Option<Arc<str>>;

/// The caller of one request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The id of the token, for logs and rate limits; `None` for the user of this machine, who needs none.
    token: CallerId,
    scope: Scope,
    projects: ProjectFilter,
    reach: Reach,
    /// Cancelled when the caller is no longer let in.
    ended: CancellationToken,
}

impl Caller {
    /// The user of this machine, who may do everything.
    pub(crate) fn local(reach: Reach) -> Self {
        let ended = CancellationToken::new();
        Self { token: None, scope: Scope::Admin, projects: ProjectFilter::default(), reach, ended }
    }

    /// Who started the server gave this token out: it allows everything, also directories that are not registered.
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

    /// The same caller, whose streams and sessions end with `ended`.
    pub(crate) fn until(self, ended: CancellationToken) -> Self {
        Self { ended, ..self }
    }

    /// Cancelled when the caller is no longer let in: its token was revoked or has expired.
    pub(crate) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Tells callers apart.
    pub(crate) fn id(&self) -> CallerId {
        self.token.clone()
    }

    pub(crate) fn token_id(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The projects that may be named, listed and searched.
    pub(crate) fn projects(&self) -> &ProjectFilter {
        &self.projects
    }

    /// Which directories may be named as a project.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    pub(crate) fn require(&self, needed: Scope) -> Result<(), Failure> {
        if self.scope >= needed {
            return Ok(());
        }
        let message = format!("This needs a token with the scope {needed}; yours has {}.", self.scope);
        Err(Failure::forbidden(message, "`vectorcode token create --scope` makes one, on the server."))
    }

    /// The caller may not see the project that is meant where none is named.
    pub(crate) fn must_name_project() -> Failure {
        Failure::forbidden(
            "Your token does not include the project that this server was started for.",
            "Name one as `project`; GET /api/v1/projects and `vec_status` with action \"projects\" list yours.",
        )
    }
}
