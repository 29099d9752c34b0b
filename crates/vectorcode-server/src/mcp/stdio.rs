//! MCP over stdin and stdout: one message a line, nothing else on stdout, and an end when the client ends.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ClientJsonRpcMessage;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly};
use rmcp::transport::{Transport, stdio_pipes};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use vectorcode_engine::Engine;

use super::frames::{self, Inbound};
use super::handler::McpHandler;
use super::lines::{Line, LineReader};
use crate::backend::Backend;
use crate::{MAX_MESSAGE_BYTES, ServerError, lifetime, runtime};

/// Frames that may wait for a client that reads slowly.
const QUEUED_FRAMES: usize = 64;
/// How long the last answers may take to be read once the client has closed its side.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Serves until the client closes stdin, goes away, or the system asks to end.
pub fn serve_stdio(engine: Arc<Engine>) -> Result<(), ServerError> {
    let runtime = runtime()?;
    let backend = Backend::start(engine)?;
    let served = runtime.block_on(serve(&backend));
    backend.stop();
    // A thread that still waits for stdin must not keep the process alive.
    runtime.shutdown_background();
    served
}

async fn serve(backend: &Arc<Backend>) -> Result<(), ServerError> {
    let (told_to_end, parent_gone) = (lifetime::told_to_end(), lifetime::parent_gone());
    let (stdin, stdout) = stdio_pipes();
    let transport = StdioTransport::new(stdin, stdout, backend.ending().clone());
    // Not `serve`, which ends the process when the first message is not the one it expects. The handler answers
    // both kinds of opening, so any order of messages will do.
    let service = serve_directly(McpHandler::new(backend.clone()), transport, None);
    tokio::select! {
        ended = service.waiting() => ended.map(drop).map_err(ServerError::Loop),
        () = told_to_end => Ok(()),
        () = parent_gone => Ok(()),
    }
}

/// Lines in, lines out. Cancels `ending` when either side is closed, so that long waits give up.
struct StdioTransport<R> {
    lines: LineReader<R>,
    /// Answers to lines that never become a message.
    rejection: Option<Vec<u8>>,
    frames: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    ending: CancellationToken,
}

impl<R: AsyncRead + Send + Unpin> StdioTransport<R> {
    fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static, ending: CancellationToken) -> Self {
        let (frames, queue) = mpsc::channel(QUEUED_FRAMES);
        let writer = tokio::spawn(write_frames(output, queue, ending.clone()));
        Self {
            lines: LineReader::new(input, MAX_MESSAGE_BYTES),
            rejection: None,
            frames: Some(frames),
            writer: Some(writer),
            ending,
        }
    }

    /// The next message; `None` at the end. Cancel-safe: nothing that was read is lost between two calls.
    async fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.send_rejection().await?;
            match self.lines.next().await {
                Line::Whole(line) => match frames::decode(&line) {
                    Inbound::Message(message) => return Some(*message),
                    Inbound::Reject(frame) => self.rejection = Some(frame),
                    Inbound::Ignore => {}
                },
                Line::TooLong => self.rejection = Some(frames::too_long(MAX_MESSAGE_BYTES)),
                Line::End => return None,
            }
        }
    }

    async fn send_rejection(&mut self) -> Option<()> {
        if self.rejection.is_some() {
            let slot = self.frames.as_ref()?.reserve().await.ok()?;
            if let Some(frame) = self.rejection.take() {
                slot.send(frame);
            }
        }
        Some(())
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for StdioTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let frames = self.frames.clone();
        async move {
            let frame = serde_json::to_vec(&message)?;
            let sent = match frames {
                Some(frames) => frames.send(frame).await.is_ok(),
                None => false,
            };
            if sent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let ending = self.ending.clone();
        let message = tokio::select! {
            message = self.next_message() => message,
            () = ending.cancelled() => None,
        };
        if message.is_none() {
            self.ending.cancel();
        }
        message
    }

    /// Lets the writer finish what is queued, unless nobody reads it.
    async fn close(&mut self) -> io::Result<()> {
        self.frames = None;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        match tokio::time::timeout(LAST_WORDS, writer).await {
            Ok(written) => written.map_err(io::Error::other),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// The only one who writes to stdout.
async fn write_frames(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Vec<u8>>,
    ending: CancellationToken,
) {
    while let Some(mut frame) = queue.recv().await {
        frame.push(b'\n');
        let written = match output.write_all(&frame).await {
            Ok(()) => output.flush().await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            tracing::debug!(%error, "the client does not read any more");
            ending.cancel();
            return;
        }
    }
}
