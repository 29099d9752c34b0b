//! `vec_symbols`: definitions by name.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::paging::TokenBudget;
use super::spec::{Call, Effect, ToolSpec};
use crate::arguments::{ArgumentSchema, CallArguments, SymbolArguments};
use crate::failure::Failure;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::{root_note, symbols as render};
use crate::mcp::schema;
use crate::mcp::texts::symbols as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_symbols",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments: ArgumentSchema::of::<SymbolToolArguments>,
    output: schema::symbols,
    call: |call| call.with(vec_symbols),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct SymbolToolArguments {
    #[serde(flatten)]
    symbol: SymbolArguments,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for SymbolToolArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = SymbolArguments::defaults(settings);
        defaults.extend(TokenBudget::defaults(settings));
        defaults
    }
}

async fn vec_symbols(call: Call, arguments: SymbolToolArguments) -> Result<ToolAnswer, Failure> {
    let SymbolToolArguments { symbol, budget } = arguments;
    let request = symbol.request();
    let name = request.name.clone();
    let is_other_project = symbol.project.is_some();
    let ask = move |engine: &Engine| {
        let mut response = engine.symbols(&request)?;
        response.notes.extend(is_other_project.then(|| root_note(engine)));
        Ok(response)
    };
    let mut response = call.backend.ask(symbol.project, ask).await?;
    response.notes.extend(call.arguments.unknown_note());
    Ok(render::render(&name, response, budget.max_tokens))
}
