//! Server-sent events about the activity of the index.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use vectorcode_testkit::TempProject;

use super::server::HttpServer;

pub const LISTEN: &str =
    "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";

/// The data of the next event with that name; `None` if the stream ends first.
pub fn next(stream: &mut BufReader<TcpStream>, name: &str) -> Option<String> {
    let mut lines = stream.lines().map_while(Result::ok);
    lines.find(|line| *line == format!("event: {name}"))?;
    lines.next()
}

#[test]
fn changes_of_the_index_are_told() {
    let project = TempProject::new(&[("src/a.rs", "pub fn a() {}\n")]);
    let server = HttpServer::ready(&project);
    let mut stream = BufReader::new(server.open(LISTEN));
    assert!(next(&mut stream, "activity").unwrap().contains("\"state\""));
    let before = next(&mut stream, "index").unwrap();
    project.write("src/b.rs", "pub fn b() {}\n");
    assert_ne!(next(&mut stream, "index").unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_server_that_is_told_to_end_ends_its_streams_and_itself() {
    let project = TempProject::new(&[("a.rs", "pub fn a() {}\n")]);
    let mut server = HttpServer::ready(&project);
    let mut stream = BufReader::new(server.open(LISTEN));
    next(&mut stream, "activity").unwrap();
    server.terminate();
    assert_eq!(next(&mut stream, "no such event"), None);
    assert!(server.wait().success());
}

#[test]
fn there_is_a_limit_to_listeners() {
    const MOST_LISTENERS: usize = 32;
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    let streams: Vec<_> = (0..MOST_LISTENERS)
        .map(|_| {
            let mut stream = BufReader::new(server.open(LISTEN));
            next(&mut stream, "activity").unwrap();
            stream
        })
        .collect();
    let refused = server.get("/api/v1/events");
    refused.refusal(503);
    assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
    server.get("/api/v1/health").ok();
    drop(streams);
}
