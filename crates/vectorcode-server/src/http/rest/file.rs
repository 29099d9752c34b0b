//! `file`: the source of an indexed file, for those who found something in it.

use std::path::Path;

use schemars::SchemaGenerator;
use vectorcode_core::api::FileRequest;
use vectorcode_engine::Engine;

use super::markup::{self, FileAnswer};
use super::operation::{Answer, Call, Input, Operation, Patience, Reply};
use crate::arguments::Argument;
use crate::http::problem::Problem;
use crate::structure::project_argument;

pub(super) const FILE: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/file",
    id: "file",
    summary: "The present text of an indexed file, with the definitions in it.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<FileAnswer>)],
    refusals: &[404],
    arguments: |_| {
        vec![
            Argument::text("path", PATH).required(),
            Argument::integer("start", START, 1, LAST_LINE),
            Argument::integer("end", END, 1, LAST_LINE),
            project_argument(),
            markup::argument(),
        ]
    },
    patience: Patience::Usual,
    call: |call| Box::pin(file(call)),
};

const PATH: &str = "A file of the index, relative to the project root.";
const START: &str = "The first line, counted from 1; the beginning when left out.";
const END: &str = "The last line; the end of the file when left out.";
const LAST_LINE: u64 = u32::MAX as u64;

async fn file(call: Call) -> Result<Reply, Problem> {
    let path = call.arguments.text("path").unwrap_or_default().to_owned();
    let line = |name| call.arguments.count(name).map(|line| line as u32);
    let request = FileRequest { path, start_line: line("start"), end_line: line("end") };
    let read = move |engine: &Engine| {
        let path = engine.project().relative(Path::new(&request.path))?;
        engine.file(&FileRequest { path, ..request.clone() })
    };
    let response = call.backend.ask(call.arguments.text("project"), read).await??;
    Reply::ok(&markup::mark_file(&call, response).await?)
}
