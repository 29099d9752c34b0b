//! Hints for the hooks of coding agents: after an agent's own search or read, the best places of the project.
//!
//! A running server listens on a socket in the directory of its index, which nobody but the user may enter. A hook asks there
//! and gets at most three lines, or none. An agent must never wait for a hint, and a wrong hint costs it more than a missing
//! one: so nothing is said while the server is busy or has not caught up, or when the best place is not clear.

#[cfg(unix)]
mod answers;
#[cfg(unix)]
mod places;
#[cfg(unix)]
mod socket;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vectorcode_engine::Project;

use crate::backend::Backend;

/// Lines of a hint, at most.
#[cfg(unix)]
const MAX_LINES: usize = 3;
/// A line is a place or a list of few paths.
#[cfg(unix)]
const MAX_LINE_CHARS: usize = 300;

/// What an agent has just done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintRequest {
    /// The agent's own name of its session. A session is not told the same twice.
    pub session: String,
    pub action: AgentAction,
    /// Whether the agent works in the root, so that paths from there are its own.
    pub in_root: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentAction {
    /// It searched for these words.
    Searched {
        words: String,
        /// What it found, if that was little: places that are named there need no hint.
        output: Option<String>,
    },
    /// It read this file, relative to the root.
    Read { path: String },
}

/// Asks the server of a project, if one runs. `None` without one, when it is not sure, or when it takes longer than `limit`.
pub fn hint(project: &Project, request: &HintRequest, limit: Duration) -> Option<String> {
    #[cfg(unix)]
    {
        let lines: Vec<String> = socket::ask(project, request, limit)?.lines().map(shortened).collect();
        (1..=MAX_LINES).contains(&lines.len()).then(|| lines.join("\n"))
    }
    #[cfg(not(unix))]
    {
        let _ = (project, request, limit);
        None
    }
}

/// The answer comes from a socket, and what it names from a project: neither may bring control characters or long texts.
#[cfg(unix)]
fn shortened(line: &str) -> String {
    vectorcode_core::visible_line(line).chars().take(MAX_LINE_CHARS).collect()
}

/// Answers hooks until the returned future is dropped, and removes the socket then. It never ends by itself.
pub(crate) async fn serve(backend: &Arc<Backend>) {
    #[cfg(unix)]
    socket::serve(&Arc::new(answers::Hints::new(backend.start_project().clone()))).await;
    // Windows has no such sockets.
    #[cfg(not(unix))]
    let _ = backend;
    std::future::pending::<()>().await;
}
