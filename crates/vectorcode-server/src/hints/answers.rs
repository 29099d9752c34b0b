//! Answers a hook: finds the locations, leaves out what the session was already told, and records the call.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use vectorcode_core::{lock, visible_line};
use vectorcode_engine::Use;

use super::{HintRequest, MAX_LINES, places};
use crate::budget;
use crate::served_project::ServedProject;

/// Number of hint lines to remember, so that they are not repeated.
const MAX_REMEMBERED: usize = 1024;

/// The hints of one server.
#[derive(Debug)]
pub(super) struct Hints {
    pub(super) project: Arc<ServedProject>,
    /// Hashes of session and line, oldest first.
    given: Mutex<VecDeque<u64>>,
}

impl Hints {
    pub(super) fn new(project: Arc<ServedProject>) -> Self {
        Self { project, given: Mutex::default() }
    }

    /// Returns at most three lines, or none.
    pub(super) async fn answer(&self, request: HintRequest) -> String {
        let started = Instant::now();
        let session = request.session.clone();
        let lines = self.project.try_run(move |engine| places::places(engine, &request)).await;
        let mut lines = lines.and_then(Result::ok).unwrap_or_default();
        lines.retain(|line| self.is_new(&session, line));
        let lines: Vec<String> =
            lines.iter().take(MAX_LINES).map(|line| format!("{}\n", visible_line(line))).collect();
        let text = lines.concat();
        let tokens = budget::tokens(&text);
        self.project.record_use(Use { name: "hook", took: started.elapsed(), tokens, failed: false }).await;
        text
    }

    fn is_new(&self, session: &str, line: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        (session, line).hash(&mut hasher);
        let key = hasher.finish();
        let mut given = lock(&self.given);
        if given.contains(&key) {
            return false;
        }
        if given.len() >= MAX_REMEMBERED {
            given.pop_front();
        }
        given.push_back(key);
        true
    }
}
