//! Whatever lines a client sends over MCP, the next valid request is answered.
//!
//! This is the complete server, over an indexed project: a frame that happens to be a tool call is executed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, WriteHalf};
use tokio::runtime::Runtime;

/// Longer than any search takes under AddressSanitizer. A server that is silent for this long hangs.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);
const PIPE_BYTES: usize = 1 << 16;

struct Client {
    runtime: Runtime,
    requests: Mutex<WriteHalf<DuplexStream>>,
    answers: Mutex<Receiver<String>>,
    pings: AtomicU64,
}

static CLIENT: LazyLock<Client> = LazyLock::new(Client::connect);

pub fn mcp_frames(bytes: &[u8]) {
    CLIENT.send(bytes);
    CLIENT.ping();
}

impl Client {
    fn connect() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("threads can be started");
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        runtime.spawn(async move {
            let (_files, engine) = super::indexed_project();
            let (input, output) = tokio::io::split(theirs);
            let ended = vectorcode_server::serve_stream(engine, input, output).await;
            panic!("the server ended: {ended:?}");
        });
        let (reading, writing) = tokio::io::split(ours);
        let (sender, answers) = channel();
        runtime.spawn(async move {
            let mut lines = BufReader::new(reading).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let _ = sender.send(line);
            }
        });
        Self {
            runtime,
            requests: Mutex::new(writing),
            answers: Mutex::new(answers),
            pings: AtomicU64::new(0),
        }
    }

    fn send(&self, bytes: &[u8]) {
        let mut requests = self.requests.lock().expect("no other thread sends");
        let sent = self.runtime.block_on(async {
            requests.write_all(bytes).await?;
            requests.write_all(b"\n").await
        });
        sent.expect("the server reads");
    }

    /// Sends a valid request and waits for its response. Responses to other frames may arrive before it.
    fn ping(&self) {
        let id = format!("ping-{}", self.pings.fetch_add(1, Ordering::Relaxed));
        let ping = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        self.send(ping.to_string().as_bytes());
        let answers = self.answers.lock().expect("no other thread receives");
        loop {
            let line = answers.recv_timeout(ANSWER_TIMEOUT).expect("the server answers");
            let answer: serde_json::Value = serde_json::from_str(&line).expect("every line is a message");
            if answer["id"] == id.as_str() {
                return;
            }
        }
    }
}
