//! MCP clients that open one session after another, send very long names, do not wait for responses, and keep streams open.
//! The server's memory must stay bounded, and a well-behaved client must be answered.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use super::http::{exchange, under_trouble};
use crate::scene::{Round, Trials, Violation};

const SESSIONS: u64 = 1_000;
/// One in this many clients sends a message of the maximum size.
const EVERY_LARGE: u64 = 10;
const LARGE_BYTES: usize = 3_900_000;
const SMALL_BYTES: usize = 100_000;
/// Connections that stay open to the end: half of them send a body that never ends, half listen to a session.
const HELD: usize = 80;
/// Enough objects to take hundreds of megabytes once they are parsed.
const VALUES: usize = 500_000;
const WRITE_LIMIT: Duration = Duration::from_secs(30);

pub fn many_sessions(round: &mut Round<'_>) -> Result<Trials, Violation> {
    under_trouble(round, |round, port| {
        let mut held = Vec::new();
        for number in 0..SESSIONS {
            let session = open_session(port, &said_by(round, number))?;
            if round.rng.bool() {
                leave_a_call(port, &session)?;
            }
            if held.len() < HELD {
                held.push(send(port, &slow_request())?);
                held.push(send(port, &request("GET", Some(&session), ""))?);
            }
        }
        refuse_many_values(port)?;
        let session = open_session(port, "a proper client")?;
        let tools = exchange(port, request("POST", Some(&session), &call("tools/list", "{}")).as_bytes())?;
        if !tools.contains("vec_search") {
            return Err(Violation::wrong("tools/list", "the tools", tools));
        }
        Ok(())
    })?;
    Ok(SESSIONS)
}

/// The name that the client sends.
fn said_by(round: &mut Round<'_>, number: u64) -> String {
    let bytes = if number.is_multiple_of(EVERY_LARGE) { LARGE_BYTES } else { SMALL_BYTES };
    round.rng.alphabetic().to_string().repeat(bytes)
}

fn open_session(port: u16, said: &str) -> Result<String, Violation> {
    let params = format!(
        r#"{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{{"name":"{said}","version":"1"}}}}"#
    );
    let answer = exchange(port, request("POST", None, &call("initialize", &params)).as_bytes())?;
    let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    id.map(|id| id.trim().to_owned()).ok_or_else(|| Violation::wrong("initialize", "a session", answer))
}

/// Requests a search and disconnects. All calls have the same id, which a well-behaved client never does.
fn leave_a_call(port: u16, session: &str) -> Result<(), Violation> {
    let params = r#"{"name":"vec_search","arguments":{"query":"adds a number to a total"}}"#;
    send(port, &request("POST", Some(session), &call("tools/call", params)))?;
    Ok(())
}

fn refuse_many_values(port: u16) -> Result<(), Violation> {
    let params = format!("[{}0]", "{\"\":0},".repeat(VALUES));
    let answer = exchange(port, request("POST", None, &call("initialize", &params)).as_bytes())?;
    if answer.starts_with("HTTP/1.1 413") {
        return Ok(());
    }
    Err(Violation::wrong("a message of very many values", "status 413", answer))
}

fn call(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn request(method: &str, session: Option<&str>, body: &str) -> String {
    let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{session}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A request whose body stops after a few bytes.
fn slow_request() -> String {
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
     Accept: application/json, text/event-stream\r\nContent-Length: 4000000\r\n\r\n{\"jsonrpc\":"
        .into()
}

fn send(port: u16, request: &str) -> std::io::Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_write_timeout(Some(WRITE_LIMIT))?;
    stream.write_all(request.as_bytes())?;
    Ok(stream)
}
