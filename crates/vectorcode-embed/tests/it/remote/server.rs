//! A fake server on the loopback interface. It sends the replies that a test prepared, and records the requests.

use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// A request as received.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub json: Value,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}

/// The response to send.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    /// How many bytes of the body are sent before the connection closes.
    pub sent_bytes: usize,
}

impl Reply {
    pub fn new(status: u16, body: impl ToString) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string(), sent_bytes: usize::MAX }
    }

    pub fn with_header(mut self, name: &'static str, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// A failure that the client may retry immediately.
    pub fn busy(status: u16) -> Self {
        Self::new(status, "busy").with_header("retry-after", 0)
    }

    pub fn cut_off(mut self) -> Self {
        self.sent_bytes = self.body.len() / 2;
        self
    }
}

type Handler = dyn Fn(&Received) -> Reply + Send + Sync;

struct Shared {
    handler: Box<Handler>,
    received: Mutex<Vec<Received>>,
    stopping: AtomicBool,
}

pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(handler: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            received: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let acceptor = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { address, shared, acceptor: Some(acceptor) }
    }

    /// Sends the replies in order and repeats the last one.
    pub fn replying(replies: Vec<Reply>) -> Self {
        let left = Mutex::new(replies);
        Self::start(move |_| {
            let mut left = left.lock().unwrap();
            if left.len() > 1 { left.remove(0) } else { left[0].clone() }
        })
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // The acceptor blocks in `accept`; a last connection wakes it.
        let _ = TcpStream::connect(self.address);
        let ended = self.acceptor.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_none_or(|ended| ended.is_ok()));
    }
}

fn accept(listener: &TcpListener, shared: &Shared) {
    std::thread::scope(|scope| {
        for stream in listener.incoming() {
            if shared.stopping.load(Ordering::SeqCst) {
                break;
            }
            scope.spawn(move || answer(&stream.unwrap(), shared));
        }
    });
}

fn answer(stream: &TcpStream, shared: &Shared) {
    let received = read_request(stream);
    shared.received.lock().unwrap().push(received.clone());
    let reply = (shared.handler)(&received);
    // It is not an error if the client has disconnected.
    let _ = send(stream, &reply);
}

fn send(stream: &TcpStream, reply: &Reply) -> std::io::Result<()> {
    let mut writer = BufWriter::new(stream);
    write!(writer, "HTTP/1.1 {} Status\r\nconnection: close\r\n", reply.status)?;
    for (name, value) in &reply.headers {
        write!(writer, "{name}: {value}\r\n")?;
    }
    write!(writer, "content-length: {}\r\n\r\n", reply.body.len())?;
    writer.write_all(&reply.body.as_bytes()[..reply.body.len().min(reply.sent_bytes)])?;
    writer.flush()
}

fn read_request(stream: &TcpStream) -> Received {
    let mut reader = BufReader::new(stream);
    let mut lines = reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let path = lines.next().and_then(|line| line.split(' ').nth(1).map(str::to_owned)).unwrap_or_default();
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    Received { path, headers, json: serde_json::from_slice(&body).unwrap_or(Value::Null) }
}
