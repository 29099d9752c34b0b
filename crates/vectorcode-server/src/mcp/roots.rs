//! Chooses the default project of a session: the one that the client works in according to its MCP `roots`, otherwise the one
//! that the server was started for.
//!
//! Desktop programs start servers in the home directory, and editors start one server for several windows. Their roots name the
//! project, which the start directory does not.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::{Peer, RoleServer};
use tokio::sync::Mutex;
use vectorcode_core::canonical;

use crate::access::Caller;
use crate::backend::Backend;
use crate::failure::Failure;
use crate::served_project::ServedProject;

/// A client that declares roots responds at once. If it does not, it is treated as if it had none.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// The project of calls that name none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultProject {
    /// The one that the server was started for, because the user named it.
    Fixed,
    /// The one that the client's roots name, if there are any.
    OfClient,
}

/// The roots of one client, and the project chosen from them.
#[derive(Debug)]
pub(super) struct ClientRoots {
    rule: DefaultProject,
    /// `None` until the roots have been requested. Locked during the request, so that concurrent calls of a session send only
    /// one.
    chosen: Mutex<Option<Choice>>,
}

#[derive(Clone, Debug)]
enum Choice {
    /// The project that the server was started for.
    Start,
    /// The project with this root. It is opened again if it was closed in the meantime.
    Root(String),
}

impl ClientRoots {
    pub(super) fn new(rule: DefaultProject) -> Self {
        Self { rule, chosen: Mutex::new(None) }
    }

    /// Called when the client's roots have changed.
    pub(super) async fn forget(&self) {
        *self.chosen.lock().await = None;
    }

    /// The default project. Fails if it cannot be opened, because another project would give wrong results.
    pub(super) async fn project(
        &self,
        backend: &Backend,
        peer: &Peer<RoleServer>,
        caller: &Caller,
    ) -> Result<Arc<ServedProject>, Failure> {
        match self.choice(backend, peer, caller).await {
            Choice::Start => backend.start_project_for(caller).await,
            Choice::Root(root) => backend.project(&root, backend.start_project(), caller).await,
        }
    }

    async fn choice(&self, backend: &Backend, peer: &Peer<RoleServer>, caller: &Caller) -> Choice {
        let mut chosen = self.chosen.lock().await;
        if let Some(choice) = &*chosen {
            return choice.clone();
        }
        let choice = match self.rule {
            DefaultProject::Fixed => Choice::Start,
            DefaultProject::OfClient => choose(backend, &ask(peer).await, caller).await,
        };
        *chosen = Some(choice.clone());
        choice
    }
}

/// Requests the client's roots; empty if it does not support them.
#[expect(deprecated, reason = "later revisions of the protocol drop roots; today's clients have them")]
async fn ask(peer: &Peer<RoleServer>) -> Vec<PathBuf> {
    if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
        return Vec::new();
    }
    let asked = tokio::time::timeout(ROOTS_TIMEOUT, peer.list_roots()).await;
    match asked {
        Ok(Ok(listed)) => listed.roots.iter().filter_map(|root| file_of(&root.uri)).collect(),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the client did not tell its roots");
            Vec::new()
        }
        Err(_) => {
            tracing::debug!("the client did not tell its roots in time");
            Vec::new()
        }
    }
}

/// The project of the start directory if one of the roots contains it, otherwise that of the first root that can be a project.
async fn choose(backend: &Backend, roots: &[PathBuf], caller: &Caller) -> Choice {
    let start = backend.start_project();
    let is_around_start = |root: &PathBuf| canonical(root).is_ok_and(|root| start.root().starts_with(root));
    if start.engine().project().check_root().is_ok() && roots.iter().any(is_around_start) {
        return Choice::Start;
    }
    for root in roots.iter().filter_map(|root| root.to_str()) {
        match backend.locate(root, start, caller).await {
            Ok(project) if project.root() == start.root() => return Choice::Start,
            Ok(project) => return Choice::Root(project.root().display().to_string()),
            Err(failure) => tracing::warn!(message = failure.message, "a root of the client is not served"),
        }
    }
    Choice::Start
}

/// The path of a `file:` URI of this machine.
fn file_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = decoded(path)?;
    // `file:///C:/code`
    let has_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    let path = PathBuf::from(if has_drive { &path[1..] } else { &path });
    path.is_absolute().then_some(path)
}

/// Decodes percent escapes such as `%20`.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let code = others.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &others[2..] } else { others };
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn roots_are_file_uris() {
        let path = |uri: &str| file_of(uri).map(|path| path.display().to_string());
        assert_eq!(path("file:///home/ada/my%20code").as_deref(), Some("/home/ada/my code"));
        assert_eq!(path("file://localhost/srv/a%2").as_deref(), Some("/srv/a%2"));
        assert_eq!(path("https://example.com/x"), None);
        assert_eq!(path("file://host/share"), None);
        assert_eq!(path("file:///a%00b"), None);
    }
}
