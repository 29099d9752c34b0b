//! Streamable HTTP: who is let in, and that both eras work there too.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use super::client::PATIENCE;

/// A running `vectorcode serve --mcp --http`, ended when dropped.
struct HttpServer {
    child: Child,
    port: u16,
    _project: TempProject,
    _home: ScratchHome,
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl HttpServer {
    fn start(address: &str, token: Option<&str>) -> Self {
        let project =
            TempProject::new(&[("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")]);
        let home = ScratchHome::new();
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        home.apply(&mut command).args(["serve", "--mcp", "--http", address]).current_dir(project.root());
        command.env_remove("VECTORCODE_HTTP_TOKEN").envs(token.map(|token| ("VECTORCODE_HTTP_TOKEN", token)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_once("http://").and_then(|(_, rest)| rest.split('/').next());
        let port = address.and_then(|address| address.rsplit(':').next()?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in {line:?}"));
        Self { child, port, _project: project, _home: home }
    }

    /// Posts `body` to `/mcp`, with `headers` beside or instead of the usual ones.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        let host = format!("127.0.0.1:{}", self.port);
        let usual = [
            ("Host", host.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
        let kept = usual.iter().filter(|(name, _)| headers.iter().all(|(other, _)| other != name));
        for (name, value) in kept.chain(headers) {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        self.exchange(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    fn exchange(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A server that refuses a large body may close before all of it is written.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Reply { status, head: head.to_lowercase(), body: body.to_owned() }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

#[test]
fn a_handshake_opens_a_session() {
    let server = HttpServer::start("127.0.0.1:0", None);
    let reply = server.post(&[], &initialize());
    assert_eq!(reply.status, 200, "{}", reply.head);
    assert!(reply.body.contains("\"protocolVersion\":\"2025-06-18\""), "{}", reply.body);
    assert!(reply.head.contains("mcp-session-id:"), "{}", reply.head);
}

#[test]
fn the_stateless_era_needs_no_session() {
    let server = HttpServer::start("127.0.0.1:0", None);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body: Value = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];
    let reply = server.post(&headers, &body.to_string());
    assert_eq!(reply.status, 200, "{} {}", reply.head, reply.body);
    assert!(reply.body.contains("vec_search"), "{}", reply.body);
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let server = HttpServer::start("127.0.0.1:0", None);
    assert_eq!(server.post(&[("Host", "evil.example")], &initialize()).status, 403);
    assert_eq!(server.post(&[("Origin", "https://evil.example")], &initialize()).status, 403);
    assert_eq!(server.post(&[("Origin", "null")], &initialize()).status, 403);
    assert_eq!(server.post(&[("Origin", "http://localhost:3000")], &initialize()).status, 200);
    assert_eq!(server.post(&[("Host", "localhost")], &initialize()).status, 200);
}

#[test]
fn an_open_address_asks_for_its_token() {
    let server = HttpServer::start("0.0.0.0:0", Some("open sesame"));
    let refused = server.post(&[], &initialize());
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
    assert_eq!(server.post(&[("Authorization", "Bearer wrong")], &initialize()).status, 401);
    assert_eq!(server.post(&[("Authorization", "Bearer open sesame")], &initialize()).status, 200);
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
    let server = HttpServer::start("127.0.0.1:0", None);
    assert_eq!(server.post(&[], &"x".repeat(5_000_000)).status, 413);
    assert!((400..500).contains(&server.post(&[], "this is not JSON").status));
    assert!((400..500).contains(
        &server.exchange("GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").status
    ));
    assert!((400..500).contains(&server.exchange("nonsense\r\n\r\n").status));
    assert_eq!(server.post(&[], &initialize()).status, 200);
}

#[cfg(unix)]
#[test]
fn the_server_ends_when_told_to() {
    let mut server = HttpServer::start("127.0.0.1:0", None);
    assert!(Command::new("kill").arg(server.child.id().to_string()).status().unwrap().success());
    assert!(server.child.wait().unwrap().success());
}
