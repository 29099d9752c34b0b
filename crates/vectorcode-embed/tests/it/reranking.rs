//! The rerankers that can be configured: a cross-encoder in a file, and a server.

use std::path::Path;
use std::time::{Duration, Instant};

use vectorcode_core::config::{RerankConfig, RerankOnnxConfig, RerankServerConfig, RerankerName};
use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_embed::{EmbedError, reranker};

use crate::remote::server::{Reply, Server};

const TEXTS: [&str; 3] = ["fn close(door)", "fn open(file, mode)", "fn open(door)"];

fn order(config: &RerankConfig, budget: Duration) -> Result<Vec<usize>, EmbedError> {
    let reranker = reranker(config)?.expect("a reranker is configured");
    reranker.rerank("open a file", &TEXTS, Instant::now() + budget)
}

/// `overlap.onnx` counts the tokens that query and text share.
fn cross_encoder() -> RerankConfig {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    let onnx = RerankOnnxConfig {
        model_path: Some(directory.join("tests/it/models/overlap.onnx")),
        tokenizer_path: Some(directory.join("models/code-minilm-l4/tokenizer.json")),
        ..RerankOnnxConfig::default()
    };
    RerankConfig { name: RerankerName::Onnx, onnx, ..RerankConfig::default() }
}

fn at(server: &Server) -> RerankConfig {
    let server = RerankServerConfig {
        url: format!("{}/v1", server.url()),
        model: "rerank-1".into(),
        api_key: "rk-secret".into(),
    };
    RerankConfig { name: RerankerName::Server, server, ..RerankConfig::default() }
}

#[test]
fn nobody_reorders_by_default() {
    assert!(reranker(&RerankConfig::default()).unwrap().is_none());
}

#[test]
fn a_cross_encoder_reads_query_and_text_together() {
    assert_eq!(order(&cross_encoder(), Duration::from_mins(1)).unwrap(), [1, 2, 0]);
}

#[test]
fn a_cross_encoder_without_time_gives_up() {
    let error = order(&cross_encoder(), Duration::ZERO).unwrap_err();
    assert!(matches!(error, EmbedError::Reranker { .. }), "{error}");
}

#[test]
fn a_model_that_is_no_cross_encoder_is_told_when_it_is_loaded() {
    let mut config = cross_encoder();
    let embedder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/code-minilm-l4/model.onnx");
    config.onnx.model_path = Some(embedder);
    let error = reranker(&config).err().expect("an embedding model gives no scores");
    assert!(error.to_string().contains("one score"), "{error}");
    config.onnx.tokenizer_path = None;
    let error = reranker(&config).err().expect("a tokenizer is needed");
    assert_eq!(error.kind(), ErrorKind::User);
    assert!(error.to_string().contains("tokenizer_path"), "{error}");
}

#[test]
fn a_server_is_asked_in_the_common_form() {
    let answer = r#"{"results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":-3.5},{"index":1,"relevance_score":0.2}]}"#;
    let server = Server::replying(vec![Reply::new(200, answer)]);
    assert_eq!(order(&at(&server), Duration::from_mins(1)).unwrap(), [2, 1, 0]);
    let [request] = &server.received()[..] else { panic!("one request: {:?}", server.received()) };
    assert_eq!(request.path, "/v1/rerank");
    assert_eq!(request.header("authorization"), Some("Bearer rk-secret"));
    let expected = serde_json::json!({ "model": "rerank-1", "query": "open a file", "documents": TEXTS });
    assert_eq!(request.json, expected);
}

#[test]
fn a_failure_of_the_server_is_told_once_and_without_the_key() {
    let server = Server::replying(vec![Reply::new(503, "no such key: rk-secret")]);
    let error = order(&at(&server), Duration::from_mins(1)).unwrap_err().to_string();
    assert!(error.contains("503") && !error.contains("rk-secret"), "{error}");
    assert_eq!(server.received().len(), 1, "a retry would come too late");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let url = { Server::replying(vec![Reply::new(200, "{}")]).url() };
    let server = RerankServerConfig { url: url.clone(), ..RerankServerConfig::default() };
    let config = RerankConfig { name: RerankerName::Server, server, ..RerankConfig::default() };
    let error = order(&config, Duration::from_mins(1)).unwrap_err().to_string();
    assert!(error.contains(&url), "{error}");
}
