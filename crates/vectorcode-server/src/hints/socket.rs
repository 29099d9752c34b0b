//! The socket between hooks and a running server: one JSON line in, a few lines of text out.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixListener;
use vectorcode_core::private_files;
use vectorcode_engine::Project;

use super::HintRequest;
use super::answers::Hints;

/// A request has at most a few kilobytes of the agent's output, a response three lines.
const MAX_QUESTION_BYTES: u64 = 64 << 10;
const MAX_ANSWER_BYTES: u64 = 8 << 10;
/// How long a hook may take to send its request.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(1);
/// How often a server checks whether the socket is free, or still its own.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// How often it checks while there is no directory for the socket, which the first index creates.
const FIRST_INDEX_INTERVAL: Duration = Duration::from_millis(100);

/// Sends a request and returns the response. `None` if no server runs or the time is up.
pub(super) fn ask(project: &Project, request: &HintRequest, limit: Duration) -> Option<String> {
    let path = project.hook_socket()?;
    private_files::check_directory(path.parent()?).ok()?;
    // A project may contain a link to the socket of some other program.
    let found = fs::symlink_metadata(&path).ok()?;
    if !found.file_type().is_socket() || !private_files::is_own(&found) {
        return None;
    }
    let mut stream = UnixStream::connect(path).ok()?;
    stream.set_read_timeout(Some(limit)).ok()?;
    stream.set_write_timeout(Some(limit)).ok()?;
    let mut question = serde_json::to_vec(request).ok()?;
    question.push(b'\n');
    stream.write_all(&question).ok()?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// Answers hooks. If several servers run for a project, one listens, and another takes over when it ends. Only returns if no
/// socket is possible.
pub(super) async fn serve(hints: &Arc<Hints>) {
    let Some(path) = hints.project.engine().project().hook_socket() else { return };
    loop {
        if let Some(bound) = Bound::at(&path) {
            bound.serve(hints).await;
        }
        let has_directory = path.parent().is_some_and(Path::is_dir);
        tokio::time::sleep(if has_directory { CHECK_INTERVAL } else { FIRST_INDEX_INTERVAL }).await;
    }
}

/// A socket that this server listens on.
struct Bound {
    listener: UnixListener,
    path: PathBuf,
    inode: u64,
}

impl Bound {
    /// `None` if another server listens, or if the directory cannot hold a socket.
    fn at(path: &Path) -> Option<Self> {
        let directory = path.parent()?;
        private_files::check_directory(directory).ok()?;
        let found = fs::symlink_metadata(path).ok();
        // Anything but a socket was put there by somebody else and is not touched: a link may point to another program's
        // socket.
        if !directory.is_dir() || found.as_ref().is_some_and(|found| !found.file_type().is_socket()) {
            return None;
        }
        if UnixStream::connect(path).is_ok() {
            return None;
        }
        // Left behind by a server that was killed.
        if found.is_some() {
            let _ = fs::remove_file(path);
        }
        let listener = UnixListener::bind(path)
            .inspect_err(|error| tracing::debug!(%error, "the hooks of agents are not answered"))
            .ok()?;
        private_files::restrict(path);
        let inode = fs::symlink_metadata(path).ok()?.ino();
        Some(Self { listener, path: path.to_owned(), inode })
    }

    /// Answers requests until the socket no longer belongs to this server.
    async fn serve(&self, hints: &Arc<Hints>) {
        let mut check = tokio::time::interval(CHECK_INTERVAL);
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        tokio::spawn(answer(hints.clone(), stream));
                    }
                    Err(_) => return,
                },
                _ = check.tick() => {
                    if !self.is_ours() {
                        return;
                    }
                }
            }
        }
    }

    fn is_ours(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode)
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.is_ours() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

async fn answer(hints: Arc<Hints>, stream: tokio::net::UnixStream) {
    let (input, mut output) = stream.into_split();
    let mut line = String::new();
    let mut input = BufReader::new(input.take(MAX_QUESTION_BYTES));
    let read = tokio::time::timeout(QUESTION_TIMEOUT, input.read_line(&mut line)).await;
    let (Ok(Ok(1..)), Ok(request)) = (read, serde_json::from_str::<HintRequest>(&line)) else { return };
    let text = hints.answer(request).await;
    // The hook may have given up.
    let _ = output.write_all(text.as_bytes()).await;
}
