//! `vec_symbols`: definitions by name, and the outline of a file or folder.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{OutlineRequest, SymbolRequest};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::{DefinitionKind, split_patterns};

use super::shape::TokenBudget;
use super::spec::{Effect, Listing, ToolCall, ToolSpec, ToolSubject};
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::failure::Failure;
use crate::limits::MAX_RESULTS;
use crate::mcp::answer::ToolAnswer;
use crate::mcp::render::{outline, symbols as render};
use crate::mcp::texts::symbols as texts;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_symbols",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    listing: Listing::Always,
    subject: ToolSubject::Code,
    arguments: ArgumentSchema::of::<SymbolToolArguments>,
    listed: texts::ARGUMENTS,
    call: |call| call.with(vec_symbols),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct SymbolToolArguments {
    /// The bare or qualified name, or a part of it: "authenticate", "UserService.authenticate".
    name: Option<String>,
    /// With `name`: only paths with this prefix or matching this glob. Alone: the file or folder to outline.
    path: Option<String>,
    /// Only this kind of definition.
    kind: Option<DefinitionKind>,
    /// Maximum number of definitions.
    #[schemars(range(min = 1, max = MAX_RESULTS))]
    limit: usize,
    #[serde(flatten)]
    budget: TokenBudget,
}

impl CallArguments for SymbolToolArguments {
    fn defaults(settings: &SearchConfig) -> JsonObject {
        let mut defaults = TokenBudget::defaults_for_lists(settings);
        defaults.insert("limit".to_owned(), SymbolRequest::DEFAULT_LIMIT.into());
        defaults
    }
}

async fn vec_symbols(call: ToolCall, arguments: SymbolToolArguments) -> Result<ToolAnswer, Failure> {
    match (arguments.name.clone(), arguments.path.clone()) {
        (Some(name), path) => by_name(&call, name, path, arguments).await,
        (None, Some(path)) => {
            let request = OutlineRequest { path, query: None };
            let work = call.project.query(move |engine| engine.outline(&request));
            let mut response = call.unless_cancelled(work).await?;
            response.add_notes(call.arguments.notes());
            Ok(outline::render(&response, arguments.budget.max_tokens).answer(call.format))
        }
        (None, None) => Err(Failure::user(
            "Give `name` or `path`.",
            "`name` finds definitions; `path` alone outlines a file or folder, \".\" the whole project.",
        )),
    }
}

async fn by_name(
    call: &ToolCall,
    name: String,
    path: Option<String>,
    arguments: SymbolToolArguments,
) -> Result<ToolAnswer, Failure> {
    let SymbolToolArguments { kind, limit, budget, .. } = arguments;
    let kinds = kind.into_iter().collect();
    let paths = path.as_deref().map(split_patterns).unwrap_or_default();
    let request = SymbolRequest { name, kinds, paths, limit };
    let asked = request.clone();
    let work = call.project.query(move |engine| engine.symbols(&asked));
    let mut response = call.unless_cancelled(work).await?;
    response.notes.extend(call.arguments.notes());
    Ok(render::render(&request, response, budget.max_tokens).answer(call.format))
}
