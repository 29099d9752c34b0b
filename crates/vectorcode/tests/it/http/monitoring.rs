//! Monitoring of a server: probes, metrics, log, and shutdown.

#[cfg(unix)]
use std::io::{Read, Write};
use std::time::Instant;

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use super::server::{HttpServer, LOOK_EVERY, PATIENCE};

fn project() -> TempProject {
    TempProject::new(&[("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")])
}

/// Polls until the server reports this state.
fn await_readiness(server: &HttpServer, code: u16, word: &str) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let reply = server.get("/readyz");
        if reply.json()["status"] == word {
            assert_eq!(reply.status, code);
            return;
        }
        assert!(Instant::now() < deadline, "not {word}: {}", reply.body);
        std::thread::sleep(LOOK_EVERY);
    }
}

#[test]
fn probes_tell_ready_from_empty_and_need_no_token() {
    let (full, empty) = (project(), TempProject::empty());
    let server = HttpServer::start_at("127.0.0.1:0", Some("open sesame"), &full);
    assert_eq!(server.get("/healthz").ok()["status"], "alive");
    await_readiness(&server, 200, "ready");
    let server = HttpServer::start(&empty);
    await_readiness(&server, 200, "empty");
}

#[test]
fn figures_are_for_callers_with_a_token_and_name_no_unknown_route() {
    let project = project();
    let server = HttpServer::start_at("127.0.0.1:0", Some("open sesame"), &project);
    await_readiness(&server, 200, "ready");
    server.get("/metrics").refusal(401);
    server.get_as("open sesame", "/api/v1/search?q=add+two+numbers").ok();
    server.get_as("open sesame", "/no/such/path%22%0A").refusal(404);
    let text = server.get_as("open sesame", "/metrics").body;
    let figure = |start: &str| {
        let line = text.lines().find(|line| line.starts_with(start));
        line.unwrap_or_else(|| panic!("{start} in {text}"))
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    let searches = "vectorcode_http_requests_total{method=\"GET\",route=\"/api/v1/search\",status=\"200\"}";
    assert!(figure(searches) >= 1.0);
    assert!(figure("vectorcode_http_requests_total{method=\"GET\",route=\"other\",status=\"404\"}") >= 1.0);
    assert!(figure("vectorcode_search_stage_duration_seconds_count{stage=\"search\"}") >= 1.0);
    assert!(figure("vectorcode_index_chunks{project=") >= 1.0);
    assert!(figure("vectorcode_index_age_seconds{project=") >= 0.0);
    assert!(text.contains("vectorcode_build_info{version=") && !text.contains("such"), "{text}");
}

#[test]
fn the_log_has_a_line_for_each_request_without_queries_and_tokens() {
    let project = project();
    let options = ["--http", "127.0.0.1:0", "--log-format", "json"];
    let variables = [("VECTORCODE_HTTP_TOKEN", "open sesame")];
    let mut server = HttpServer::start_in(ScratchHome::new(), &options, &variables, &project);
    let headers = [("Authorization", "Bearer open sesame"), ("X-Request-Id", "from-the-proxy-1")];
    let reply = server.send("GET", "/api/v1/search?q=very+private+question", &headers, "");
    assert!(reply.head.contains("x-request-id: from-the-proxy-1"), "{}", reply.head);
    let line = loop {
        let line = server.log_line();
        assert!(!line.contains("private") && !line.contains("sesame"), "{line}");
        if line.contains("from-the-proxy-1") {
            break line;
        }
    };
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&line["route"], &line["token"]), (&json!("/api/v1/search"), &json!("environment")));
    assert_eq!(line["request_id"], "from-the-proxy-1");
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_end_finishes_what_it_has_begun() {
    let project = project();
    let variables = [("VECTORCODE_SERVER_DRAIN_DELAY_SECS", "600"), ("VECTORCODE_SERVER_DRAIN_SECS", "600")];
    let mut server =
        HttpServer::start_in(ScratchHome::new(), &["--http", "127.0.0.1:0"], &variables, &project);
    await_readiness(&server, 200, "ready");
    let body = json!({"q": "add two numbers"}).to_string();
    let mut slow = server.open(&format!(
        "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{}",
        body.len(),
        &body[..5]
    ));
    server.terminate();
    // It still responds, so that a load balancer can see that it is about to stop.
    await_readiness(&server, 503, "draining");
    server.terminate();
    slow.write_all(&body.as_bytes()[5..]).unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("src/lib.rs"), "{answer}");
    assert!(server.wait().success());
}
