//! How often a project's tools and commands are used, how long they take, and how long their answers are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The recorded usage of one project on this machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsageResponse {
    /// Time of the oldest recorded call, ISO 8601. Old calls are dropped when the record is full.
    pub since: Option<String>,
    /// Most used first.
    pub tools: Vec<ToolUsage>,
}

/// Usage of one tool or command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolUsage {
    /// `vec_search` (an MCP tool), `search` (a command), or `hook` (a hook of a coding agent).
    pub name: String,
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Median time of a call.
    pub p50_ms: f64,
    /// 95th percentile of the time of a call.
    pub p95_ms: f64,
    /// Estimated number of tokens of all answers. Commands are not counted, because their output goes to a terminal.
    pub tokens: u64,
}
