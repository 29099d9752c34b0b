//! What a tool consists of, and what a call of one brings along.

use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use vectorcode_core::config::SearchConfig;

use crate::arguments::{ArgumentSchema, CallArguments, CheckedArguments};
use crate::backend::Backend;
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::progress::ProgressReporter;

/// One call of a tool.
pub(crate) struct Call {
    pub(crate) backend: Arc<Backend>,
    pub(crate) arguments: CheckedArguments,
    /// Present when the caller asked for progress notifications.
    pub(crate) progress: Option<ProgressReporter>,
    /// Cancelled when the caller cancels the request.
    pub(crate) cancelled: CancellationToken,
}

type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolAnswer, Failure>> + Send>>;

impl Call {
    /// Runs `tool` with the arguments as its struct.
    pub(super) fn with<A, F>(self, tool: impl FnOnce(Self, A) -> F) -> ToolFuture
    where
        A: CallArguments,
        F: Future<Output = Result<ToolAnswer, Failure>> + Send + 'static,
    {
        match self.arguments.parse() {
            Ok(arguments) => Box::pin(tool(self, arguments)),
            Err(error) => Box::pin(std::future::ready(Err(error.into()))),
        }
    }
}

/// Everything that defines a tool.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) effect: Effect,
    /// The schema of the arguments; defaults may come from the project's settings.
    pub(crate) arguments: fn(&SearchConfig) -> ArgumentSchema,
    /// The schema of [`ToolAnswer::structured`].
    pub(crate) output: fn() -> Value,
    pub(crate) call: fn(Call) -> ToolFuture,
}

/// What a tool changes. Clients use it to decide whether to ask their user first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    ReadsOnly,
    /// Changes the index, which can always be built again from the sources.
    ChangesIndex,
}

impl ToolSpec {
    /// The tool as `tools/list` shows it.
    pub(crate) fn definition(&self, settings: &SearchConfig) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::ReadsOnly)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        let input = (self.arguments)(settings).to_object();
        let tool = Tool::new(self.name, self.description, input)
            .with_title(self.title)
            .with_annotations(annotations);
        match (self.output)() {
            Value::Object(output) => tool.with_raw_output_schema(Arc::new(output)),
            _ => tool,
        }
    }
}
