//! Frames that no MCP client would send. The server must still answer the next valid one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vectorcode_testkit::TempProject;

use crate::binary_under_test::{judge, wait};
use crate::mutation::mutate;
use crate::scene::{Round, Trials, Violation};

const FRAMES: u64 = 400;
/// The id of the valid request at the end. No mutation produces it by chance.
const LAST_ID: u64 = 987_654_321;
const TIME_LIMIT: Duration = Duration::from_mins(1);
/// How long the server may take to exit after its client has gone.
const END_LIMIT: Duration = Duration::from_secs(20);

pub fn bad_frames(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project =
        TempProject::new(&[("src/retry.py", "def retry():\n    \"\"\"Tries again.\"\"\"\n    pass\n")]);
    let mut command = round.binary.command(project.root(), &["serve", "--mcp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let answers = child.stdout.take().map(read_lines);
    let outcome = talk(round, &mut child, answers);
    if outcome.is_err() {
        // The violation is what matters; the process may have exited already.
        let _ = child.kill();
    }
    outcome?;
    match wait(&mut child, END_LIMIT)? {
        Some((status, _)) => judge("serve --mcp", status, "").map(|_| FRAMES),
        None => Err(Violation::Hangs { command: "serve --mcp".into(), seconds: END_LIMIT.as_secs() }),
    }
}

fn talk(
    round: &mut Round<'_>,
    child: &mut Child,
    answers: Option<Receiver<String>>,
) -> Result<(), Violation> {
    let (Some(mut stdin), Some(answers)) = (child.stdin.take(), answers) else { return Ok(()) };
    let client = json!({"name": "torture", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    send(&mut stdin, &request(1, "initialize", &hello))?;
    send(&mut stdin, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    for id in 0..FRAMES {
        let mut bytes = proper_frame(round, id + 2).to_string().into_bytes();
        mutate(&mut round.rng, &mut bytes);
        bytes.push(b'\n');
        stdin.write_all(&bytes)?;
    }
    send(&mut stdin, &request(LAST_ID, "ping", &json!({})))?;
    await_answer(&answers)
}

fn proper_frame(round: &mut Round<'_>, id: u64) -> Value {
    let search = json!({"name": "vec_search", "arguments": {"query": "tries again", "limit": 3}});
    let symbols = json!({"name": "vec_symbols", "arguments": {"name": "retry"}});
    match round.rng.u8(0..4) {
        0 => request(id, "tools/call", &search),
        1 => request(id, "tools/call", &symbols),
        2 => request(id, "tools/list", &json!({})),
        _ => json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
    }
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn send(stdin: &mut impl Write, frame: &Value) -> std::io::Result<()> {
    writeln!(stdin, "{frame}")
}

fn await_answer(answers: &Receiver<String>) -> Result<(), Violation> {
    let deadline = Instant::now() + TIME_LIMIT;
    let wanted = format!("\"id\":{LAST_ID}");
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match answers.recv_timeout(left) {
            Ok(line) if line.contains(&wanted) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(Violation::wrong("the last request", "an answer", error)),
        }
    }
}

fn read_lines(stdout: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
