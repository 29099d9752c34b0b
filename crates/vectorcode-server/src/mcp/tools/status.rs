//! `vec_status`: the state of the index, and updating it by hand.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::IndexRequest;
use vectorcode_core::choices;
use vectorcode_engine::Engine;

use super::reindex::{self, DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS};
use super::spec::{Call, Effect, Listing, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::status as render;
use crate::mcp::texts::status as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_status",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::Always,
    arguments: ArgumentSchema::of::<StatusArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_status),
};

choices! {
    /// What to do with the index.
    #[derive(Default)]
    pub enum StatusAction: "action" {
        #[default]
        Show = "show", "Show its state";
        Reindex = "reindex", "Bring it up to date now";
        Rebuild = "rebuild", "Build it again from nothing";
        Cancel = "cancel", "Stop a reindex or rebuild";
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StatusArguments {
    /// What to do with the index.
    #[serde(default)]
    action: StatusAction,
    /// For "reindex": only this file or directory.
    path: Option<PathBuf>,
    /// Seconds to wait for a reindex to finish before it continues in the background.
    #[schemars(range(min = 0, max = MAX_WAIT_SECONDS))]
    wait: Option<u64>,
    /// A path inside the project that this server was started for. It serves no other project; omit it.
    project_path: Option<String>,
}

impl CallArguments for StatusArguments {}

async fn vec_status(call: Call, arguments: StatusArguments) -> Result<ToolAnswer, Failure> {
    let StatusArguments { action, path, wait, project_path } = arguments;
    let project = call.backend.engine().project();
    for path in path.iter().map(PathBuf::as_path).chain(project_path.as_deref().map(Path::new)) {
        project.relative(path)?;
    }
    let request = match action {
        StatusAction::Show => return show(&call).await,
        StatusAction::Cancel => return Ok(reindex::cancel(&call)),
        StatusAction::Reindex => {
            IndexRequest { paths: path.into_iter().collect(), ..IndexRequest::default() }
        }
        StatusAction::Rebuild => IndexRequest { full: true, ..IndexRequest::default() },
    };
    reindex::run(call, request, Duration::from_secs(wait.unwrap_or(DEFAULT_WAIT_SECONDS))).await
}

async fn show(call: &Call) -> Result<ToolAnswer, Failure> {
    let backend = &call.backend;
    let activity = backend.engine().activity();
    let reindex = backend.reindexer().last().map(|job| job.state());
    let rendered = match backend.run(Engine::status).await {
        Ok(status) => render::render(&status, reindex.as_ref()),
        Err(_) if backend.is_building_first_index() => {
            render::without_index(&backend.engine().project().root().display().to_string(), &activity)
        }
        Err(failure) => return Err(failure),
    };
    Ok(rendered.answer(call.format))
}
