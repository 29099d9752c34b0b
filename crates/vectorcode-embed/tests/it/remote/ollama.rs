//! What is specific to Ollama: models that must be pulled first.

use serde_json::json;
use vectorcode_core::config::OllamaConfig;
use vectorcode_embed::{EmbedError, Embedder, TextKind, providers};

use super::dialect::{DIMENSIONS, Dialect, KEY};
use super::server::{Received, Reply, Server};

/// A server with one model.
fn with_model(name: &'static str) -> Server {
    Server::start(move |request: &Received| match request.path.as_str() {
        "/api/tags" => Reply::new(200, json!({ "models": [{ "name": name, "size": 1 }] })),
        _ => Dialect::Ollama.reply(request),
    })
}

fn check(server: &Server, model: &str) -> Result<(), EmbedError> {
    let config = OllamaConfig {
        url: format!("{}/", server.url()),
        model: model.into(),
        dimensions: DIMENSIONS,
        ..OllamaConfig::default()
    };
    providers::ollama::embedder(&config).unwrap().check_ready()
}

#[test]
fn the_tags_are_read_before_anything_is_embedded() {
    let server = with_model("nomic-embed-text:latest");
    check(&server, "nomic-embed-text").unwrap();
    let paths: Vec<_> = server.received().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/api/tags", "/api/embed"]);
}

#[test]
fn a_key_is_sent_where_there_is_one() {
    let server = with_model("a:latest");
    check(&server, "a").unwrap();
    assert!(server.received().iter().all(|request| request.header("authorization").is_none()));
    let config = OllamaConfig {
        url: server.url(),
        api_key: KEY.into(),
        model: "a".into(),
        dimensions: DIMENSIONS,
        ..OllamaConfig::default()
    };
    providers::ollama::embedder(&config).unwrap().check_ready().unwrap();
    let last = server.received().pop().unwrap();
    assert_eq!(last.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[test]
fn a_model_is_found_with_and_without_its_tag() {
    for (pulled, wanted) in [("a:latest", "a"), ("a:latest", "a:latest"), ("me/a:v1", "me/a:v1")] {
        check(&with_model(pulled), wanted).unwrap();
    }
}

#[test]
fn a_model_that_is_not_pulled_is_named_with_the_command() {
    let server = with_model("nomic-embed-text:v1.5");
    let error = check(&server, "nomic-embed-text").unwrap_err();
    assert_eq!(
        error.to_string(),
        "Model 'nomic-embed-text' not found in Ollama. Try: ollama pull nomic-embed-text"
    );
    assert_eq!(server.received().len(), 1, "nothing was embedded");
}

#[test]
fn a_model_that_is_removed_later_is_named_too() {
    let server = Server::replying(vec![Reply::new(404, json!({ "error": "model \"x\" not found" }))]);
    let error = Dialect::Ollama.embedder(&server.url()).embed(TextKind::Document, &["x"]).unwrap_err();
    assert_eq!(error.to_string(), "Model 'all-minilm' not found in Ollama. Try: ollama pull all-minilm");
}

#[test]
fn something_else_on_the_port_is_no_ollama() {
    let server = Server::replying(vec![Reply::new(200, "<html>hello</html>")]);
    let error = check(&server, "nomic-embed-text").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("Ollama not reachable at {}. Is it running? Try: ollama serve", server.url())
    );
}
