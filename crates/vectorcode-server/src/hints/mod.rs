//! Hints for the hooks of coding agents: the best locations of the project after an agent's own search or read.
//!
//! A running server listens on a socket in the directory of its index, which only the user may enter. A hook sends a request
//! there and gets at most three lines, or none. An agent must never wait for a hint, and a wrong hint costs it more than a
//! missing one. So the server gives no hint while it is busy, while the index is out of date, or if the best location is not
//! clear.

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

/// Maximum number of lines in a hint.
#[cfg(unix)]
const MAX_LINES: usize = 3;
/// A line is one location or a few paths.
#[cfg(unix)]
const MAX_LINE_CHARS: usize = 300;

/// A request for a hint: what an agent has just done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintRequest {
    /// The agent's id of its session. Nothing is repeated within a session.
    pub session: String,
    pub action: AgentAction,
    /// Whether the agent's working directory is the root, so that paths from the root are valid for it.
    pub in_root: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentAction {
    /// The agent searched for these words.
    Searched {
        words: String,
        /// What the search found, if its output is short: locations named there need no hint.
        output: Option<String>,
    },
    /// The agent read this file, relative to the root.
    Read { path: String },
}

/// Requests a hint from the project's server. `None` if none runs, if it is not sure, or if it takes longer than `limit`.
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

/// The hint comes from a socket and contains names from a project: control characters are made visible and the length is
/// limited.
#[cfg(unix)]
fn shortened(line: &str) -> String {
    vectorcode_core::visible_line(line).chars().take(MAX_LINE_CHARS).collect()
}

/// Answers hooks until the returned future is dropped, which also removes the socket. It never completes by itself.
pub(crate) async fn serve(backend: &Arc<Backend>) {
    #[cfg(unix)]
    socket::serve(&Arc::new(answers::Hints::new(backend.start_project().clone()))).await;
    // Hooks need Unix sockets, so Windows has none.
    #[cfg(not(unix))]
    let _ = backend;
    std::future::pending::<()>().await;
}
