//! Manages MCP sessions over HTTP: their owners, their number, and how much is kept for each.
//!
//! `rmcp` runs the sessions, but keeps everything that a client sends about itself, knows no callers and has no limits; this
//! wrapper adds all three. For callers that may not use a session, it does not exist.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::http::request::Parts;
use futures_util::{Stream, StreamExt};
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientRequest, GetExtensions, Implementation,
    InitializeRequestParams, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use vectorcode_core::lock;

use super::session_list::{Session, SessionList};
use crate::access::{Caller, CallerId};
use crate::limits::MAX_SESSION_STREAMS;

/// Maximum length of the client's name and version, which are only logged.
const MAX_NAME_CHARS: usize = 200;
/// Maximum number of requests of one session whose responses have not been fetched. `rmcp` keeps about 4 KB for each.
const MAX_UNANSWERED: usize = 64;
/// How long an idle session is kept. A client whose session has ended opens a new one.
const IDLE_LIFE: Duration = Duration::from_mins(15);

/// All sessions of a server.
#[derive(Debug)]
pub(crate) struct Sessions {
    inner: Arc<LocalSessionManager>,
    open: Arc<Mutex<SessionList>>,
    stream_slots: Arc<Semaphore>,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(IDLE_LIFE);
        let stream_slots = Arc::new(Semaphore::new(MAX_SESSION_STREAMS));
        Self { inner: Arc::new(inner), open: Arc::default(), stream_slots }
    }

    /// One permit for each stream that stays open as long as its session.
    pub(crate) fn stream_slots(&self) -> &Arc<Semaphore> {
        &self.stream_slots
    }

    /// Whether the caller opened this session. If so, it is marked as used.
    pub(crate) fn is_of(&self, id: &str, caller: &Caller) -> bool {
        self.list().touch(id, &caller.id())
    }

    /// Adds a session of this caller, and closes sessions beyond the limits.
    fn register(&self, id: &SessionId, caller: CallerId, ended: CancellationToken) {
        let session = Session { id: id.clone(), caller, ended: ended.clone(), unanswered: Arc::default() };
        let evicted = self.list().insert(session);
        for session in evicted {
            tracing::debug!(session = %session.id, "the session that was used longest ago is closed");
            session.ended.cancel();
        }
        let (inner, open, id) = (self.inner.clone(), self.open.clone(), id.clone());
        tokio::spawn(async move {
            ended.cancelled().await;
            lock(&open).remove(&id);
            close(&inner, &id).await;
        });
    }

    fn list(&self) -> MutexGuard<'_, SessionList> {
        lock(&self.open)
    }

    /// Increments and returns the session's counter of unanswered requests. A session with too many of them is closed.
    fn count_request(&self, id: &SessionId) -> Result<Arc<AtomicUsize>, LocalSessionManagerError> {
        let open = self.list();
        let session = open.find(id).ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))?;
        if session.unanswered.fetch_add(1, Ordering::Relaxed) < MAX_UNANSWERED {
            return Ok(session.unanswered.clone());
        }
        tracing::warn!(session = %id, "a session with too many unanswered requests is closed");
        session.ended.cancel();
        Err(LocalSessionManagerError::SessionNotFound(id.clone()))
    }
}

async fn close(inner: &LocalSessionManager, id: &SessionId) {
    if let Err(error) = inner.close_session(id).await {
        tracing::debug!(%error, "a session did not close");
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.inner.create_session().await
    }

    /// The first message identifies the caller. Nobody else knows the session id before the response.
    async fn initialize_session(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let caller = caller_of(&message).cloned();
        let Some(caller) = caller else {
            // Cannot happen, since `http::guard` sets the caller of every request.
            close(&self.inner, id).await;
            return Err(LocalSessionManagerError::SessionNotFound(id.clone()));
        };
        strip_client_info(&mut message);
        self.register(id, caller.id(), caller.ended().child_token());
        let answered = self.inner.initialize_session(id, message).await;
        if answered.is_err() {
            self.close_session(id).await?;
        }
        answered
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.list().find(id).is_some())
    }

    /// Also called by `rmcp` when a session has been idle for too long.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let session = self.list().remove(id);
        if let Some(session) = session {
            session.ended.cancel();
        }
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let unanswered = self.count_request(id)?;
        let stream = self.inner.create_stream(id, message).await?;
        Ok(stream.inspect(move |event| {
            if is_answer(event) {
                unanswered.fetch_sub(1, Ordering::Relaxed);
            }
        }))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.resume(id, last_event_id).await
    }
}

fn caller_of(message: &ClientJsonRpcMessage) -> Option<&Caller> {
    let JsonRpcMessage::Request(request) = message else { return None };
    request.request.extensions().get::<Parts>()?.extensions.get::<Caller>()
}

fn is_answer(event: &ServerSseMessage) -> bool {
    let message = event.message.as_deref();
    message.is_some_and(|message| matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)))
}

/// Removes what the server does not need from the client's description of itself. It uses the roots and logs the name; the rest
/// may have any size and would be kept as long as the session.
fn strip_client_info(message: &mut ClientJsonRpcMessage) {
    let JsonRpcMessage::Request(request) = message else { return };
    let ClientRequest::InitializeRequest(initialize) = &mut request.request else { return };
    let said = &initialize.params;
    let client = Implementation::new(shortened(&said.client_info.name), shortened(&said.client_info.version));
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots.clone_from(&said.capabilities.roots);
    let version = said.protocol_version.clone();
    initialize.params = InitializeRequestParams::new(capabilities, client).with_protocol_version(version);
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_session_with_too_many_unanswered_requests_is_closed() {
        let sessions = Sessions::new();
        let (id, _transport) = sessions.create_session().await.unwrap();
        sessions.register(&id, None, CancellationToken::new());
        for _ in 0..MAX_UNANSWERED {
            sessions.count_request(&id).unwrap();
        }
        assert!(sessions.has_session(&id).await.unwrap());
        assert!(sessions.count_request(&id).is_err());
        assert!(!sessions.has_session(&id).await.unwrap());
    }
}
