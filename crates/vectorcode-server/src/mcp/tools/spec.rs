//! The definition of a tool, and the context of a call.

use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use tokio_util::sync::CancellationToken;
use vectorcode_core::config::SearchConfig;

use crate::access::Caller;
use crate::arguments::{ArgumentSchema, CallArguments, CheckedArguments, ListedArgument, PROJECT, REF};
use crate::backend::Backend;
use crate::failure::Failure;
use crate::mcp::answer::{AnswerFormat, ToolAnswer};
use crate::mcp::progress::ProgressReporter;
use crate::served_project::ServedProject;

/// One call of a tool.
pub(crate) struct ToolCall {
    /// The project that the call is about.
    pub(crate) project: Arc<ServedProject>,
    /// Whether the caller named the project.
    pub(crate) is_named: bool,
    /// For calls that span all projects.
    pub(crate) backend: Arc<Backend>,
    pub(crate) caller: Caller,
    pub(crate) arguments: CheckedArguments,
    pub(crate) format: AnswerFormat,
    /// Present when the caller asked for progress notifications.
    pub(crate) progress: Option<ProgressReporter>,
    /// Cancelled when the caller cancels the request.
    pub(crate) cancelled: CancellationToken,
}

type ToolFuture = Pin<Box<dyn Future<Output = Result<ToolAnswer, Failure>> + Send>>;

impl ToolCall {
    /// Waits for `work` until the caller cancels the request. Dropped work stops, see [`ServedProject::query_cancellable`].
    pub(super) async fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            done = work => done,
            () = self.cancelled.cancelled() => Err(Failure::user("The request was cancelled.", None)),
        }
    }

    /// Runs `tool` with the arguments parsed into its struct.
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
    pub(crate) listing: Listing,
    pub(crate) subject: ToolSubject,
    /// The schema of all arguments without `project`, which every tool takes, and `ref`. Defaults may come from the project's
    /// settings.
    pub(crate) arguments: fn(&SearchConfig) -> ArgumentSchema,
    /// The arguments that `tools/list` shows. The others are accepted too, and described in `docs/mcp.md`. Every session pays
    /// for what is listed, whether it is used or not.
    pub(crate) listed: &'static [ListedArgument],
    pub(crate) call: fn(ToolCall) -> ToolFuture,
}

/// What a tool changes. Clients use it to decide whether to ask their user first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing. Updates of the index in the background do not count as an effect of the call.
    ReadsOnly,
    /// May write the index.
    Writes,
    /// May delete the index, or an entry of the project's settings.
    Deletes,
}

/// What a tool is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolSubject {
    /// A project and its index.
    Project,
    /// The code of a project, on disk or of the commit that `ref` names.
    Code,
}

/// Whether `tools/list` shows a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Always,
    /// In projects that define context artifacts.
    WithArtifacts,
    /// In git repositories.
    WithRepository,
}

impl ToolSpec {
    /// The schema of all arguments.
    pub(crate) fn schema(&self, settings: &SearchConfig) -> ArgumentSchema {
        let schema = (self.arguments)(settings).with_project();
        match self.subject {
            ToolSubject::Project => schema,
            ToolSubject::Code => schema.with_ref(),
        }
    }

    /// The tool as `tools/list` shows it. It declares no output schema, see [`crate::mcp::answer`].
    pub(crate) fn definition(&self, settings: &SearchConfig) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.effect == Effect::ReadsOnly)
            .destructive(self.effect == Effect::Deletes)
            .idempotent(true)
            .open_world(false);
        let of_commit = (self.subject == ToolSubject::Code).then_some(REF);
        let common = of_commit.into_iter().chain([PROJECT]).map(|name| ListedArgument::new(name, ""));
        let listed: Vec<ListedArgument> = self.listed.iter().copied().chain(common).collect();
        let input = self.schema(settings).listed(&listed);
        Tool::new(self.name, self.description, input).with_title(self.title).with_annotations(annotations)
    }
}
