//! `vec_symbols`: definitions by name.

use vectorcode_core::config::SearchConfig;

use super::{Call, Effect, ToolSpec, search};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::symbols as page;
use crate::mcp::texts::symbols as texts;
use crate::structure;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_symbols",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ReadsOnly,
    arguments,
    output: page::schema,
    call: |call| Box::pin(symbols(call)),
};

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = structure::symbol_arguments();
    arguments.push(search::max_tokens(config));
    arguments
}

async fn symbols(call: Call) -> Result<Answer, Failure> {
    let request = structure::symbol_request(&call.arguments);
    let name = request.name.clone();
    let project = call.arguments.text("project").map(str::to_owned);
    let mut response = structure::ask(&call.backend, call.arguments.text("project"), move |engine| {
        let mut response = engine.symbols(&request)?;
        response.notes.extend(structure::whereabouts(engine, project.as_deref()));
        Ok(response)
    })
    .await?;
    response.notes.extend(call.arguments.note_on_unknown());
    let max_tokens = call.arguments.count("max_tokens").unwrap_or_default();
    Ok(page::render(&name, response, max_tokens))
}
