//! `vec_status`: how the index is.

use std::path::Path;

use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::{Call, Effect, ToolSpec};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::status as page;
use crate::mcp::texts::status as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_status",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments: |_: &SearchConfig| vec![Argument::text("projectPath", texts::PROJECT_PATH)],
    output: page::schema,
    call: |call| Box::pin(status(call)),
};

async fn status(call: Call) -> Result<Answer, Failure> {
    let backend = &call.backend;
    if let Some(path) = call.arguments.text("projectPath") {
        backend.engine().project().relative(Path::new(path))?;
    }
    let activity = backend.engine().activity();
    let reindex = backend.reindexer().last().map(|job| job.state());
    match backend.run(Engine::status).await? {
        Ok(status) => Ok(page::render(&status, reindex.as_ref())),
        Err(_) if backend.is_making_first_index() => {
            Ok(page::without_index(&backend.engine().project().root().display().to_string(), &activity))
        }
        Err(error) => Err(error.into()),
    }
}
