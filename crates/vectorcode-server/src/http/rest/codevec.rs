//! The two routes of codevec, under its names, for tools that were written for it.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use vectorcode_core::api::{Hit, IndexRequest, SearchTarget};
use vectorcode_core::config::SearchConfig;

use super::index::{self, IndexRun};
use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::arguments::Argument;
use crate::failure::Failure;
use crate::http::problem::Problem;
use crate::mcp::texts::search as texts;
use crate::searching;

pub(super) const QUERY: Operation = Operation {
    input: Input::Query,
    path: "/query",
    id: "codevecQuery",
    summary: "Search as codevec serves it.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<CodevecAnswer>)],
    refusals: &[],
    arguments: query_arguments,
    patience: Patience::Usual,
    call: |call| Box::pin(query(call)),
};

pub(super) const INDEX: Operation = Operation {
    input: Input::Webhook,
    path: "/index",
    id: "codevecIndex",
    summary: "Brings the index up to date, as codevec serves it: a webhook, whose body is not read.",
    answers: &[Answer::accepted(SchemaGenerator::subschema_for::<IndexRun>)],
    refusals: &[409],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| {
        Box::pin(async move {
            index::begin(&call.backend, IndexRequest::default())?;
            index::running()
        })
    },
};

const EXT: &str = "Only files with this extension, for example \".go\".";
const FILE: &str = "Only files below this path prefix, or matching this glob.";

fn query_arguments(config: &SearchConfig) -> Vec<Argument> {
    let mut arguments = vec![Argument::text("q", texts::QUERY).required()];
    arguments.extend(searching::bounds(config));
    arguments.extend([Argument::text("ext", EXT), Argument::text("file", FILE)]);
    arguments
}

/// A hit by the names that codevec gives its parts.
#[derive(Debug, Serialize, JsonSchema)]
struct CodevecResult {
    file: String,
    start_line: u32,
    end_line: u32,
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
    score: f32,
    content: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CodevecAnswer {
    results: Vec<CodevecResult>,
}

async fn query(call: Call) -> Result<Reply, Problem> {
    let query = call.arguments.text("q").unwrap_or_default().to_owned();
    let mut request = searching::request(&call.arguments, SearchTarget::Query(query));
    request.path = path(call.arguments.text("ext"), call.arguments.text("file"))?;
    let response = searching::search(&call.backend, request, None).await?;
    Reply::ok(&CodevecAnswer { results: response.hits.into_iter().map(CodevecResult::from).collect() })
}

fn path(extension: Option<&str>, file: Option<&str>) -> Result<Option<String>, Failure> {
    match (extension, file) {
        (None, file) => Ok(file.map(str::to_owned)),
        (Some(extension), None) => Ok(Some(format!("**/*.{}", extension.trim_start_matches('.')))),
        (Some(_), Some(_)) => {
            Err(Failure::mendable("Give either `ext` or `file`.", "A glob says both: `file=src/**/*.go`."))
        }
    }
}

impl From<Hit> for CodevecResult {
    fn from(hit: Hit) -> Self {
        Self {
            file: hit.path,
            start_line: hit.start_line,
            end_line: hit.end_line,
            kind: hit.kind,
            name: hit.symbol,
            score: hit.score,
            content: hit.content,
        }
    }
}
