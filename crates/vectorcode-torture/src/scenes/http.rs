//! HTTP clients that are slow, rude or numerous. Valid requests must be answered meanwhile, in bounded memory.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::binary_under_test::{judge, peak_mib, wait};
use crate::mutation::mutate;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

const SLOW_CLIENTS: usize = 40;
const RUDE_REQUESTS: u64 = 150;
const PROPER_REQUESTS: u64 = 150;
const READ_LIMIT: Duration = Duration::from_mins(1);
const END_LIMIT: Duration = Duration::from_secs(20);
const MEMORY_LIMIT_MIB: u64 = 400;

pub fn bad_clients(round: &mut Round<'_>) -> Result<Trials, Violation> {
    under_trouble(round, trouble)?;
    Ok(RUDE_REQUESTS + PROPER_REQUESTS)
}

/// Starts a server, causes trouble on its port, and stops it. Its peak memory must stay within a limit.
pub(super) fn under_trouble(
    round: &mut Round<'_>,
    trouble: impl FnOnce(&mut Round<'_>, u16) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let project = tree::numbered("edition for clients");
    let arguments = ["serve", "--http", "127.0.0.1:0"];
    let mut command = round.binary.command(project.root(), &arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let outcome = port_of(&mut child).and_then(|port| trouble(round, port));
    let used_mib = peak_mib(child.id()).unwrap_or_default();
    terminate(&mut child)?;
    outcome?;
    if used_mib > MEMORY_LIMIT_MIB {
        let command = arguments.join(" ");
        return Err(Violation::TooMuchMemory { command, used_mib, limit_mib: MEMORY_LIMIT_MIB });
    }
    Ok(())
}

fn trouble(round: &mut Round<'_>, port: u16) -> Result<(), Violation> {
    // These hold their connections until the end of the round.
    let mut slow = Vec::new();
    for _ in 0..SLOW_CLIENTS {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.write_all(b"GET /api/v1/status HTTP/1.1\r\nHost: 127")?;
        slow.push(stream);
    }
    for _ in 0..RUDE_REQUESTS {
        let mut bytes = proper_request(round, port).into_bytes();
        mutate(&mut round.rng, &mut bytes);
        be_rude(port, &bytes)?;
    }
    for _ in 0..PROPER_REQUESTS {
        let request = proper_request(round, port);
        let answer = exchange(port, request.as_bytes())?;
        if !answer.starts_with("HTTP/1.1 200") {
            return Err(Violation::wrong(request, "status 200", answer));
        }
    }
    drop(slow);
    Ok(())
}

/// Reads the port from the address that the server prints before it starts serving.
fn port_of(child: &mut Child) -> Result<u16, Violation> {
    let mut line = String::new();
    if let Some(stderr) = child.stderr.take() {
        let mut reader = BufReader::new(stderr);
        reader.read_line(&mut line)?;
        // Unless somebody reads the pipe, the server would block once it is full.
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    }
    let address = line.split_once("http://").and_then(|(_, rest)| rest.split('/').next());
    let port = address.and_then(|address| address.rsplit(':').next()?.parse().ok());
    port.ok_or_else(|| Violation::wrong("the server's first line", "an address", line))
}

fn proper_request(round: &mut Round<'_>, port: u16) -> String {
    let head = format!("Host: 127.0.0.1:{port}\r\nConnection: close\r\n");
    if round.rng.bool() {
        return format!("GET /api/v1/status HTTP/1.1\r\n{head}\r\n");
    }
    let body = format!("{{\"q\":\"adds {} to a total\"}}", tree::any_number(&mut round.rng));
    let length = body.len();
    format!(
        "POST /api/v1/search HTTP/1.1\r\n{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Sends anything, and disconnects after reading a little at most. Only a refused connection is a violation.
fn be_rude(port: u16, bytes: &[u8]) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_millis(5)))?;
    let _ = stream.write_all(bytes);
    let _ = stream.read(&mut [0; 64]);
    Ok(())
}

pub(super) fn exchange(port: u16, request: &[u8]) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(READ_LIMIT))?;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Stops the server the way a system does, and waits for it.
fn terminate(child: &mut Child) -> Result<(), Violation> {
    if cfg!(unix) {
        Command::new("kill").arg(child.id().to_string()).output()?;
    } else {
        child.kill()?;
    }
    match wait(child, END_LIMIT)? {
        // A server may end by the signal that it was sent, so its exit code only tells a crash.
        Some((status, _)) if status.code().is_some() => judge("serve --http", status, "").map(|_| ()),
        Some(_) => Ok(()),
        None => Err(Violation::Hangs { command: "serve --http".into(), seconds: END_LIMIT.as_secs() }),
    }
}
