//! `vec_similar`: code similar to a snippet, or to the code at a location.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::SearchTarget;
use vectorcode_core::config::SearchConfig;

use super::search::{SearchOptions, find};
use super::spec::{Call, Effect, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments, SimilarTo};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::schema;
use crate::mcp::texts::similar as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_similar",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments: ArgumentSchema::of::<SimilarArguments>,
    output: schema::search,
    call: |call| call.with(vec_similar),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct SimilarArguments {
    #[serde(flatten)]
    similar_to: SimilarTo,
    #[serde(flatten)]
    options: SearchOptions,
}

impl CallArguments for SimilarArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        SearchOptions::defaults(settings)
    }
}

async fn vec_similar(call: Call, arguments: SimilarArguments) -> Result<ToolAnswer, Failure> {
    let target = arguments.similar_to.target()?;
    let subject = match &target {
        SearchTarget::Location { path, line } => format!("code similar to {path}:{line}"),
        SearchTarget::Snippet(_) | SearchTarget::Query(_) => "the given snippet".to_owned(),
    };
    find(&call, target, &subject, &arguments.options).await
}
