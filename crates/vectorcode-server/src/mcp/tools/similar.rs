//! `vec_similar`: the old name of a search for similar code.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::SearchMode;
use vectorcode_core::config::SearchConfig;

use super::search::{SearchOptions, find};
use super::spec::{Call, Effect, Listing, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments, SimilarTo};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::texts::similar as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_similar",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::Never,
    arguments: ArgumentSchema::of::<SimilarArguments>,
    listed: &[],
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
    find(&call, target, SearchMode::Auto, &arguments.options).await
}
