//! The OpenAPI document, made of the table of operations and of the types that they answer with.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use vectorcode_core::VERSION;
use vectorcode_core::config::SearchConfig;

use super::ALL;
use super::operation::{Answer, Input, Operation};
use crate::arguments::Argument;
use crate::backend::Backend;
use crate::http::problem::ErrorBody;

/// Refusals that any operation may answer with.
const REFUSALS: [u16; 7] = [400, 401, 403, 405, 500, 503, 504];
/// Those of operations that read a body.
const BODY_REFUSALS: [u16; 3] = [408, 413, 415];

/// The route of the document. It is made at each request, because defaults come from the settings.
pub(crate) fn route(backend: &Arc<Backend>) -> Router {
    let backend = backend.clone();
    let answer = async move || {
        let document = document(&backend.engine().config().search);
        ([(CONTENT_TYPE, "application/json")], document.to_string())
    };
    Router::new().route("/api/openapi.json", get(answer))
}

fn document(settings: &SearchConfig) -> Value {
    let schemas = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = schemas.into_generator();
    let mut paths = Map::new();
    for operation in ALL {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.input.verb()] = describe(operation, settings, &mut generator);
    }
    let error = generator.subschema_for::<ErrorBody>();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "vectorcode",
            "version": VERSION,
            "description": "Semantic code search of one project. Arguments that are not described are refused.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        // A token is asked for only where the server was started with one.
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "responses": {"Error": {"description": "Why not.", "content": {"application/json": {"schema": error}}}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn describe(operation: &Operation, settings: &SearchConfig, generator: &mut SchemaGenerator) -> Value {
    let arguments = (operation.arguments)(settings);
    let mut description = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "responses": responses(operation, generator),
    });
    match operation.input {
        Input::Query => {
            let parameters: Vec<Value> =
                arguments.iter().map(|argument| parameter(operation, argument)).collect();
            description["parameters"] = parameters.into();
        }
        Input::Json => description["requestBody"] = body(&arguments),
        Input::Webhook => {}
    }
    description
}

fn parameter(operation: &Operation, argument: &Argument) -> Value {
    let in_path = operation.path.contains(&format!("{{{}}}", argument.name));
    json!({
        "name": argument.name,
        "in": if in_path { "path" } else { "query" },
        "required": argument.is_required(),
        "schema": argument.strict_schema(),
    })
}

fn body(arguments: &[Argument]) -> Value {
    let required: Vec<&str> = arguments.iter().filter(|one| one.is_required()).map(|one| one.name).collect();
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.to_owned(), argument.strict_schema())).collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    json!({"required": !required.is_empty(), "content": {"application/json": {"schema": schema}}})
}

fn responses(operation: &Operation, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let refusals = REFUSALS.iter().chain(operation.refusals);
    let of_body = BODY_REFUSALS.iter().filter(|_| operation.input != Input::Query);
    let refusals = refusals
        .chain(of_body)
        .map(|status| (status.to_string(), json!({"$ref": "#/components/responses/Error"})));
    let mut answer = |answer: &Answer| {
        let content = json!({answer.media: {"schema": (answer.schema)(generator)}});
        (answer.status.to_string(), json!({"description": operation.summary, "content": content}))
    };
    let answers: Vec<_> = operation.answers.iter().map(&mut answer).collect();
    answers.into_iter().chain(refusals).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_reference_leads_somewhere() {
        let document = document(&SearchConfig::default());
        let text = document.to_string();
        let references = text.match_indices("\"$ref\":\"#").map(|(at, start)| {
            let rest = &text[at + start.len()..];
            rest.split('"').next().unwrap_or_default()
        });
        let missing: Vec<&str> = references.filter(|pointer| document.pointer(pointer).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn names_of_operations_are_unique_and_path_arguments_are_declared() {
        let ids: BTreeSet<&str> = ALL.iter().map(|operation| operation.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for operation in ALL {
            let arguments = (operation.arguments)(&SearchConfig::default());
            let in_path = operation.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
            for name in in_path {
                let argument = arguments.iter().find(|argument| argument.name == name);
                assert!(argument.is_some_and(Argument::is_required), "{name} of {}", operation.path);
            }
        }
    }
}
