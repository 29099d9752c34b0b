//! What no caller can do to the server.

use std::process::Command;

use serde_json::json;
use vectorcode_testkit::{ScratchHome, TempProject};

use super::server::HttpServer;

#[test]
fn large_and_broken_requests_leave_the_server_well() {
    let project = TempProject::empty();
    let server = HttpServer::start(&project);
    let large = json!({"q": "x".repeat(5_000_000)});
    assert!(server.post("/api/v1/search", &large).refusal(413).contains("4 MiB"));
    assert!((400..500).contains(&server.exchange("nonsense\r\n\r\n").status));
    assert!((400..500).contains(&server.get(&format!("/api/v1/search?q={}", "x".repeat(1_000_000))).status));
    server.get("/api/v1/search?q=%FF%00").body.clear();
    server.get("/api/v1/health").ok();
}

#[test]
fn many_callers_at_once_are_all_answered() {
    let project = TempProject::new(&[("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")]);
    let server = HttpServer::ready(&project);
    std::thread::scope(|scope| {
        for caller in 0..24 {
            let server = &server;
            scope.spawn(move || {
                let answer =
                    server.get(&format!("/api/v1/search?q=add+two+numbers+{}&threshold=0", caller % 3));
                assert_eq!(answer.ok()["hits"][0]["file_path"], "src/lib.rs");
            });
        }
    });
}

#[test]
fn a_command_line_without_a_face_is_refused() {
    let (project, home) = (TempProject::empty(), ScratchHome::new());
    let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
    let output = home.apply(&mut command).arg("serve").current_dir(project.root()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--http"), "{output:?}");
}
