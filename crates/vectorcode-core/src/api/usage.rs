//! How often a project's tools and commands are used, how long they take, and how much they answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was recorded on this machine for one project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsageResponse {
    /// When the oldest recorded call was made, ISO 8601. Older calls are dropped when the record is full.
    pub since: Option<String>,
    /// The most used first.
    pub tools: Vec<ToolUsage>,
}

/// The calls of one tool or command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolUsage {
    /// `vec_search`, a tool of MCP; `search`, a command; `hook`, a hook of a coding agent.
    pub name: String,
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// The time of half of the calls was at most this.
    pub p50_ms: f64,
    /// And of 95 of 100.
    pub p95_ms: f64,
    /// Of all answers together, estimated. Commands are not counted: their output goes to a terminal.
    pub tokens: u64,
}
