//! Servers that are busy, are down or refuse requests.

use std::net::TcpListener;

use serde_json::json;
use vectorcode_core::config::{GeminiConfig, OpenAiConfig, VoyageConfig};
use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_embed::providers::{gemini, openai, voyage};
use vectorcode_embed::{EmbedError, Embedder, RemoteEmbedder, TextKind};

use super::dialect::{Dialect, KEY};
use super::embed_one;
use super::server::{Reply, Server};

fn good(dialect: Dialect) -> Reply {
    Reply::new(200, dialect.answer(&[json!([1.0, 2.0, 2.0])]))
}

#[test]
fn passing_failures_are_tried_again() {
    for dialect in Dialect::ALL {
        for status in [429, 500, 502, 503, 504] {
            let server = Server::replying(vec![Reply::busy(status), Reply::busy(status), good(dialect)]);
            assert_eq!(embed_one(dialect, &server).unwrap(), [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
            assert_eq!(server.received().len(), 3, "{dialect:?} {status}");
        }
    }
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    for dialect in Dialect::ALL {
        let server = Server::replying(vec![good(dialect).cut_off(), good(dialect)]);
        embed_one(dialect, &server).unwrap();
        assert_eq!(server.received().len(), 2, "{dialect:?}");
    }
}

#[test]
fn patience_has_an_end() {
    for dialect in Dialect::ALL {
        let server = Server::replying(vec![Reply::busy(503)]);
        let error = embed_one(dialect, &server).unwrap_err();
        assert!(error.to_string().contains("HTTP 503"), "{error}");
        assert_eq!(server.received().len(), 6, "{dialect:?}");
    }
}

#[test]
fn the_check_before_the_work_is_as_patient_as_the_work() {
    for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Ollama) {
        let busy = || Reply::busy(429);
        let server = Server::replying(vec![busy(), busy(), busy(), good(dialect)]);
        dialect.embedder(&server.url()).check_ready().unwrap();
        assert_eq!(server.received().len(), 4, "{dialect:?}");
        let server = Server::replying(vec![Reply::new(429, "slow down").with_header("retry-after", 3600)]);
        let error = dialect.embedder(&server.url()).check_ready().unwrap_err();
        let said = format!("{error} {}", error.hint().unwrap_or_default());
        assert!(said.contains("3600s") && !said.contains("Retrying"), "{said}");
    }
}

#[test]
fn a_query_gives_up_sooner_than_an_index_run() {
    let server = Server::replying(vec![Reply::busy(503)]);
    let embedder = Dialect::OpenAi.embedder(&server.url());
    embedder.embed(TextKind::Query, &["text"]).unwrap_err();
    assert_eq!(server.received().len(), 2);
}

#[test]
fn a_wait_that_is_too_long_is_reported_instead() {
    for dialect in Dialect::ALL {
        let server = Server::replying(vec![Reply::new(429, "slow down").with_header("retry-after", 3600)]);
        let error = embed_one(dialect, &server).unwrap_err();
        assert!(matches!(error, EmbedError::RateLimited { retry_after_secs: 3600 }), "{error:?}");
        assert_eq!(server.received().len(), 1, "{dialect:?}");
    }
}

#[test]
fn lasting_failures_are_reported_at_once_in_the_servers_words() {
    for dialect in Dialect::ALL {
        let server =
            Server::replying(vec![Reply::new(400, json!({ "error": { "message": "no such thing" } }))]);
        let error = embed_one(dialect, &server).unwrap_err().to_string();
        assert!(error.ends_with("HTTP 400: no such thing"), "{error}");
        assert_eq!(server.received().len(), 2, "the text, then a harmless one as a check");
    }
}

#[test]
fn a_text_that_a_server_refuses_does_not_keep_the_others_from_their_vectors() {
    for dialect in Dialect::ALL {
        for status in [400, 422] {
            let server = Server::start(move |request| {
                let is_bad = dialect.texts(request).iter().any(|text| text.starts_with("bad"));
                let refused = json!({ "error": { "message": "invalid input" } });
                if is_bad { Reply::new(status, refused) } else { dialect.reply(request) }
            });
            let embedder = dialect.embedder(&server.url());
            let embed = |texts: &[&str]| -> Vec<bool> {
                embedder.embed(TextKind::Document, texts).unwrap().iter().map(Result::is_ok).collect()
            };
            assert_eq!(embed(&["a", "bb", "bad one", "dddd", "eeeee"]), [true, true, false, true, true]);
            assert_eq!(embed(&["bad alone"]), [false]);
            let refused = embedder.embed(TextKind::Document, &["bad one"]).unwrap().remove(0).unwrap_err();
            assert!(refused.reason.contains("invalid input") && !refused.reason.contains("bad"), "{refused}");
            embedder.embed(TextKind::Query, &["bad question"]).unwrap_err();
        }
    }
}

#[test]
fn a_server_that_refuses_everything_refuses_no_text_for_good() {
    for dialect in Dialect::ALL {
        let server = Server::replying(vec![Reply::new(422, json!({ "error": "dimensions not supported" }))]);
        let embedder = dialect.embedder(&server.url());
        embedder.embed(TextKind::Document, &["a", "bb", "ccc", "dddd"]).unwrap_err();
        assert_eq!(server.received().len(), 2, "the texts are not tried one by one");
    }
}

#[test]
fn redirects_are_not_followed() {
    let other = Server::start(|request| Dialect::OpenAi.reply(request));
    let server = Server::replying(vec![Reply::new(307, "").with_header("location", other.url())]);
    assert!(embed_one(Dialect::OpenAi, &server).unwrap_err().to_string().contains("HTTP 307"));
    assert!(other.received().is_empty(), "the key must not be sent to another server");
}

#[test]
fn a_server_that_is_down_is_named() {
    let url = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for dialect in Dialect::ALL {
        let error = dialect.embedder(&url).check_ready().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Environment);
        assert!(error.to_string().contains(&url), "{error}");
        assert_eq!(matches!(error, EmbedError::NotReady { .. }), dialect == Dialect::Ollama);
    }
}

#[test]
fn without_a_key_nothing_is_sent_and_the_variable_is_named() {
    let server = Server::start(|request| Dialect::Gemini.reply(request));
    let keyless: [(RemoteEmbedder, &str); 3] = [
        (
            gemini::embedder(&GeminiConfig { base_url: server.url(), ..GeminiConfig::default() }).unwrap(),
            "GEMINI_API_KEY",
        ),
        (
            voyage::embedder(&VoyageConfig { base_url: server.url(), ..VoyageConfig::default() }).unwrap(),
            "VOYAGE_API_KEY",
        ),
        (openai::embedder(&OpenAiConfig::default()).unwrap(), "OPENAI_API_KEY"),
    ];
    for (embedder, variable) in keyless {
        for error in
            [embedder.check_ready().unwrap_err(), embedder.embed(TextKind::Query, &["x"]).unwrap_err()]
        {
            assert_eq!(
                error.to_string(),
                format!("API key not set. Set {variable} or configure in .vectorcode/config.toml")
            );
        }
    }
    assert!(server.received().is_empty());
}

#[test]
fn a_server_of_ones_own_that_wants_a_key_after_all_says_so() {
    let server = Server::replying(vec![Reply::new(401, json!({ "error": "no key" }))]);
    let config = OpenAiConfig { base_url: server.url(), ..OpenAiConfig::default() };
    let error = openai::embedder(&config).unwrap().check_ready().unwrap_err();
    assert!(matches!(error, EmbedError::ApiKeyMissing { env_var: "OPENAI_API_KEY" }), "{error:?}");
}

#[test]
fn an_account_without_credit_is_not_asked_again() {
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let server = Server::replying(vec![Reply::new(429, json!({ "error": { "message": quota } }))]);
    let error = embed_one(Dialect::OpenAi, &server).unwrap_err().to_string();
    assert!(error.ends_with(quota), "{error}");
    assert_eq!(server.received().len(), 1);
}

#[test]
fn a_key_is_in_no_error_and_in_no_debug_output() {
    for dialect in [Dialect::Gemini, Dialect::OpenAi, Dialect::Voyage] {
        for status in [400, 401, 403, 500] {
            let server = Server::start(move |_| {
                Reply::new(status, format!("API key {KEY} is wrong")).with_header("retry-after", 0)
            });
            let embedder = dialect.embedder(&server.url());
            let error = embedder.embed(TextKind::Document, &["text"]).unwrap_err();
            let shown = format!("{error} {error:?} {:?} {embedder:?}", error.hint());
            assert!(!shown.contains(KEY), "{shown}");
            assert_eq!(matches!(error, EmbedError::ApiKeyRefused { .. }), status != 500, "{error:?}");
        }
    }
    let server = Server::replying(vec![Reply::new(200, json!({ "data": KEY }))]);
    let error = embed_one(Dialect::OpenAi, &server).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "{error}");
    let config = OpenAiConfig { api_key: KEY.into(), ..OpenAiConfig::default() };
    assert!(!format!("{config:?}").contains(KEY));
}
