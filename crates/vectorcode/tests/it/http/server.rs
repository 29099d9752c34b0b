//! A client that writes raw requests, so that tests can also send what a proper client never would.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Instant;

use serde_json::Value;
use vectorcode_testkit::{ScratchHome, TempProject};

pub use crate::mcp::client::{LOOK_EVERY, PATIENCE};

/// A running `vectorcode serve --http`, stopped when dropped.
pub struct HttpServer {
    child: Child,
    port: u16,
    home: ScratchHome,
    log: BufReader<ChildStderr>,
}

/// The parts of a response that tests look at.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// In lower case.
    pub head: String,
    pub body: String,
}

impl HttpServer {
    /// Starts a server for `project` on a free loopback port.
    pub fn start(project: &TempProject) -> Self {
        Self::start_at("127.0.0.1:0", None, project)
    }

    pub fn start_at(address: &str, token: Option<&str>, project: &TempProject) -> Self {
        let variables: Vec<_> = token.map(|token| ("VECTORCODE_HTTP_TOKEN", token)).into_iter().collect();
        Self::start_in(ScratchHome::new(), &["--http", address], &variables, project)
    }

    /// Starts a server of the user with this home directory, with these options and environment variables.
    pub fn start_in(
        home: ScratchHome,
        options: &[&str],
        variables: &[(&str, &str)],
        project: &TempProject,
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        home.apply(&mut command).args(["serve", "--debounce", "100"]).args(options);
        command.current_dir(project.root());
        command.env_remove("VECTORCODE_HTTP_TOKEN").envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        // A warning may come first, for example if the system has no file events left.
        let mut lines = String::new();
        let port = loop {
            let read = log.read_line(&mut lines).unwrap();
            assert!(read > 0, "no port in {lines:?}");
            let address = lines.split_once("http://").and_then(|(_, rest)| rest.split('/').next());
            if let Some(port) = address.and_then(|address| address.rsplit(':').next()?.parse().ok()) {
                break port;
            }
        };
        Self { child, port, home, log }
    }

    /// Starts a server and waits until it has read all files of the project.
    pub fn ready(project: &TempProject) -> Self {
        let server = Self::start(project);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let status = server.get("/api/v1/status").json();
            let index = &status["index"];
            if index["files"].as_u64() > Some(0) && index["pending"].as_array().is_some_and(Vec::is_empty) {
                return server;
            }
            assert!(Instant::now() < deadline, "not ready: {status}");
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Another command of the same user.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        self.home.apply(&mut command).args(args).stdin(Stdio::null());
        command
    }

    /// The next line that the server writes to stderr.
    pub fn log_line(&mut self) -> String {
        let mut line = String::new();
        self.log.read_line(&mut line).unwrap();
        line
    }

    /// GET with a token.
    pub fn get_as(&self, token: &str, path: &str) -> Reply {
        self.send("GET", path, &[("Authorization", &format!("Bearer {token}"))], "")
    }

    /// POST with a token.
    pub fn post_as(&self, token: &str, path: &str, body: &Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.send("POST", path, &headers, &body.to_string())
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], &body.to_string())
    }

    /// Sends a request with `headers` in addition to or instead of the usual ones.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let host = format!("127.0.0.1:{}", self.port);
        let usual = [("Host", host.as_str()), ("Connection", "close")];
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let kept = usual.iter().filter(|(name, _)| headers.iter().all(|(other, _)| other != name));
        for (name, value) in kept.chain(headers) {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        self.exchange(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    pub fn exchange(&self, request: &str) -> Reply {
        let mut stream = self.open(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Reply { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// Sends a request and returns the connection, without reading the response.
    pub fn open(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // A server that refuses a large body may close before all of it is written.
        let _ = stream.write_all(request.as_bytes());
        stream
    }

    /// Resident memory of the server.
    #[cfg(target_os = "linux")]
    pub fn memory_mib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() / 1024
    }

    /// Asks the process to terminate, as the operating system does.
    #[cfg(unix)]
    pub fn terminate(&self) {
        assert!(Command::new("kill").arg(self.child.id().to_string()).status().unwrap().success());
    }

    /// Waits for the process to exit.
    #[cfg(unix)]
    pub fn wait(&mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It may already have exited, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error} in {}\n{}", self.head, self.body))
    }

    /// The body of a response that must be a success.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}\n{}", self.head, self.body);
        self.json()
    }

    /// The message of an error response, after checking its shape.
    pub fn refusal(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        let error = &self.json()["error"];
        assert!(["user", "environment", "bug"].contains(&error["kind"].as_str().unwrap()), "{error}");
        assert!(error["hint"].is_null() || error["hint"].is_string(), "{error}");
        error["message"].as_str().unwrap().to_owned()
    }
}
