//! Request smuggling: requests whose end is ambiguous. None may run with the token of another caller or bypass the checks of
//! Host and Origin, however a proxy in front interprets it.

use std::io::Read;

use vectorcode_testkit::TempProject;

use super::server::HttpServer;

const TOKEN: &str = "open sesame";
/// A request of another caller without a token.
const INNER: &str = "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// A request from a page of another site.
const FOREIGN: &str = "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n";
/// Sent after every attack; ends the connection if it still works.
const LAST: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// A request with the token, these headers and this body.
fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\n{headers}\r\n{body}"
    )
}

fn get(target: &str, version: &str, headers: &str) -> String {
    format!("GET {target} {version}\r\n{headers}\r\n")
}

fn with_token(headers: &str) -> String {
    format!("{headers}Authorization: Bearer {TOKEN}\r\n")
}

/// The statuses of all responses on one connection.
fn statuses(server: &HttpServer, bytes: &str) -> Vec<u16> {
    let mut answers = Vec::new();
    // A connection that is closed while we still write ends with an error, after the responses.
    let _ = server.open(bytes).read_to_end(&mut answers);
    let text = String::from_utf8_lossy(&answers);
    let heads = text.split("HTTP/1.").skip(1);
    heads.filter_map(|head| head.split(' ').nth(1)?.parse::<u16>().ok()).collect()
}

/// Name, request and statuses of the responses. Where there is only one, the server has closed the connection.
fn bodies() -> Vec<(&'static str, String, Vec<u16>)> {
    let length = |body: &str| format!("Content-Length: {}\r\n", body.len());
    let chunked = "Transfer-Encoding: chunked\r\n";
    let question = "{}";
    let twice = length(INNER).repeat(2);
    let chunk = |head: &str| post(chunked, &format!("{head}\r\n{question}\r\n0\r\n\r\n"));
    vec![
        ("a request as body", post(&length(INNER), INNER), vec![400, 200]),
        ("a request behind an empty body", post(&length(""), INNER), vec![400, 401, 200]),
        ("a foreign request behind it", post(&length(""), FOREIGN), vec![400, 403, 200]),
        ("the same length twice", post(&twice, INNER), vec![400, 200]),
        ("two lengths", post("Content-Length: 0\r\nContent-Length: 5\r\n", INNER), vec![400]),
        ("a list of lengths", post("Content-Length: 0, 5\r\n", INNER), vec![400]),
        ("a signed length", post("Content-Length: +0\r\n", INNER), vec![400]),
        ("a negative length", post("Content-Length: -1\r\n", INNER), vec![400]),
        ("a hexadecimal length", post("Content-Length: 0x0\r\n", INNER), vec![400]),
        ("a length beyond all numbers", post("Content-Length: 99999999999999999999\r\n", INNER), vec![400]),
        ("a length with a blank before its colon", post("Content-Length : 0\r\n", INNER), vec![400]),
        (
            "length, then chunks",
            post(&format!("Content-Length: 4\r\n{chunked}"), &format!("0\r\n\r\n{INNER}")),
            vec![400],
        ),
        (
            "chunks, then length",
            post(&format!("{chunked}Content-Length: 4\r\n"), &format!("0\r\n\r\n{INNER}")),
            vec![400],
        ),
        ("chunks that are not last", post("Transfer-Encoding: chunked, identity\r\n", INNER), vec![400]),
        ("two encodings", post(&format!("{chunked}Transfer-Encoding: identity\r\n"), INNER), vec![400]),
        ("an unknown encoding", post("Transfer-Encoding: xchunked\r\n", INNER), vec![400]),
        ("an encoding in quotes", post("Transfer-Encoding: \"chunked\"\r\n", INNER), vec![400]),
        ("a request behind the chunks", post(chunked, &format!("0\r\n\r\n{INNER}")), vec![400, 401, 200]),
        (
            "a token in the trailer",
            post(chunked, &format!("0\r\nAuthorization: Bearer {TOKEN}\r\n\r\n{INNER}")),
            vec![400, 401, 200],
        ),
        ("a chunk with an extension", chunk("2;a=b"), vec![400, 200]),
        ("a very long extension", chunk(&format!("2;{}", "x".repeat(100_000))), vec![400]),
        ("a chunk beyond all numbers", chunk("FFFFFFFFFFFFFFFFF2"), vec![400]),
        ("a chunk of a signed size", chunk("+2"), vec![400]),
        ("a chunk of a size with a prefix", chunk("0x2"), vec![400]),
        ("a chunk that is longer than its size", chunk("1"), vec![400]),
        (
            "a chunk size that ends with a line feed alone",
            post(chunked, &format!("2\n{question}\r\n0\r\n\r\n")),
            vec![400],
        ),
        ("chunks in HTTP/1.0", post(chunked, INNER).replace("HTTP/1.1", "HTTP/1.0"), vec![400]),
    ]
}

fn heads() -> Vec<(&'static str, String, Vec<u16>)> {
    let (path, version) = ("/api/v1/health", "HTTP/1.1");
    let local = "Host: localhost\r\n";
    let own = with_token(local);
    let many = "X: y\r\n".repeat(200);
    let large = format!("X: {}\r\n", "y".repeat(500_000));
    vec![
        ("a proper request", get(path, version, &own), vec![200, 200]),
        ("no token", get(path, version, local), vec![401, 200]),
        (
            "a token on a folded line",
            get(path, version, &format!("{local}X: y\r\n Authorization: Bearer {TOKEN}\r\n")),
            vec![400],
        ),
        (
            "a token behind a carriage return",
            get(path, version, &format!("{local}X: y\rAuthorization: Bearer {TOKEN}\r\n")),
            vec![400],
        ),
        (
            "a token behind a zero byte",
            get(path, version, &format!("{local}X: y\0Authorization: Bearer {TOKEN}\r\n")),
            vec![400],
        ),
        (
            "two tokens",
            get(path, version, &with_token(&format!("{local}Authorization: Bearer other\r\n"))),
            vec![401, 200],
        ),
        ("the token twice", get(path, version, &with_token(&own)), vec![401, 200]),
        ("no host", get(path, version, &with_token("")), vec![403, 200]),
        ("an empty host", get(path, version, &with_token("Host:\r\n")), vec![403, 200]),
        ("two hosts", get(path, version, &format!("{own}Host: evil.example\r\n")), vec![403, 200]),
        (
            "two hosts, the other first",
            get(path, version, &with_token("Host: evil.example\r\nHost: localhost\r\n")),
            vec![403, 200],
        ),
        (
            "a host with a user",
            get(path, version, &with_token("Host: evil.example@localhost\r\n")),
            vec![403, 200],
        ),
        (
            "two origins",
            get(path, version, &format!("{own}Origin: http://localhost\r\nOrigin: https://evil.example\r\n")),
            vec![403, 200],
        ),
        ("a target of the same host", get("http://localhost/api/v1/health", version, &own), vec![200, 200]),
        ("a target of another host", get("http://evil.example/api/v1/health", version, &own), vec![403, 200]),
        (
            "a target of another host without Host",
            get("http://localhost/api/v1/health", version, &with_token("")),
            vec![403, 200],
        ),
        ("HTTP/1.0 without a host", get(path, "HTTP/1.0", &with_token("")), vec![403]),
        ("HTTP/1.0", get(path, "HTTP/1.0", &own), vec![200]),
        ("HTTP/0.9", "GET /api/v1/health\r\n".into(), vec![400]),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".into(), vec![]),
        (
            "an upgrade",
            get(path, version, &format!("{own}Connection: Upgrade\r\nUpgrade: h2c\r\n")),
            vec![200, 200],
        ),
        ("a tunnel", format!("CONNECT evil.example:443 HTTP/1.1\r\n{own}\r\n"), vec![403, 200]),
        ("many headers", get(path, version, &format!("{own}{many}")), vec![431]),
        ("a large header", get(path, version, &format!("{own}{large}")), vec![431]),
        (
            "lines that end with a line feed alone",
            get(path, version, local).replace("\r\n", "\n"),
            vec![401, 200],
        ),
    ]
}

#[test]
fn no_request_hides_in_another() {
    let project = TempProject::empty();
    let server = HttpServer::start_at("127.0.0.1:0", Some(TOKEN), &project);
    let found: Vec<_> = bodies().into_iter().chain(heads()).collect();
    let mut wrong = Vec::new();
    for (name, attack, expected) in found {
        let statuses = statuses(&server, &format!("{attack}{LAST}"));
        if statuses != expected {
            wrong.push(format!("{name}: expected {expected:?}, got {statuses:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
