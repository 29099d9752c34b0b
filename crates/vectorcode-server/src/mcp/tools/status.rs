//! `vec_status`: the state of the index, whether it is watched, and the user's projects.

use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::choices;

use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::{projects, status as render};
use crate::mcp::texts::status as texts;
use crate::served_project::ProjectStatus;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_status",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::Deletes,
    listing: Listing::Always,
    subject: ToolSubject::Project,
    arguments: ArgumentSchema::of::<StatusArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_status),
};

choices! {
    /// What to do.
    #[derive(Default)]
    pub enum StatusAction: "action" {
        #[default]
        Show = "show", "Show the state of the index";
        Projects = "projects", "List all projects";
        Watch = "watch", "Watch the project for changes";
        Unwatch = "unwatch", "Stop watching";
        Remove = "remove", "Delete the index";
    }
}

impl StatusAction {
    /// The scope that the caller's token needs.
    fn scope(self) -> Scope {
        match self {
            Self::Show | Self::Projects => Scope::Read,
            Self::Watch | Self::Unwatch => Scope::Index,
            Self::Remove => Scope::Admin,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct StatusArguments {
    /// What to do.
    #[serde(default)]
    action: StatusAction,
}

impl CallArguments for StatusArguments {}

async fn vec_status(
    call: ToolCall,
    StatusArguments { action }: StatusArguments,
) -> Result<ToolAnswer, Failure> {
    call.caller.require(action.scope())?;
    match action {
        StatusAction::Show => show(&call).await,
        StatusAction::Projects => {
            Ok(projects::list(&call.backend.list(&call.project, &call.caller).await?).answer(call.format))
        }
        StatusAction::Watch | StatusAction::Unwatch => watch(&call, action).await,
        StatusAction::Remove => remove(call).await,
    }
}

async fn show(call: &ToolCall) -> Result<ToolAnswer, Failure> {
    let project = &call.project;
    let reindex = project.last_run().map(|job| job.state());
    let ProjectStatus { index, activity } = project.status().await?;
    let rendered = match index {
        Some(status) => render::render(&status, reindex.as_ref()),
        None => render::without_index(&project.root().display().to_string(), &activity),
    };
    Ok(rendered.answer(call.format))
}

async fn watch(call: &ToolCall, action: StatusAction) -> Result<ToolAnswer, Failure> {
    let is_watching = action == StatusAction::Watch;
    if is_watching {
        call.project.watch()?;
    } else {
        call.project.unwatch().await?;
    }
    Ok(projects::watching(&call.project.root().display().to_string(), is_watching).answer(call.format))
}

async fn remove(call: ToolCall) -> Result<ToolAnswer, Failure> {
    let root = call.backend.remove(call.project, call.is_named).await?;
    Ok(projects::removed(&root).answer(call.format))
}
