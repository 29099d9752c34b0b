//! `health` and `about`: for those who watch the server, and those who want to know what it is.

use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use vectorcode_core::VERSION;

use super::operation::{Answer, Input, Operation, Patience, Reply};

pub(super) const HEALTH: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/health",
    id: "health",
    summary: "Answers as long as the server does.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<Health>)],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |_| Box::pin(async { Reply::ok(&Health { status: "ok" }) }),
};

pub(super) const ABOUT: Operation = Operation {
    input: Input::Query,
    path: "/api/v1/about",
    id: "about",
    summary: "Which program this is, and which project it serves.",
    answers: &[Answer::ok(SchemaGenerator::subschema_for::<About>)],
    refusals: &[],
    arguments: |_| Vec::new(),
    patience: Patience::Usual,
    call: |call| {
        Box::pin(async move {
            let engine = call.backend.engine();
            Reply::ok(&About {
                name: "vectorcode",
                version: VERSION,
                project: engine.project().name(),
                provider: engine.config().provider.name.as_str(),
            })
        })
    },
};

#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    status: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct About {
    name: &'static str,
    version: &'static str,
    /// The name of the project's folder.
    project: String,
    /// Who makes the vectors of stage two.
    provider: &'static str,
}
