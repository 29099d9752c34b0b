//! MCP over a pair of byte streams, usually stdin and stdout: one message per line and nothing else. Stops when the client
//! does.

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
use vectorcode_engine::{Engine, Reach};

use super::frames::{self, Inbound};
use super::handler::{Callers, McpHandler};
use super::lines::{Line, LineReader};
use super::roots::DefaultProject;
use crate::access::Caller;
use crate::backend::Backend;
use crate::error::ServerError;
use crate::hints;
use crate::lifetime;
use crate::limits::MAX_MESSAGE_BYTES;
use crate::runtime::runtime;

/// Maximum number of frames queued for a client that reads slowly.
const FRAME_QUEUE_LENGTH: usize = 64;
/// How long the client may take to read the last responses after it has closed its side.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves until the client closes stdin or exits, or the process is asked to terminate.
pub fn serve_stdio(engine: Arc<Engine>, default_project: DefaultProject) -> Result<(), ServerError> {
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        let backend = Backend::start(engine)?;
        let served = serve(&backend, default_project).await;
        backend.stop();
        served
    });
    // A thread that is blocked reading stdin must not keep the process alive.
    runtime.shutdown_background();
    served
}

/// Serves over any pair of byte streams until the client closes its side, on the caller's runtime. For servers inside another
/// program, and for tests that send what no client sends.
pub async fn serve_stream(
    engine: Arc<Engine>,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServerError> {
    let backend = Backend::start(engine)?;
    let served = converse(&backend, DefaultProject::OfClient, input, output).await;
    backend.stop();
    served
}

async fn serve(backend: &Arc<Backend>, default_project: DefaultProject) -> Result<(), ServerError> {
    let (shutdown_signal, parent_exited) = (lifetime::shutdown_signal(), lifetime::parent_exited());
    let (stdin, stdout) = stdio_pipes();
    tokio::select! {
        ended = converse(backend, default_project, stdin, stdout) => ended,
        () = shutdown_signal => Ok(()),
        () = parent_exited => Ok(()),
        () = hints::serve(backend) => Ok(()),
    }
}

/// Handles messages until the input ends.
async fn converse(
    backend: &Arc<Backend>,
    default_project: DefaultProject,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServerError> {
    let transport = LineTransport::new(input, output, backend.shutdown().clone());
    let callers = Callers::Fixed(Caller::local(Reach::AnyDirectory));
    // `serve` would stop if the first message is not `initialize`. The handler supports both kinds of handshake, so messages
    // may come in any order.
    let service = serve_directly(McpHandler::new(backend.clone(), default_project, callers), transport, None);
    service.waiting().await.map(drop).map_err(ServerError::Loop)
}

/// Reads and writes one message per line. Cancels `shutdown` when either side is closed, so that long waits end.
struct LineTransport<R> {
    lines: LineReader<R>,
    /// The error response to a line that is not a message.
    rejection: Option<Vec<u8>>,
    frames: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    shutdown: CancellationToken,
}

impl<R: AsyncRead + Send + Unpin> LineTransport<R> {
    fn new(input: R, output: impl AsyncWrite + Send + Unpin + 'static, shutdown: CancellationToken) -> Self {
        let (frames, queue) = mpsc::channel(FRAME_QUEUE_LENGTH);
        let writer = tokio::spawn(write_frames(output, queue, shutdown.clone()));
        Self {
            lines: LineReader::new(input, MAX_MESSAGE_BYTES),
            rejection: None,
            frames: Some(frames),
            writer: Some(writer),
            shutdown,
        }
    }

    /// The next message; `None` at the end of the input. Cancel-safe: nothing that was read is lost between two calls.
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

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for LineTransport<R> {
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
        let shutdown = self.shutdown.clone();
        let message = tokio::select! {
            message = self.next_message() => message,
            () = shutdown.cancelled() => None,
        };
        if message.is_none() {
            self.shutdown.cancel();
        }
        message
    }

    /// Waits until the queued frames are written, or until nobody reads them.
    async fn close(&mut self) -> io::Result<()> {
        self.frames = None;
        let Some(writer) = self.writer.take() else { return Ok(()) };
        match tokio::time::timeout(FLUSH_TIMEOUT, writer).await {
            Ok(written) => written.map_err(io::Error::other),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// The only writer to stdout.
async fn write_frames(
    mut output: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Vec<u8>>,
    shutdown: CancellationToken,
) {
    while let Some(mut frame) = queue.recv().await {
        frame.push(b'\n');
        let written = match output.write_all(&frame).await {
            Ok(()) => output.flush().await,
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            tracing::debug!(%error, "the client no longer reads");
            shutdown.cancel();
            return;
        }
    }
}
