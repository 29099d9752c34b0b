//! `file`: the source of an indexed file.

use std::path::Path;
use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use vectorcode_core::api::FileRequest;
use vectorcode_engine::Engine;

use super::markup::{MarkedFile, MarkupOption};
use super::operation::{Input, Operation, OperationSubject, Reply, SuccessResponse, Timeout};
use crate::access::Scope;
use crate::arguments::{ArgumentSchema, CallArguments};
use crate::http::problem::Problem;
use crate::served_project::ServedProject;

pub(super) const FILE: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/file",
    id: "file",
    summary: "The current text of an indexed file, with its definitions.",
    successes: &[SuccessResponse::ok(SchemaGenerator::subschema_for::<MarkedFile>)],
    errors: &[404],
    subject: OperationSubject::Code,
    scope: Scope::Read,
    arguments: ArgumentSchema::of::<FileArguments>,
    timeout: Timeout::Default,
    call: |call| call.with(file),
};

#[derive(Debug, Deserialize, JsonSchema)]
struct FileArguments {
    /// A file of the index, relative to the project root.
    path: String,
    /// The first line, counted from 1. Default: the start of the file.
    #[schemars(range(min = 1, max = u32::MAX))]
    start: Option<u32>,
    /// The last line. Default: the end of the file.
    #[schemars(range(min = 1, max = u32::MAX))]
    end: Option<u32>,
    #[serde(flatten)]
    markup: MarkupOption,
    /// Add `links`: the names in the file that are defined in the project, and where.
    #[serde(default)]
    links: bool,
}

impl CallArguments for FileArguments {}

async fn file(project: Arc<ServedProject>, arguments: FileArguments) -> Result<Reply, Problem> {
    let FileArguments { path, start, end, markup, links } = arguments;
    let read = move |engine: &Engine| {
        let path = engine.project().relative(Path::new(&path))?;
        let links = links.then(|| engine.links(&path)).transpose()?;
        Ok((engine.file(&FileRequest { path, start_line: start, end_line: end })?, links))
    };
    let (response, links) = project.query(read).await?;
    let mut file = markup.mark_file(&project, response).await?;
    file.links = links;
    Reply::ok(&file)
}
