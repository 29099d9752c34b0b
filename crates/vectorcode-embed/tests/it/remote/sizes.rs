//! Requests and texts that are too large for the server.

use serde_json::json;
use vectorcode_embed::{Embedder, TextKind};

use super::dialect::{Dialect, told_length};
use super::server::{Received, Reply, Server};

/// How each server reports it.
fn too_large(dialect: Dialect) -> Reply {
    match dialect {
        Dialect::Gemini => {
            Reply::new(400, json!({ "error": { "message": "Request payload size exceeds the limit" } }))
        }
        Dialect::Ollama => Reply::new(500, json!({ "error": "the input length exceeds the context length" })),
        Dialect::OpenAi => Reply::new(413, ""),
        Dialect::Voyage => {
            Reply::new(400, json!({ "detail": "The max allowed tokens per batch is 120000." }))
        }
    }
}

/// A server that rejects requests for which `refuses` returns true.
fn picky(dialect: Dialect, refuses: fn(&[String]) -> bool) -> Server {
    Server::start(
        move |request: &Received| {
            if refuses(&dialect.texts(request)) { too_large(dialect) } else { dialect.reply(request) }
        },
    )
}

#[test]
fn a_request_that_is_too_large_is_split_until_it_fits() {
    let texts = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg"];
    for dialect in Dialect::ALL {
        let server = picky(dialect, |texts| texts.len() > 2);
        let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &texts).unwrap();
        let lengths: Vec<_> = outcomes.into_iter().map(|outcome| told_length(&outcome.unwrap())).collect();
        assert_eq!(lengths, texts.map(str::len), "{dialect:?}");
        let sizes: Vec<_> = server.received().iter().map(|request| dialect.texts(request).len()).collect();
        assert_eq!(sizes, [7, 3, 1, 2, 4, 2, 2], "{dialect:?}");
    }
}

#[test]
fn a_text_that_is_too_long_by_itself_is_shortened_once() {
    let long = "ü".repeat(50);
    for dialect in Dialect::ALL {
        let server = picky(dialect, |texts| texts.iter().any(|text| text.len() > 60));
        let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &["a", &long]).unwrap();
        let lengths: Vec<_> = outcomes.into_iter().map(|outcome| told_length(&outcome.unwrap())).collect();
        assert_eq!(lengths, [1, long.len() / 2], "{dialect:?}");
    }
}

#[test]
fn one_refused_text_does_not_cost_the_others_their_vectors() {
    let texts = ["a", "bb", "hopeless hopeless", "dddd", "eeeee"];
    for dialect in Dialect::ALL {
        let server = picky(dialect, |texts| texts.iter().any(|text| text.starts_with("hopeless")));
        let outcomes = dialect.embedder(&server.url()).embed(TextKind::Document, &texts).unwrap();
        for (text, outcome) in texts.iter().zip(outcomes) {
            match outcome {
                Ok(vector) => assert_eq!(told_length(&vector), text.len()),
                Err(refused) => {
                    assert_eq!(*text, "hopeless hopeless");
                    assert!(refused.reason.contains("refused the text"), "{}", refused.reason);
                    assert!(!refused.reason.contains("hopeless"), "source text stays out of messages");
                }
            }
        }
        let tries = server.received().iter().filter(|request| dialect.texts(request).len() == 1).count();
        assert!(tries >= 2, "the whole text, then its first half");
    }
}
