//! The tools, one file each. To add one: a file with its [`ToolSpec`], a line in [`ALL`], its sentences in
//! `texts`, and its looks in `render`.

mod context;
mod graph;
mod reindex;
mod search;
mod similar;
mod status;
mod symbols;

use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use vectorcode_core::config::SearchConfig;

use super::answer::{Answer, Failure};
use super::progress::ProgressReporter;
use crate::arguments::{Argument, Arguments, input_schema};
use crate::backend::Backend;

/// All tools, in the order in which agents see them.
pub(crate) const ALL: [&ToolSpec; 7] = [
    &search::SPEC,
    &similar::SPEC,
    &graph::SPEC,
    &symbols::SPEC,
    &context::SPEC,
    &status::SPEC,
    &reindex::SPEC,
];

/// One call of a tool.
pub(crate) struct Call {
    pub(crate) backend: Arc<Backend>,
    pub(crate) arguments: Arguments,
    /// Present when the caller wants to hear about progress.
    pub(crate) progress: Option<ProgressReporter>,
    /// Cancelled when the caller takes the call back.
    pub(crate) cancelled: CancellationToken,
}

type Outcome = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send>>;

/// Everything that there is to know about a tool.
pub(crate) struct ToolSpec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) effect: Effect,
    /// Defaults may come from the project's settings.
    pub(crate) arguments: fn(&SearchConfig) -> Vec<Argument>,
    /// The shape of [`Answer::structured`].
    pub(crate) output: fn() -> Value,
    pub(crate) call: fn(Call) -> Outcome,
}

/// What a tool does to the world, which lets clients decide what to ask their user about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    ReadsOnly,
    /// Changes the index, which can always be made again from the sources.
    ChangesIndex,
}

impl ToolSpec {
    pub(crate) fn definition(&self, arguments: &[Argument]) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::ReadsOnly)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        let tool = Tool::new(self.name, self.description, input_schema(arguments))
            .with_title(self.title)
            .with_annotations(annotations);
        match (self.output)() {
            Value::Object(output) => tool.with_raw_output_schema(Arc::new(output)),
            _ => tool,
        }
    }
}

/// The schema of an object of which `required` is always there.
pub(crate) fn output_schema(properties: Value, required: &[&str]) -> Value {
    Value::Object(JsonObject::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties),
        ("required".to_owned(), required.into()),
    ]))
}
