//! MCP sessions over HTTP: their owners, their limits, and what ends them.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::{Value, json};
use vectorcode_testkit::TempProject;

use super::server::{HttpServer, PATIENCE, Reply};

/// The maximum number of sessions of one caller.
const MOST_SESSIONS: usize = 100;

/// A server with two tokens.
struct Shared {
    server: HttpServer,
    _project: TempProject,
    ada: String,
    bob: String,
}

impl Shared {
    fn start() -> Self {
        let project = TempProject::new(&[("src/lib.rs", "pub fn add() {}\n")]);
        let server = HttpServer::start(&project);
        let token = |name: &str| {
            let made = server.command(&["token", "create", name, "--quiet"]).output().unwrap();
            String::from_utf8(made.stdout).unwrap().trim().to_owned()
        };
        let (ada, bob) = (token("ada"), token("bob"));
        Self { server, _project: project, ada, bob }
    }

    /// Opens a session and returns its id.
    fn open(&self, token: &str) -> String {
        let reply = ask(&self.server, "POST", Some(token), None, &initialize("it"));
        session_of(&reply)
    }

    fn list_tools(&self, token: &str, session: &str) -> Reply {
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
        ask(&self.server, "POST", Some(token), Some(session), &body)
    }

    fn listen(&self, token: &str, path: &str, session: &str) -> BufReader<TcpStream> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Mcp-Session-Id: {session}\r\nAccept: text/event-stream\r\n\r\n"
        );
        let mut stream = BufReader::new(self.server.open(&request));
        let mut status = String::new();
        stream.read_line(&mut status).unwrap();
        assert!(status.starts_with("HTTP/1.1 200"), "{path}: {status}");
        stream
    }
}

fn initialize(name: &str) -> String {
    let client = json!({"name": name, "version": name, "title": name, "description": name});
    let capabilities = json!({"experimental": {"x": {"y": name}}});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string()
}

fn ask(server: &HttpServer, method: &str, token: Option<&str>, session: Option<&str>, body: &str) -> Reply {
    let bearer = token.map(|token| format!("Bearer {token}"));
    let mut headers =
        vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    headers.extend(bearer.as_deref().map(|bearer| ("Authorization", bearer)));
    headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
    server.send(method, "/mcp", &headers, body)
}

/// Returns when the server closes the stream.
fn wait_for_end(stream: &mut impl Read) {
    let deadline = Instant::now() + PATIENCE;
    while stream.read(&mut [0; 1024]).unwrap() > 0 {
        assert!(Instant::now() < deadline, "the stream is still open");
    }
}

fn session_of(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{} {}", reply.head, reply.body);
    let id = reply.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    id.unwrap_or_else(|| panic!("no session in {}", reply.head)).trim().to_owned()
}

#[test]
fn a_session_does_not_exist_for_another_token() {
    let shared = Shared::start();
    let session = shared.open(&shared.ada);
    let unknown = shared.list_tools(&shared.bob, "no-such-session");
    assert_eq!(unknown.refusal(404), shared.list_tools(&shared.bob, &session).refusal(404));
    for method in ["GET", "DELETE"] {
        ask(&shared.server, method, Some(&shared.bob), Some(&session), "").refusal(404);
        assert_eq!(ask(&shared.server, method, None, Some(&session), "").status, 401);
    }
    let answered = shared.list_tools(&shared.ada, &session);
    assert!(answered.status == 200 && answered.body.contains("vec_search"), "{}", answered.body);
    assert_eq!(ask(&shared.server, "DELETE", Some(&shared.ada), Some(&session), "").status, 202);
    shared.list_tools(&shared.ada, &session).refusal(404);
}

#[test]
fn a_revoked_token_ends_its_sessions_and_streams() {
    let shared = Shared::start();
    let (ended, other) = (shared.open(&shared.ada), shared.open(&shared.bob));
    let mut streams =
        [shared.listen(&shared.ada, "/mcp", &ended), shared.listen(&shared.ada, "/api/v1/events", &ended)];
    let _others = shared.listen(&shared.bob, "/mcp", &other);
    assert!(shared.server.command(&["token", "revoke", "ada"]).status().unwrap().success());
    for stream in &mut streams {
        wait_for_end(stream);
    }
    assert_eq!(shared.list_tools(&shared.ada, &ended).status, 401);
    assert_eq!(shared.list_tools(&shared.bob, &other).status, 200);
}

#[test]
fn sessions_without_a_token_end_when_the_first_token_is_made() {
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    let session = session_of(&ask(&server, "POST", None, None, &initialize("it")));
    let request = format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nMcp-Session-Id: {session}\r\n\
         Accept: text/event-stream\r\n\r\n"
    );
    let mut stream = server.open(&request);
    let made = server.command(&["token", "create", "first", "--quiet"]).output().unwrap();
    let token = String::from_utf8(made.stdout).unwrap();
    wait_for_end(&mut stream);
    ask(&server, "POST", Some(token.trim()), Some(&session), &initialize("it")).refusal(404);
}

#[test]
fn the_session_that_was_used_longest_ago_makes_room() {
    let shared = Shared::start();
    let others = shared.open(&shared.bob);
    let sessions: Vec<String> = (0..MOST_SESSIONS).map(|_| shared.open(&shared.ada)).collect();
    assert_eq!(shared.list_tools(&shared.ada, &sessions[0]).status, 200);
    let last = shared.open(&shared.ada);
    shared.list_tools(&shared.ada, &sessions[1]).refusal(404);
    for (token, session) in [
        (&shared.ada, &sessions[0]),
        (&shared.ada, &last),
        (&shared.ada, &sessions[2]),
        (&shared.bob, &others),
    ] {
        assert_eq!(shared.list_tools(token, session).status, 200);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_clients_say_of_themselves_is_not_kept() {
    const CLIENTS: usize = 48;
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    // Five copies of the name, 3.9 MB together.
    let large = initialize(&"x".repeat(780_000));
    session_of(&ask(&server, "POST", None, None, &large));
    let before = server.memory_mib();
    for _ in 0..CLIENTS {
        session_of(&ask(&server, "POST", None, None, &large));
    }
    let grown = server.memory_mib().saturating_sub(before);
    assert!(grown < 100, "{grown} MiB more for {CLIENTS} sessions");
}

#[test]
fn a_message_of_very_many_values_is_refused() {
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    let bomb = format!("{{\"q\":[{}0]}}", "{\"\":0},".repeat(500_000));
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    for path in ["/mcp", "/api/v1/search"] {
        assert!(server.send("POST", path, &headers, &bomb).refusal(413).contains("values"));
    }
    let code: Value = json!({"q": "[{,".repeat(100_000), "threshold": 0.0});
    assert_ne!(server.post("/api/v1/search", &code).status, 413, "brackets in a string are no values");
}
