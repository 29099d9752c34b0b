//! `vec_similar`: code like a snippet, or like the code at a place.

use vectorcode_core::api::SearchTarget;
use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec, search};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::search as page;
use crate::mcp::texts::similar as texts;
use crate::searching;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_similar",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: page::schema,
    call: |call| Box::pin(similar(call)),
};

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = searching::likeness();
    arguments.extend(search::filters(config));
    arguments
}

async fn similar(call: Call) -> Result<Answer, Failure> {
    let target = searching::similar_target(&call.arguments)?;
    let subject = match &target {
        SearchTarget::Location { path, line } => format!("code like {path}:{line}"),
        SearchTarget::Snippet(_) | SearchTarget::Query(_) => "the given snippet".to_owned(),
    };
    search::answer(&call, target, &subject).await
}
