//! Bad frames, disconnects and other faults. The server responds or exits; it never panics or sends invalid output.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use super::client::{PATIENCE, Server, is_silent};

fn project() -> TempProject {
    TempProject::new(&[("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")])
}

fn code_for(server: &mut Server, line: &[u8]) -> Value {
    server.send_line(line);
    server.frame(|frame| frame.get("error").is_some())["error"]["code"].clone()
}

#[test]
fn each_fault_has_its_code() {
    let project = project();
    let mut server = Server::ready(&project);
    assert_eq!(code_for(&mut server, b"this is not JSON"), -32700);
    assert_eq!(code_for(&mut server, b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\":"), -32700);
    assert_eq!(code_for(&mut server, b"\xff\xfe\x00garbage"), -32700);
    assert_eq!(code_for(&mut server, b"[1, 2, 3]"), -32600);
    assert_eq!(code_for(&mut server, b"{\"jsonrpc\": \"2.0\", \"id\": 5}"), -32600);
    assert_eq!(server.request("no/such/method", &json!({}))["error"]["code"], -32601);
    assert_eq!(server.request("tools/call", &json!({"name": 5}))["error"]["code"], -32602);
    assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn a_line_of_ten_megabytes_is_refused_and_the_next_one_answered() {
    let project = project();
    let mut server = Server::ready(&project);
    let long = json!({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "y".repeat(10_000_000)}});
    assert_eq!(code_for(&mut server, long.to_string().as_bytes()), -32600);
    assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
}

#[test]
fn messages_before_the_handshake_do_no_harm() {
    let project = project();
    let mut server = Server::start(&project);
    server.notify("notifications/initialized", &json!({}));
    server.notify("notifications/cancelled", &json!({"requestId": 99}));
    server.send_line(br#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
    server.send_line(br#"{"jsonrpc":"2.0","id":1000,"method":"initialize","params":{}}"#);
    assert_eq!(server.answer_to(1000)["result"]["serverInfo"]["name"], "vectorcode");
}

#[test]
fn a_server_in_the_home_directory_says_with_every_tool_that_it_serves_no_project() {
    let home = ScratchHome::new();
    std::fs::write(home.path().join("note.md"), "# Prices\n\nThe sum of prices.\n").unwrap();
    let root = home.path().to_path_buf();
    let mut server = Server::start_at_home(home, &root, &[]);
    server.initialize("2025-11-25");
    for (tool, arguments) in [
        ("vec_status", json!({})),
        ("vec_search", json!({"query": "sum of prices"})),
        ("vec_symbols", json!({"name": "total"})),
        ("vec_graph", json!({"action": "stats"})),
        ("vec_reindex", json!({})),
    ] {
        let answer = server.call(tool, &arguments);
        assert!(answer.is_error, "{tool}: {}", answer.text);
        assert!(
            answer.text.contains("your home directory") && answer.text.contains("--project-path"),
            "{tool}: {}",
            answer.text
        );
        assert!(answer.text.contains("Pass `project`"), "{tool}: {}", answer.text);
    }
    assert!(!root.join(".vectorcode").exists(), "nothing is made there");
}

#[test]
fn thousands_of_mutated_frames_leave_the_server_answering() {
    let project = project();
    let mut server = Server::ready(&project);
    let seeds = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
               "params": {"name": "vec_search", "arguments": {"query": "add numbers", "limit": 3}}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "vec_status", "arguments": {}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}),
        json!({"jsonrpc": "2.0", "id": "x", "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}),
    ];
    let mut random = Random(0x5eed);
    for round in 0..3000 {
        let mut line = seeds[random.below(seeds.len())].to_string().into_bytes();
        for _ in 0..=random.below(4) {
            mutate(&mut line, &mut random);
        }
        line.retain(|byte| *byte != b'\n');
        server.send_line(&line);
        if round % 500 == 499 {
            let id = json!(format!("round {round}"));
            server.send_line(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string().as_bytes());
            server.frame(|frame| frame["id"] == id && frame.get("result").is_some());
        }
    }
}

#[test]
fn the_end_of_stdin_ends_the_server_even_while_it_indexes() {
    let project = TempProject::empty();
    for number in 0..400 {
        let body =
            format!("pub fn function_{number}(value: i32) -> i32 {{\n    value * {number}\n}}\n").repeat(20);
        project.write(&format!("src/file_{number}.rs"), body);
    }
    let mut server = Server::ready(&project);
    server.begin("tools/call", &json!({"name": "vec_reindex", "arguments": {"full": true, "wait": 600}}));
    server.close_stdin();
    assert!(server.wait().success());
}

#[test]
fn requests_before_the_end_of_stdin_are_answered() {
    let project = project();
    let mut server = Server::start(&project);
    let id = server.begin("tools/list", &json!({}));
    server.close_stdin();
    assert!(server.answer_to(id)["result"]["tools"].is_array());
    assert!(server.wait().success());
    assert!(is_silent(&mut server));
}

#[test]
fn a_client_that_closes_its_reading_end_ends_the_server() {
    let (project, home) = (project(), ScratchHome::new());
    let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
    home.apply(&mut command).args(["serve", "--mcp"]).current_dir(project.root());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "the server does not end");
        // Fails once the server has exited, which is what the test waits for.
        let _ =
            std::io::Write::write_all(&mut stdin, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn a_server_whose_parent_died_ends_although_its_stdin_stays_open() {
    let (project, home) = (project(), ScratchHome::new());
    let fifo = project.path("input");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // The shell opens the pipe for reading and writing, so that the server never sees its end, and exits once the server has
    // responded.
    let script = format!(
        "exec 3<>input; '{}' serve --mcp <&3 >output 2>/dev/null & echo $!
         echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}' >&3; while [ ! -s output ]; do sleep 0.02; done",
        env!("CARGO_BIN_EXE_vectorcode")
    );
    let mut shell = Command::new("sh");
    home.apply(&mut shell).args(["-c", &script]).current_dir(project.root());
    let output = shell.output().unwrap();
    let server: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    let deadline = Instant::now() + PATIENCE;
    while Command::new("kill")
        .args(["-0", &server.to_string()])
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
    {
        assert!(Instant::now() < deadline, "process {server} is an orphan");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A small deterministic random generator, so that failures can be reproduced.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

fn mutate(line: &mut Vec<u8>, random: &mut Random) {
    if line.is_empty() {
        return;
    }
    let place = random.below(line.len());
    match random.below(5) {
        0 => line[place] = random.below(256) as u8,
        1 => line.truncate(place),
        2 => line.insert(place, b"{}[]\",:\\0"[random.below(9)]),
        3 => {
            line.remove(place);
        }
        _ => {
            let piece: Vec<u8> = line[place..].iter().take(12).copied().collect();
            line.splice(place..place, piece);
        }
    }
}
