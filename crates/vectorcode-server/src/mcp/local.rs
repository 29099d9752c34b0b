//! The MCP tools in this process, without a transport: benchmarks use this to get what a model would read.

use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vectorcode_engine::{Engine, Reach};

use super::answer::ToolAnswer;
use super::handler::{Requester, call_tool};
use crate::access::Caller;
use crate::backend::Backend;
use crate::budget;
use crate::error::ServerError;
use crate::runtime::runtime;

/// The MCP tools over one engine. Its index is used as it is.
pub struct LocalTools {
    runtime: Runtime,
    backend: Arc<Backend>,
}

impl LocalTools {
    pub fn new(engine: Arc<Engine>) -> Result<Self, ServerError> {
        Ok(Self { runtime: runtime()?, backend: Backend::idle(engine)? })
    }

    /// The result of a tool. An error is the text that an agent would read.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<String, String> {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => serde_json::Map::new(),
        };
        let own = Ok(self.backend.start_project().clone());
        let caller = Caller::local(Reach::Registered);
        let requester = Requester { own, caller, progress: None, cancelled: CancellationToken::new() };
        let answer = call_tool(&self.backend, tool, arguments, requester);
        match self.runtime.block_on(answer) {
            Ok(ToolAnswer::Text(text)) => Ok(text),
            Ok(ToolAnswer::Value(value)) => Ok(value.to_string()),
            Err(failure) => Err(failure.for_agents()),
        }
    }

    /// The token estimate that results are packed by.
    pub fn tokens(text: &str) -> usize {
        budget::tokens(text)
    }
}

impl std::fmt::Debug for LocalTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalTools")
            .field("engine", self.backend.start_project().engine())
            .finish_non_exhaustive()
    }
}
