//! The list of open sessions in order of use, and the choice of which to evict when there are too many.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use rmcp::transport::streamable_http_server::session::SessionId;
use tokio_util::sync::CancellationToken;

use crate::access::CallerId;
use crate::limits::{MAX_CALLER_SESSIONS, MAX_SESSIONS};

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: SessionId,
    /// The caller that opened it.
    pub(super) caller: CallerId,
    /// Cancelled to end it.
    pub(super) ended: CancellationToken,
    /// Number of requests whose responses have not been fetched.
    pub(super) unanswered: Arc<AtomicUsize>,
}

/// The open sessions, least recently used first.
#[derive(Debug, Default)]
pub(super) struct SessionList(Vec<Session>);

impl SessionList {
    /// Adds a session and returns evicted ones: the oldest of the caller, or of the caller with the most sessions, so that
    /// nobody can evict the sessions of others by opening many.
    pub(super) fn insert(&mut self, session: Session) -> Vec<Session> {
        let mut evicted = Vec::new();
        while let Some(place) = self.place_to_free(&session.caller) {
            evicted.push(self.0.remove(place));
        }
        self.0.push(session);
        evicted
    }

    /// A session that has not ended.
    pub(super) fn find(&self, id: &str) -> Option<&Session> {
        self.0.iter().find(|session| &*session.id == id && !session.ended.is_cancelled())
    }

    /// Whether the caller owns this session. If so, it becomes the most recently used one.
    pub(super) fn touch(&mut self, id: &str, caller: &CallerId) -> bool {
        if self.find(id).is_none_or(|session| session.caller != *caller) {
            return false;
        }
        let session = self.remove(id);
        self.0.extend(session);
        true
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Session> {
        let place = self.0.iter().position(|session| &*session.id == id)?;
        Some(self.0.remove(place))
    }

    fn place_to_free(&self, caller: &CallerId) -> Option<usize> {
        let mut counts: HashMap<&CallerId, usize> = HashMap::new();
        for session in &self.0 {
            *counts.entry(&session.caller).or_default() += 1;
        }
        let loser = if counts.get(caller) >= Some(&MAX_CALLER_SESSIONS) {
            caller
        } else if self.0.len() >= MAX_SESSIONS {
            counts.into_iter().max_by_key(|(_, count)| *count)?.0
        } else {
            return None;
        };
        self.0.iter().position(|session| session.caller == *loser)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(caller: usize, number: usize) -> Session {
        Session {
            id: format!("{caller}/{number}").into(),
            caller: Some(caller.to_string().into()),
            ended: CancellationToken::new(),
            unanswered: Arc::default(),
        }
    }

    fn ids(sessions: &[Session]) -> Vec<&str> {
        sessions.iter().map(|session| &*session.id).collect()
    }

    #[test]
    fn the_session_of_a_caller_that_was_used_longest_ago_goes_first() {
        let mut list = SessionList::default();
        for number in 0..MAX_CALLER_SESSIONS {
            assert!(list.insert(session(1, number)).is_empty());
        }
        assert!(list.insert(session(2, 0)).is_empty(), "another caller has sessions of its own");
        assert!(list.touch("1/0", &Some("1".into())));
        assert!(!list.touch("1/1", &Some("2".into())) && !list.touch("1/1", &None), "not theirs");
        assert_eq!(ids(&list.insert(session(1, 1_000))), ["1/1"]);
        assert!(list.find("1/0").is_some() && list.find("1/1").is_none());
    }

    #[test]
    fn a_full_server_takes_from_the_caller_who_has_the_most() {
        let mut list = SessionList::default();
        assert!(list.insert(session(1, 0)).is_empty());
        let mut evicted = Vec::new();
        for number in 1..=MAX_SESSIONS {
            evicted.extend(list.insert(session(2 + number % 9, number)));
        }
        assert_eq!(list.0.len(), MAX_SESSIONS);
        assert!(!evicted.is_empty() && list.find("1/0").is_some());
    }
}
