//! `vec_context`: the documents that a project names.

use std::time::Duration;

use vectorcode_core::api::{ContextAction, SearchTarget};
use vectorcode_core::config::SearchConfig;
use vectorcode_engine::Engine;

use super::{Call, Effect, ToolSpec, reindex, search};
use crate::arguments::Argument;
use crate::mcp::answer::{Answer, Failure};
use crate::mcp::render::context as page;
use crate::mcp::texts::context as texts;
use crate::searching;

pub(crate) const SPEC: ToolSpec = ToolSpec {
    name: "vec_context",
    title: texts::TITLE,
    description: texts::DESCRIPTION,
    effect: Effect::ChangesIndex,
    arguments,
    output: page::schema,
    call: |call| Box::pin(context(call)),
};

/// How long a call waits for indexing before that goes on in the background.
const INDEX_WAIT: Duration = Duration::from_secs(10);

fn arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = vec![
        Argument::choice("action", texts::ACTION, &ContextAction::WORDS).required(),
        Argument::text("query", texts::QUERY),
        Argument::text("artifact", texts::ARTIFACT),
    ];
    arguments.extend(searching::bounds(config));
    arguments.extend(search::paging(config));
    arguments
}

async fn context(call: Call) -> Result<Answer, Failure> {
    let artifact = call.arguments.text("artifact").map(str::to_owned);
    match call.arguments.choice("action") {
        ContextAction::Search => find(&call, artifact).await,
        ContextAction::Index => {
            let request =
                call.backend.run(move |engine| engine.context_request(artifact.as_deref())).await??;
            reindex::run(call, request, INDEX_WAIT).await
        }
        ContextAction::Remove => remove(call, artifact).await,
        ContextAction::List => Ok(page::list(&call.backend.run(Engine::artifacts).await??)),
    }
}

async fn find(call: &Call, artifact: Option<String>) -> Result<Answer, Failure> {
    let Some(query) = call.arguments.text("query") else {
        return Err(Failure::mendable(
            "The argument `query` is missing.",
            "Say what the document says, in a few words.",
        ));
    };
    let subject = format!("\"{query}\"");
    let request = search::request(call, SearchTarget::Query(query.to_owned()))?;
    let response = searching::search_context(&call.backend, request.clone(), artifact).await?;
    Ok(search::page(call, &request, &subject, response))
}

async fn remove(call: Call, artifact: Option<String>) -> Result<Answer, Failure> {
    let Some(name) = artifact else {
        return Err(Failure::mendable(
            "The argument `artifact` is missing.",
            "Name the artifact to be removed.",
        ));
    };
    let request = call.backend.run(move |engine| engine.remove_artifact(&name)).await??;
    reindex::run(call, request, INDEX_WAIT).await
}
