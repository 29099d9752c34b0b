//! Streamable HTTP: access checks, and that both protocol eras work there too.

use std::process::Command;

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use crate::http::server::{HttpServer, Reply};

fn project() -> TempProject {
    TempProject::new(&[("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")])
}

/// Posts `body` to `/mcp`, with `headers` in addition to the usual ones.
fn post(server: &HttpServer, headers: &[(&str, &str)], body: &str) -> Reply {
    let usual = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    server.send("POST", "/mcp", &[&usual, headers].concat(), body)
}

fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

#[test]
fn a_handshake_opens_a_session() {
    let project = project();
    let server = HttpServer::start(&project);
    let reply = post(&server, &[], &initialize());
    assert_eq!(reply.status, 200, "{}", reply.head);
    assert!(reply.body.contains("\"protocolVersion\":\"2025-06-18\""), "{}", reply.body);
    assert!(reply.head.contains("mcp-session-id:"), "{}", reply.head);
}

#[test]
fn the_stateless_era_needs_no_session() {
    let project = project();
    let server = HttpServer::start(&project);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body: Value = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];
    let reply = post(&server, &headers, &body.to_string());
    assert_eq!(reply.status, 200, "{} {}", reply.head, reply.body);
    assert!(reply.body.contains("vec_search"), "{}", reply.body);
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let project = project();
    let server = HttpServer::start(&project);
    assert_eq!(post(&server, &[("Host", "evil.example")], &initialize()).status, 403);
    assert_eq!(post(&server, &[("Origin", "https://evil.example")], &initialize()).status, 403);
    assert_eq!(post(&server, &[("Origin", "null")], &initialize()).status, 403);
    assert_eq!(post(&server, &[("Origin", "http://localhost:3000")], &initialize()).status, 200);
    assert_eq!(post(&server, &[("Host", "localhost")], &initialize()).status, 200);
}

#[test]
fn an_open_address_asks_for_its_token() {
    let project = project();
    let server = HttpServer::start_at("0.0.0.0:0", Some("open sesame"), &project);
    let refused = post(&server, &[], &initialize());
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
    assert_eq!(post(&server, &[("Authorization", "Bearer wrong")], &initialize()).status, 401);
    assert_eq!(post(&server, &[("Authorization", "Bearer open sesame")], &initialize()).status, 200);
}

#[test]
fn an_open_address_without_a_token_is_refused() {
    let (project, home) = (TempProject::empty(), ScratchHome::new());
    let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
    home.apply(&mut command).args(["serve", "--mcp", "--http", "0.0.0.0:0"]).current_dir(project.root());
    let output = command.env_remove("VECTORCODE_HTTP_TOKEN").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("VECTORCODE_HTTP_TOKEN"), "{output:?}");
}

#[test]
fn bad_requests_are_answered_and_leave_the_server_well() {
    let project = project();
    let server = HttpServer::start(&project);
    assert_eq!(post(&server, &[], &"x".repeat(5_000_000)).status, 413);
    assert!((400..500).contains(&post(&server, &[], "this is not JSON").status));
    assert!((400..500).contains(
        &server.exchange("GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status
    ));
    assert!((400..500).contains(&server.exchange("nonsense\r\n\r\n").status));
    assert_eq!(post(&server, &[], &initialize()).status, 200);
}

#[cfg(unix)]
#[test]
fn the_server_ends_when_told_to() {
    let project = project();
    let mut server = HttpServer::start(&project);
    server.terminate();
    assert!(server.wait().success());
}
