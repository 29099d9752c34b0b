//! The binary with a PostgreSQL database. Tests that need a server use the one in `VECTORCODE_TEST_POSTGRES`; those that kill
//! one start their own with `scripts/postgres.sh` and the binaries of `PGBIN`. Without them they say so and pass.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use vectorcode_testkit::{ScratchHome, TempProject, TestRepository};

use crate::cli::run::stderr;
use crate::http::events::{self, LISTEN};
use crate::http::server::{HttpServer, PATIENCE, Reply};
use crate::mcp::client::Server;

const STORE_URL: &str = "VECTORCODE_STORE_URL";
const FAILED: i32 = 2;

/// The database server to test with.
fn shared_server() -> Option<String> {
    let url = std::env::var("VECTORCODE_TEST_POSTGRES").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        eprintln!("skipped: VECTORCODE_TEST_POSTGRES names no PostgreSQL server");
    }
    url
}

/// A user whose indexes are stored in a database.
struct User {
    home: ScratchHome,
    url: String,
}

impl User {
    fn new(url: &str) -> Self {
        Self { home: ScratchHome::new(), url: url.to_owned() }
    }

    fn command(&self, root: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        self.home.apply(&mut command).env(STORE_URL, &self.url);
        command.args(args).current_dir(root).stdin(Stdio::null());
        command
    }

    fn run(&self, root: &Path, args: &[&str]) -> Output {
        self.command(root, args).output().unwrap()
    }

    fn succeeds(&self, root: &Path, args: &[&str]) -> String {
        let output = self.run(root, args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        let told = stderr(&output);
        String::from_utf8(output.stdout).unwrap() + &told
    }

    fn serve_http(&self, project: &TempProject) -> HttpServer {
        let options = ["--http", "127.0.0.1:0"];
        HttpServer::start_in(ScratchHome::new(), &options, &[(STORE_URL, &self.url)], project)
    }
}

fn zebra(name: &str) -> String {
    format!("pub fn zebra_{name}() -> u32 {{\n    7\n}}\n")
}

fn write_zebra(project: &TempProject, name: &str) {
    project.write(&format!("src/{name}.rs"), zebra(name));
}

fn herd(names: &[&str]) -> TempProject {
    let project = TempProject::empty();
    for name in names {
        write_zebra(&project, name);
    }
    project
}

fn find(server: &HttpServer, name: &str) -> Reply {
    server.get(&format!("/api/v1/search?q=zebra_{name}"))
}

/// Polls until the server finds it.
fn await_found(server: &HttpServer, name: &str) {
    let deadline = Instant::now() + PATIENCE;
    let path = format!("src/{name}.rs");
    loop {
        let reply = find(server, name);
        if reply.status == 200 && reply.body.contains(&path) {
            return;
        }
        assert!(Instant::now() < deadline, "{path} is not found: {}", reply.body);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn projects_are_indexed_searched_and_removed_in_one_database() {
    let Some(url) = shared_server() else { return };
    let (user, plains, steppe) = (User::new(&url), herd(&["plains"]), herd(&["steppe"]));
    for project in [&plains, &steppe] {
        user.succeeds(project.root(), &["index", "--quiet"]);
        assert!(!project.path(".vectorcode/index.db").exists());
    }
    let found = user.succeeds(plains.root(), &["search", "--files", "zebra"]);
    assert!(found.contains("src/plains.rs") && !found.contains("steppe"), "{found}");
    let found = user.succeeds(plains.root(), &["search", "--all", "--files", "zebra"]);
    assert!(found.contains("src/plains.rs") && found.contains("src/steppe.rs"), "{found}");
    assert!(user.succeeds(plains.root(), &["status"]).contains("The index is kept in PostgreSQL at "));

    user.succeeds(plains.root(), &["remove", "--yes"]);
    assert!(!user.run(plains.root(), &["status"]).status.success());
    assert!(user.succeeds(steppe.root(), &["search", "--files", "zebra"]).contains("src/steppe.rs"));
    user.succeeds(steppe.root(), &["remove", "--yes"]);
}

#[test]
fn a_commit_answers_without_a_checkout() {
    let Some(url) = shared_server() else { return };
    let (user, project) = (User::new(&url), herd(&["plains", "steppe"]));
    let mut repository = TestRepository::init(project.root());
    let [plains, steppe, forest] = ["plains", "steppe", "forest"].map(zebra);
    repository.commit("Two herds", &[("src/plains.rs", Some(&plains)), ("src/steppe.rs", Some(&steppe))]);
    repository.commit("Move a herd", &[("src/plains.rs", None), ("src/forest.rs", Some(&forest))]);
    std::fs::remove_file(project.path("src/plains.rs")).unwrap();
    write_zebra(&project, "forest");
    let files =
        |args: &[&str]| user.succeeds(project.root(), &[&["search", "--files", "zebra"], args].concat());

    let before = files(&["--ref", "HEAD~1"]);
    assert!(before.contains("src/plains.rs") && before.contains("src/steppe.rs"), "{before}");
    assert!(!before.contains("forest"), "{before}");
    let now = files(&[]);
    assert!(now.contains("src/forest.rs") && !now.contains("plains"), "{now}");
    let changed = files(&["--in-diff", "HEAD~1..HEAD"]);
    assert!(changed.contains("src/plains.rs") && !changed.contains("steppe"), "{changed}");
    let deleted = user.succeeds(project.root(), &["index", "--prune"]);
    assert!(deleted.contains("Deleted 1 file"), "{deleted}");
    user.succeeds(project.root(), &["remove", "--yes"]);
}

#[test]
fn servers_share_an_index_and_one_takes_over_when_the_other_is_killed() {
    let Some(url) = shared_server() else { return };
    let (user, project) = (User::new(&url), herd(&["first"]));
    let environment = [(STORE_URL, Path::new(&url))];
    let mut watching =
        Server::start_with(ScratchHome::new(), project.root(), &["--debounce", "100"], &environment);
    watching.initialize("2025-11-25");
    watching.synced();
    let other = user.serve_http(&project);
    await_found(&other, "first");

    write_zebra(&project, "second");
    await_found(&other, "second");
    let second = json!({"query": "zebra_second", "threshold": 0.0});
    watching.call_until("vec_search", &second, |answer| answer.paths().contains(&"src/second.rs"));
    watching.kill();
    write_zebra(&project, "third");
    await_found(&other, "third");
    drop(other);
    user.succeeds(project.root(), &["remove", "--yes"]);
}

#[test]
fn an_index_run_that_is_killed_again_and_again_ends_where_an_undisturbed_one_does() {
    let Some(url) = shared_server() else { return };
    let (user, project) = (User::new(&url), TempProject::empty());
    for number in 0..150 {
        write_zebra(&project, &format!("n{number}"));
    }
    for pause_ms in [30, 90, 160, 240, 350, 500] {
        let mut command = user.command(project.root(), &["index", "--quiet"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause_ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let report = user.run(project.root(), &["index", "--json", "--quiet"]).stdout;
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!((&report["files"], &report["chunks"]), (&150.into(), &150.into()), "{report}");
    assert_eq!((&report["pending"], &report["notes"]), (&0.into(), &json!([])), "{report}");
    let found = user.succeeds(project.root(), &["search", "--files", "--limit", "1", "zebra_n42"]);
    assert_eq!(found.trim(), "src/n42.rs");
    user.succeeds(project.root(), &["remove", "--yes"]);
}

#[test]
fn a_server_that_is_not_there_is_named_without_the_password() {
    let (user, project) = (User::new("postgres://ada:secret@127.0.0.1:1/code"), herd(&["first"]));
    for args in [&["index", "--quiet"][..], &["search", "zebra"], &["status"], &["remove", "--yes"]] {
        let output = user.run(project.root(), args);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(FAILED), "{args:?}: {told}");
        assert!(told.contains("ada@127.0.0.1:1/code cannot be reached"), "{args:?}: {told}");
        assert!(!told.contains("secret"), "{told}");
    }
}

#[test]
fn a_project_cannot_say_where_its_index_is_kept() {
    let (home, project) = (ScratchHome::new(), herd(&["first"]));
    project.write(".vectorcode/config.toml", "[store]\nurl = \"postgres://evil@127.0.0.1:1/code\"\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
    home.apply(&mut command).env_remove(STORE_URL).args(["index"]).current_dir(project.root());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("`store.url` has no effect in a project's file"), "{}", stderr(&output));
    assert!(project.path(".vectorcode/index.db").exists());
}

/// A primary and a standby that only this test uses, stopped when dropped.
struct OwnServers {
    directory: TempDir,
    port: u16,
}

impl OwnServers {
    fn start() -> Option<Self> {
        if std::env::var_os("PGBIN").is_none() {
            eprintln!("skipped: PGBIN names no directory with the programs of PostgreSQL");
            return None;
        }
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let servers = Self { directory: tempfile::tempdir().unwrap(), port: free };
        servers.script("start");
        Some(servers)
    }

    fn script(&self, command: &str) -> String {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scripts/postgres.sh");
        let mut run = Command::new(script);
        run.arg(command).arg(self.directory.path()).env("PGPORT", self.port.to_string());
        let output = run.env("PGSHARED_BUFFERS", "16MB").output().unwrap();
        assert!(output.status.success(), "{command}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for OwnServers {
    fn drop(&mut self) {
        self.script("stop");
    }
}

/// While its database is unavailable, a server must respond with an error, never with fewer results than there are.
fn assert_no_wrong_answer(reply: &Reply) {
    assert!(reply.status != 200 || reply.body.contains("src/first.rs"), "{}", reply.body);
}

#[test]
fn a_killed_database_and_a_promoted_standby_are_survived() {
    let Some(servers) = OwnServers::start() else { return };
    let (user, project) = (User::new(&servers.script("urls")), herd(&["first"]));
    user.succeeds(project.root(), &["index", "--quiet"]);
    let server = user.serve_http(&project);
    await_found(&server, "first");

    servers.script("crash");
    write_zebra(&project, "second");
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| find(&server, "first"));
        servers.script("restart");
        assert_no_wrong_answer(&asking.join().unwrap());
    });
    await_found(&server, "first");
    await_found(&server, "second");

    servers.script("crash");
    write_zebra(&project, "third");
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| find(&server, "first"));
        servers.script("promote");
        assert_no_wrong_answer(&asking.join().unwrap());
    });
    for name in ["first", "second", "third"] {
        await_found(&server, name);
    }
    assert!(user.succeeds(project.root(), &["search", "--files", "zebra"]).contains("src/third.rs"));
}

/// Longer than the interval at which event streams look at the index, so that each has queried the database.
const PAUSE: Duration = Duration::from_secs(1);

#[test]
fn a_server_is_alive_while_its_database_does_not_answer() {
    let Some(servers) = OwnServers::start() else { return };
    let (user, project) = (User::new(&servers.script("url")), herd(&["first"]));
    let server = user.serve_http(&project);
    await_found(&server, "first");
    let mut streams = [(); 2].map(|()| BufReader::new(server.open(LISTEN)));
    for stream in &mut streams {
        events::next(stream, "index").unwrap();
    }

    servers.script("pause");
    let questions = ["search?q=zebra", "status", "context"]
        .map(|asked| server.open(&format!("GET /api/v1/{asked} HTTP/1.1\r\nHost: localhost\r\n\r\n")));
    let paused_at = Instant::now();
    while paused_at.elapsed() < PAUSE {
        assert_eq!(server.get("/healthz").status, 200, "while the database does not answer");
    }
    servers.script("resume");
    drop(questions);
    write_zebra(&project, "second");
    await_found(&server, "second");
}
