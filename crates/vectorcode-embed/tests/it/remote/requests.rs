//! The content of requests: batches, keys, and the difference between documents and queries.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use vectorcode_core::config::{GeminiConfig, OllamaConfig, OpenAiConfig};
use vectorcode_embed::providers::{gemini, ollama, openai};
use vectorcode_embed::{Embedder, TextKind};

use super::dialect::{DIMENSIONS, Dialect, KEY, told_length};
use super::server::Server;

fn batch_sizes(dialect: Dialect, server: &Server) -> Vec<usize> {
    server.received().iter().map(|request| dialect.texts(request).len()).collect()
}

#[test]
fn every_vector_goes_with_its_text() {
    let texts: Vec<String> = (1..150).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for dialect in Dialect::ALL {
        let server = Server::start(move |request| dialect.reply(request));
        let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &texts).unwrap();
        assert_eq!(outcomes.len(), texts.len());
        for (text, outcome) in texts.iter().zip(outcomes) {
            assert_eq!(told_length(&outcome.unwrap()), text.len(), "{dialect:?}");
        }
    }
}

#[test]
fn requests_hold_no_more_texts_than_the_provider_takes() {
    let cases = [
        (Dialect::Gemini, 230, vec![100, 100, 30]),
        (Dialect::Voyage, 1500, vec![1000, 500]),
        (Dialect::Ollama, 70, vec![32, 32, 6]),
    ];
    for (dialect, texts, expected) in cases {
        let server = Server::start(move |request| dialect.reply(request));
        let embedder = dialect.embedder(&server.url());
        embedder.embed(TextKind::Document, &vec!["text"; texts]).unwrap();
        assert_eq!(batch_sizes(dialect, &server), expected, "{dialect:?}");
        assert_eq!(embedder.limits().batch_size, expected[0]);
    }
}

#[test]
fn openai_gets_2048_texts_at_once_and_a_server_of_ones_own_64() {
    for (batch_size, texts, expected) in [(Some(2048), 2500, [2048, 452]), (None, 100, [64, 36])] {
        let server = Server::start(|request| Dialect::OpenAi.reply(request));
        let config =
            OpenAiConfig { base_url: server.url(), batch_size, dimensions: DIMENSIONS, ..openai_config() };
        openai::embedder(&config).unwrap().embed(TextKind::Document, &vec!["text"; texts]).unwrap();
        assert_eq!(batch_sizes(Dialect::OpenAi, &server), expected);
    }
    assert_eq!(openai::embedder(&openai_config()).unwrap().limits().batch_size, 2048);
}

fn openai_config() -> OpenAiConfig {
    OpenAiConfig { api_key: KEY.into(), ..OpenAiConfig::default() }
}

#[test]
fn requests_are_bounded_by_their_tokens_too() {
    let server = Server::start(|request| Dialect::Voyage.reply(request));
    let long = "word ".repeat(20_000);
    let embedder = Dialect::Voyage.embedder(&server.url());
    embedder.embed(TextKind::Document, &[long.as_str(); 7]).unwrap();
    assert_eq!(batch_sizes(Dialect::Voyage, &server), [3, 3, 1]);
}

#[test]
fn the_key_is_sent_where_the_provider_reads_it() {
    let cases = [
        (Dialect::Gemini, "x-goog-api-key", KEY.to_owned()),
        (Dialect::OpenAi, "authorization", format!("Bearer {KEY}")),
        (Dialect::Voyage, "authorization", format!("Bearer {KEY}")),
    ];
    for (dialect, header, value) in cases {
        let server = Server::start(move |request| dialect.reply(request));
        super::embed_one(dialect, &server).unwrap();
        let request = &server.received()[0];
        assert_eq!(request.header(header), Some(value.as_str()), "{dialect:?}");
        assert!(!request.path.contains(KEY));
    }
}

#[test]
fn azure_gets_its_header_and_its_version() {
    let server = Server::start(|request| Dialect::OpenAi.reply(request));
    let base_url = format!("{}/openai/deployments/small?api-version=2024-10-21", server.url());
    let config = OpenAiConfig { base_url, dimensions: DIMENSIONS, ..openai_config() };
    openai::embedder(&config).unwrap().check_ready().unwrap();
    let request = &server.received()[0];
    assert_eq!(request.path, "/openai/deployments/small/embeddings?api-version=2024-10-21");
    assert_eq!((request.header("api-key"), request.header("authorization")), (Some(KEY), None));
}

#[test]
fn a_server_of_ones_own_needs_no_key() {
    let server = Server::start(|request| Dialect::OpenAi.reply(request));
    let config = OpenAiConfig { base_url: server.url(), dimensions: DIMENSIONS, ..OpenAiConfig::default() };
    openai::embedder(&config).unwrap().check_ready().unwrap();
    assert_eq!(server.received()[0].header("authorization"), None);
    assert_eq!(server.received()[0].path, "/v1/embeddings");
}

#[test]
fn documents_and_queries_are_asked_for_differently() {
    let asked = |dialect: Dialect, kind| {
        let server = Server::start(move |request| dialect.reply(request));
        dialect.embedder(&server.url()).embed(kind, &["text"]).unwrap();
        server.received().remove(0).json
    };
    let (document, query) = (TextKind::Document, TextKind::Query);
    assert_eq!(asked(Dialect::Voyage, document)["input_type"], "document");
    assert_eq!(asked(Dialect::Voyage, query)["input_type"], "query");
    assert_eq!(asked(Dialect::Voyage, query)["output_dimension"], DIMENSIONS);
    assert_eq!(asked(Dialect::Gemini, document)["requests"][0]["taskType"], "RETRIEVAL_DOCUMENT");
    assert_eq!(asked(Dialect::Gemini, query)["requests"][0]["taskType"], "CODE_RETRIEVAL_QUERY");
    assert_eq!(asked(Dialect::Gemini, query)["requests"][0]["outputDimensionality"], DIMENSIONS);
}

#[test]
fn models_that_want_words_before_the_text_get_them() {
    let server = Server::start(|request| Dialect::Ollama.reply(request));
    let config = OllamaConfig { url: server.url(), dimensions: DIMENSIONS, ..OllamaConfig::default() };
    let embedder = ollama::embedder(&config).unwrap();
    embedder.embed(TextKind::Document, &["fn main() {}"]).unwrap();
    embedder.embed(TextKind::Query, &["where it starts"]).unwrap();
    let inputs: Vec<_> = server.received().iter().map(|request| Dialect::Ollama.texts(request)).collect();
    assert_eq!(
        inputs,
        [["title: none | text: fn main() {}"], ["task: code retrieval | query: where it starts"]]
    );
}

#[test]
fn gemini_names_its_model_in_the_path() {
    for model in ["gemini-embedding-001", "models/gemini-embedding-001"] {
        let server = Server::start(|request| Dialect::Gemini.reply(request));
        let config = GeminiConfig {
            api_key: KEY.into(),
            model: model.into(),
            dimensions: DIMENSIONS,
            base_url: server.url(),
        };
        gemini::embedder(&config).unwrap().check_ready().unwrap();
        assert_eq!(server.received()[0].path, "/v1beta/models/gemini-embedding-001:batchEmbedContents");
    }
}

#[test]
fn blank_texts_are_never_sent() {
    for dialect in Dialect::ALL {
        let server = Server::start(move |request| dialect.reply(request));
        let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &["", "ab", " \n"]).unwrap();
        assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(dialect.texts(&server.received()[0]), ["ab"]);
    }
}

/// Number of requests in flight, and its maximum so far.
#[derive(Default)]
struct UnderWay {
    counts: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl UnderWay {
    /// Blocks until `wanted` requests have been in flight at once, or until a timeout.
    fn stay(&self, wanted: usize) {
        let mut counts = self.counts.lock().unwrap();
        counts.0 += 1;
        counts.1 = counts.1.max(counts.0);
        self.changed.notify_all();
        let patience = Duration::from_secs(10);
        let (mut counts, _) =
            self.changed.wait_timeout_while(counts, patience, |counts| counts.1 < wanted).unwrap();
        counts.0 -= 1;
    }
}

#[test]
fn no_more_requests_are_under_way_than_the_provider_allows() {
    for dialect in Dialect::ALL {
        let under_way = std::sync::Arc::new(UnderWay::default());
        let wanted = if dialect == Dialect::Ollama { 1 } else { 4 };
        let server = Server::start({
            let under_way = std::sync::Arc::clone(&under_way);
            move |request| {
                under_way.stay(wanted);
                dialect.reply(request)
            }
        });
        let embedder = dialect.embedder(&server.url());
        assert_eq!(embedder.limits().concurrency, wanted);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| embedder.embed(TextKind::Document, &["text"]).unwrap());
            }
        });
        assert_eq!(under_way.counts.lock().unwrap().1, wanted, "{dialect:?}");
    }
}
