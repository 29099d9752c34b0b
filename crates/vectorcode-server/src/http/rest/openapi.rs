//! The OpenAPI document, generated from the list of operations and their response types.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use vectorcode_core::VERSION;
use vectorcode_core::config::SearchConfig;

use super::operation::{Input, Operation, OperationSubject, SuccessResponse};
use super::operations::ALL;
use crate::arguments::ArgumentSchema;
use crate::backend::Backend;
use crate::http::problem::ErrorBody;

/// Error statuses that any operation may return.
const ERRORS: [u16; 8] = [400, 401, 403, 405, 429, 500, 503, 504];
/// Further error statuses of operations that read a body.
const BODY_ERRORS: [u16; 3] = [408, 413, 415];
/// Further error status of operations on a project that the caller may name.
const UNKNOWN_PROJECT: [u16; 1] = [404];

/// The route of the document. It is generated for each request because defaults come from the settings.
pub(crate) fn route(backend: &Arc<Backend>) -> Router {
    let backend = backend.clone();
    let answer = async move || {
        let document = document(&backend.start_project().engine().config().search);
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
            "description": "Semantic code search in the projects of one user. Unknown arguments are rejected.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        // A token is required only if the server was started with one.
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": generator.take_definitions(true),
            "responses": {"Error": {"description": "An error.", "content": {"application/json": {"schema": error}}}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn describe(operation: &Operation, settings: &SearchConfig, generator: &mut SchemaGenerator) -> Value {
    let arguments = operation.schema(settings);
    let mut description = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": format!("A token needs the scope `{}`.", operation.scope),
        "responses": responses(operation, generator),
    });
    match operation.input {
        Input::Query => {
            description["parameters"] = parameters(operation, &arguments).into();
        }
        Input::Json => description["requestBody"] = body(&arguments),
        Input::Webhook => {}
    }
    description
}

fn parameters(operation: &Operation, arguments: &ArgumentSchema) -> Vec<Value> {
    let parameter = |(name, schema): (&str, Value)| {
        let in_path = operation.path.contains(&format!("{{{name}}}"));
        json!({
            "name": name,
            "in": if in_path { "path" } else { "query" },
            "required": arguments.is_required(name),
            "schema": schema,
        })
    };
    arguments.strict_properties().map(parameter).collect()
}

fn body(arguments: &ArgumentSchema) -> Value {
    let properties: Map<String, Value> =
        arguments.strict_properties().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let required: Vec<&str> = arguments.names().filter(|name| arguments.is_required(name)).collect();
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    json!({"required": !required.is_empty(), "content": {"application/json": {"schema": schema}}})
}

fn responses(operation: &Operation, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let of_body = BODY_ERRORS.iter().filter(|_| operation.input != Input::Query);
    let of_project = UNKNOWN_PROJECT.iter().filter(|_| operation.subject != OperationSubject::Server);
    let errors = ERRORS.iter().chain(operation.errors).chain(of_body).chain(of_project);
    let errors = errors.map(|status| (status.to_string(), json!({"$ref": "#/components/responses/Error"})));
    let mut responses = Map::new();
    for SuccessResponse { status, media, schema } in operation.successes {
        let described = || json!({"description": operation.summary, "content": {}});
        let response = responses.entry(status.to_string()).or_insert_with(described);
        response["content"][media] = json!({"schema": schema(generator)});
    }
    responses.extend(errors);
    responses
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
            let arguments = operation.schema(&SearchConfig::default());
            let in_path = operation.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
            for name in in_path {
                assert!(arguments.is_required(name), "{name} of {}", operation.path);
            }
        }
    }
}
