//! Pulls over HTTP from a plain file server on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tempfile::tempdir;
use vectorcode_core::CancelToken;
use vectorcode_team::{Location, PushRequest, TeamError};

use crate::clone::{Clone, clone_of, function};

/// Serves the files of a folder until it is dropped.
struct FileServer {
    address: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FileServer {
    fn start(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let stop = Arc::new(AtomicBool::new(false));
        let (root, stopped) = (root.to_path_buf(), stop.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().take_while(|_| !stopped.load(Ordering::SeqCst)) {
                // A client that hangs up early does not matter to the server.
                let _ = stream.and_then(|stream| answer(&stream, &root));
            }
        });
        Self { address, stop, thread: Some(thread) }
    }

    fn location(&self, path: &str) -> Location {
        Location::parse(&format!("http://{}{path}", self.address), Path::new(".")).unwrap()
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn answer(mut stream: &TcpStream, root: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
    let file: PathBuf = root.join(path.trim_start_matches("team/"));
    match std::fs::read(file) {
        Ok(body) => {
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nLast-Modified: Mon, 16 Nov 2026 01:00:00 GMT\r\nConnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes())?;
            stream.write_all(&body)
        }
        Err(_) => {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
    }
}

fn shop() -> Clone {
    clone_of(&[&[("src/apples.rs", Some(&function("apples"))), ("src/boats.rs", Some(&function("boats")))]])
}

#[test]
fn a_web_server_is_pulled_from_and_not_pushed_to() {
    let folder = tempdir().unwrap();
    let first = shop();
    first.index();
    first.push(folder.path()).unwrap();
    let server = FileServer::start(folder.path());
    let second = shop();
    second.read_files();
    let report = second.pull(&server.location("/team")).unwrap();
    assert_eq!((report.filled, report.missing), (2, 2), "{report:?}");

    let location = server.location("/team");
    let request = PushRequest {
        location: &location,
        settings: &first.settings,
        dry_run: false,
        keep: None,
        progress: &|_, _| {},
        cancel: &CancelToken::default(),
    };
    let error = vectorcode_team::push(&first.engine, &request).unwrap_err();
    assert!(matches!(error, TeamError::ReadOnly { .. }), "{error}");
}

#[test]
fn a_server_that_has_nothing_or_is_gone_is_told_apart() {
    let folder = tempdir().unwrap();
    let server = FileServer::start(folder.path());
    let clone = shop();
    clone.read_files();
    let report = clone.pull(&server.location("/team")).unwrap();
    assert!(report.notes[0].contains("There is no bundle"), "{report:?}");
    let gone = server.location("/team");
    drop(server);
    let cancel = CancelToken::default();
    let error = std::thread::scope(|scope| {
        let pull = scope.spawn(|| {
            let request = vectorcode_team::PullRequest {
                location: &gone,
                settings: &clone.settings,
                progress: &|_, _| {},
                cancel: &cancel,
            };
            vectorcode_team::pull(&clone.engine, &request).unwrap_err()
        });
        cancel.cancel();
        pull.join().unwrap()
    });
    assert!(matches!(error, TeamError::Cancelled | TeamError::Remote { .. }), "{error}");
}
