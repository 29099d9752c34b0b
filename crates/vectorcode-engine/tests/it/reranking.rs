//! A reranker passed in by the caller: it reorders the best results, and if it fails there is a note.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use vectorcode_core::api::{Hit, SearchMode, SearchRequest, SearchResponse, SearchTarget};
use vectorcode_core::config::Config;
use vectorcode_embed::{EmbedError, Reranker};
use vectorcode_engine::{Engine, EngineOptions, Project};

use crate::project::{Indexed, about};

/// Reverses the order and records its input, or fails.
#[derive(Default)]
struct TestReranker {
    fails: bool,
    calls: Mutex<Vec<(String, Vec<String>)>>,
}

impl Reranker for TestReranker {
    fn rerank(&self, query: &str, texts: &[&str], deadline: Instant) -> Result<Vec<usize>, EmbedError> {
        assert!(deadline > Instant::now());
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        let count = texts.len();
        self.calls.lock().unwrap().push((query.to_owned(), texts));
        if self.fails {
            return Err(EmbedError::Provider { provider: "test", message: "no answer".into() });
        }
        Ok((0..count).rev().collect())
    }
}

fn sample() -> Indexed {
    let files = ["alpha", "beta", "gamma"].map(|topic| (format!("src/{topic}.rs"), about(topic)));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Indexed::new(&files);
    project.index();
    project
}

fn search(project: &Indexed, reranker: &Arc<TestReranker>, request: &SearchRequest) -> SearchResponse {
    let options = EngineOptions {
        embedders: vectorcode_engine::Embedders::fixed(project.embedder.clone()),
        reranker: Some(reranker.clone()),
        ..EngineOptions::default()
    };
    let root = Project::at(project.files.root()).unwrap();
    Engine::new(root, Config::default(), options).search(request).unwrap()
}

fn request() -> SearchRequest {
    SearchRequest { threshold: Some(0.0), ..SearchRequest::query("handle the alpha input") }
}

fn paths(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.as_str()).collect()
}

#[test]
fn results_come_in_the_order_of_the_reranker() {
    let (project, reranker) = (sample(), Arc::new(TestReranker::default()));
    let plain = project.engine.search(&request()).unwrap();
    let response = search(&project, &reranker, &request());
    let mut expected = paths(&plain.hits);
    assert_eq!(expected[0], "src/alpha.rs");
    expected.reverse();
    assert_eq!(paths(&response.hits), expected);
    assert!(response.hits.is_sorted_by(|left, right| left.score >= right.score));
    let calls = reranker.calls.lock().unwrap();
    let (query, texts) = &calls[0];
    assert_eq!(query, "handle the alpha input");
    assert!(texts[0].contains("handle_alpha"), "texts come best first: {texts:?}");
}

#[test]
fn a_reranker_that_fails_costs_a_note_and_not_the_order() {
    let project = sample();
    let plain = project.engine.search(&request()).unwrap();
    let reranker = Arc::new(TestReranker { fails: true, ..TestReranker::default() });
    let response = search(&project, &reranker, &request());
    assert_eq!(paths(&response.hits), paths(&plain.hits));
    assert_eq!(response.notes.len(), 1);
    assert!(response.notes[0].starts_with("The results were not reranked: "), "{:?}", response.notes);
}

#[test]
fn fast_searches_and_searches_for_similar_code_ask_no_reranker() {
    let (project, reranker) = (sample(), Arc::new(TestReranker::default()));
    search(&project, &reranker, &SearchRequest { mode: SearchMode::Fast, ..request() });
    let target = SearchTarget::Snippet(about("alpha"));
    search(&project, &reranker, &SearchRequest { target, ..request() });
    assert!(reranker.calls.lock().unwrap().is_empty());
}

#[test]
fn a_reranker_of_the_settings_that_cannot_be_made_costs_a_note() {
    let project = sample();
    let mut config = Config::default();
    config.rerank.name = vectorcode_core::config::RerankerName::Onnx;
    let options = EngineOptions {
        embedders: vectorcode_engine::Embedders::fixed(project.embedder.clone()),
        ..EngineOptions::default()
    };
    let root = Project::at(project.files.root()).unwrap();
    let response = Engine::new(root, config, options).search(&request()).unwrap();
    assert!(!response.hits.is_empty());
    assert!(
        response.notes.iter().any(|note| note.contains("rerank.onnx.model_path")),
        "{:?}",
        response.notes
    );
}
