//! A client that sends raw frames, so that tests can also send what a proper client never would.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// Time between polls. Polling without a pause takes the CPU from the work that the test waits for.
pub const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A running `vectorcode serve --mcp`, stopped when dropped.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    frames: Receiver<Value>,
    /// Frames that have not been consumed yet: notifications, responses to other requests.
    kept: Vec<Value>,
    next_id: u64,
    home: ScratchHome,
}

/// The result of a tool call.
#[derive(Debug)]
pub struct ToolAnswer {
    pub text: String,
    pub structured: Value,
    pub is_error: bool,
}

impl Server {
    /// Starts a server for `project` that picks up changes quickly.
    pub fn start(project: &TempProject) -> Self {
        Self::start_in(project.root(), &["--debounce", "100"])
    }

    pub fn start_in(root: &Path, options: &[&str]) -> Self {
        Self::start_at_home(ScratchHome::new(), root, options)
    }

    /// Starts a server of a user with an existing home directory.
    pub fn start_at_home(home: ScratchHome, root: &Path, options: &[&str]) -> Self {
        Self::start_with(home, root, options, &[])
    }

    /// Starts a server with additional environment variables, which override those of the home.
    pub fn start_with(
        home: ScratchHome,
        root: &Path,
        options: &[&str],
        environment: &[(&str, &Path)],
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        home.apply(&mut command);
        command.envs(environment.iter().copied());
        command.args(["serve", "--mcp"]).args(options).current_dir(root);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary starts");
        let frames = read_frames(&mut child);
        let stdin = child.stdin.take();
        Self { child, stdin, frames, kept: Vec::new(), next_id: 1, home }
    }

    /// Another command of the same user.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        self.home.apply(&mut command).args(args).stdin(Stdio::null());
        command
    }

    /// The home directory of its user.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Starts a server and completes the handshake.
    pub fn ready(project: &TempProject) -> Self {
        let mut server = Self::start(project);
        server.initialize("2025-11-25");
        server
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        self.initialize_as(version, &json!({}))
    }

    /// Completes the handshake as a client with these capabilities.
    pub fn initialize_as(&mut self, version: &str, capabilities: &Value) -> Value {
        let client = json!({"name": "it", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
        let answer = self.request("initialize", &params);
        self.notify("notifications/initialized", &json!({}));
        answer["result"].clone()
    }

    pub fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).expect("the server reads");
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send_line(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().as_bytes());
    }

    /// Sends a request and returns its id.
    pub fn begin(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let frame = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send_line(frame.to_string().as_bytes());
        id
    }

    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.answer_to(id)
    }

    pub fn answer_to(&mut self, id: u64) -> Value {
        self.frame(|frame| frame["id"] == id && frame.get("method").is_none())
    }

    /// The first frame, already received or new, that matches `wanted`.
    pub fn frame(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.kept.iter().position(&wanted) {
            return self.kept.remove(place);
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.frames.recv_timeout(left) {
                Ok(frame) if wanted(&frame) => return frame,
                Ok(frame) => self.kept.push(frame),
                Err(error) => panic!("no such frame ({error}); kept: {:?}", self.kept),
            }
        }
    }

    /// All frames so far that match `wanted`.
    pub fn seen(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        self.kept.extend(self.frames.try_iter());
        let (seen, kept) = self.kept.drain(..).partition(wanted);
        self.kept = kept;
        seen
    }

    /// Calls a tool as agents do. If the call changes nothing, calls it again for its structured result.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> ToolAnswer {
        const WRITES: [&str; 4] = ["index", "remove", "watch", "unwatch"];
        let writes = tool == "vec_reindex" || WRITES.iter().any(|action| arguments["action"] == *action);
        if writes {
            return self.call_for_value(tool, arguments);
        }
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"].get("structuredContent").is_none(), "text only unless asked: {answer}");
        let structured = match arguments.get("format") {
            None => self.call_for_value(tool, arguments).structured,
            Some(_) => Value::Null,
        };
        ToolAnswer { structured, ..ToolAnswer::of(&answer) }
    }

    /// Calls a tool as programs do, for its structured result.
    pub fn call_for_value(&mut self, tool: &str, arguments: &Value) -> ToolAnswer {
        let mut arguments = arguments.clone();
        arguments["format"] = "json".into();
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        ToolAnswer::of(&answer)
    }

    pub fn search(&mut self, query: &str) -> ToolAnswer {
        self.call("vec_search", &json!({"query": query, "threshold": 0.0}))
    }

    /// Calls repeatedly until the result is as wanted.
    pub fn call_until(
        &mut self,
        tool: &str,
        arguments: &Value,
        wanted: impl Fn(&ToolAnswer) -> bool,
    ) -> ToolAnswer {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer = self.call(tool, arguments);
            if wanted(&answer) {
                return answer;
            }
            assert!(Instant::now() < deadline, "{tool} {arguments} stays at\n{}", answer.text);
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Waits until everything on disk is in the index. Vectors of stage two may still be missing.
    pub fn synced(&mut self) -> ToolAnswer {
        self.call_until("vec_status", &json!({}), |status| {
            let structured = &status.structured;
            structured["indexed"] == true
                && structured["files"].as_u64() > Some(0)
                && structured["pending"].as_array().is_some_and(Vec::is_empty)
                && structured["last_sync_at"].is_string()
        })
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Runs another command of the same user in `root`, and returns what it printed.
    pub fn run(&self, root: &Path, args: &[&str]) -> String {
        let output = self.command(args).current_dir(root).output().expect("the binary starts");
        assert!(output.status.success(), "{args:?}: {output:?}");
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
    }

    /// Waits for the process to exit.
    pub fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.child.try_wait().expect("the process can be waited for") {
                Some(status) => return status,
                None => assert!(Instant::now() < deadline, "the server does not end"),
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Like `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("the process can be waited for");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may already have exited, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ToolAnswer {
    pub fn of(frame: &Value) -> Self {
        let result = &frame["result"];
        assert!(result.is_object(), "not a result: {frame}");
        Self {
            text: result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
            structured: result["structuredContent"].clone(),
            is_error: result["isError"] == true,
        }
    }

    /// The paths of all results.
    pub fn paths(&self) -> Vec<&str> {
        let results = self.structured["results"].as_array();
        results.into_iter().flatten().filter_map(|result| result["path"].as_str()).collect()
    }
}

/// Reads stdout on a thread. Anything that is not a frame ends the thread, which makes the waiting test fail.
fn read_frames(child: &mut Child) -> Receiver<Value> {
    let stdout = child.stdout.take().expect("stdout is piped");
    let (sender, frames) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            let line = line.expect("stdout is UTF-8");
            let frame: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not a frame: {line}"));
            assert_eq!(frame["jsonrpc"], "2.0", "not a frame: {line}");
            if sender.send(frame).is_err() {
                return;
            }
        }
    });
    frames
}

/// Whether a server that has exited sends nothing more.
pub fn is_silent(server: &mut Server) -> bool {
    matches!(server.frames.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected))
}
