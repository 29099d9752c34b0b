//! `vec_status`: the state of the index.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_engine::Engine;

use super::spec::{Call, Effect, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::status as render;
use crate::mcp::schema;
use crate::mcp::texts::status as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_status",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments: ArgumentSchema::of::<StatusArguments>,
    output: schema::status,
    call: |call| call.with(vec_status),
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StatusArguments {
    /// A path inside the project that this server was started for. It serves no other project; omit it.
    project_path: Option<String>,
}

impl CallArguments for StatusArguments {}

async fn vec_status(call: Call, arguments: StatusArguments) -> Result<ToolAnswer, Failure> {
    let backend = &call.backend;
    if let Some(path) = arguments.project_path {
        backend.engine().project().relative(Path::new(&path))?;
    }
    let activity = backend.engine().activity();
    let reindex = backend.reindexer().last().map(|job| job.state());
    match backend.run(Engine::status).await {
        Ok(status) => Ok(render::render(&status, reindex.as_ref())),
        Err(_) if backend.is_building_first_index() => {
            Ok(render::without_index(&backend.engine().project().root().display().to_string(), &activity))
        }
        Err(failure) => Err(failure),
    }
}
