//! `vectorcode worker` with real repositories, processes and git.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tempfile::TempDir;
use vectorcode_testkit::{ScratchHome, TempProject, TestRepository};

use crate::http::server::{HttpServer, PATIENCE};

const CODE: &str = "pub fn retry_payment(id: u64) -> bool {\n    id > 0\n}\n";

/// A user with workers, and a repository on the same machine.
struct Team {
    home: ScratchHome,
    origin: TempDir,
    repository: TestRepository,
}

impl Team {
    fn new() -> Self {
        let origin = tempfile::tempdir().unwrap();
        let mut repository = TestRepository::init(origin.path());
        repository.commit("Retry payments", &[("src/pay.rs", Some(CODE))]);
        let team = Self { home: ScratchHome::new(), origin, repository };
        team.succeeds(&["repo", "add", "--allow-local", &team.url(), "--name", "shop"]);
        team
    }

    fn url(&self) -> String {
        format!("file://{}", self.origin.path().display())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        self.home.apply(&mut command).args(args).current_dir(self.home.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn succeeds(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
    }

    fn work_once(&self) -> String {
        self.succeeds(&["worker", "--once", "--allow-local"])
    }

    fn clone(&self) -> PathBuf {
        self.home.path().join(".local/share/vectorcode/repositories/shop")
    }

    fn listed(&self) -> Value {
        let listed = self.run(&["repo", "list", "--json"]);
        serde_json::from_slice::<Value>(&listed.stdout).unwrap()[0].clone()
    }

    fn found(&self, query: &str) -> String {
        let clone = self.clone();
        let args = ["--project-path", clone.to_str().unwrap(), "search", "--files", "--exact", query];
        String::from_utf8(self.run(&args).stdout).unwrap()
    }

    /// Waits until the clone is indexed at this commit.
    fn await_commit(&self, commit: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.listed()["commit"] != commit {
            assert!(Instant::now() < deadline, "{}", self.listed());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A worker that runs until it is dropped.
struct RunningWorker(Child);

impl RunningWorker {
    fn start(team: &Team, options: &[&str]) -> Self {
        let args = [&["worker", "--allow-local"], options].concat();
        Self(team.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for RunningWorker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn branches_that_are_followed_can_be_asked_about() {
    let mut team = Team::new();
    let main = std::fs::read_to_string(team.origin.path().join(".git/refs/heads/main")).unwrap();
    let topic = team.repository.commit("Refund", &[("src/refund.rs", Some("pub fn refund_order() {}\n"))]);
    team.repository.refer("refs/heads/topic/refund", &topic);
    team.repository.reset(main.trim());
    team.succeeds(&["config", "set", "--user", "worker.refs", "[\"topic/*\"]"]);
    team.work_once();
    let clone = team.clone();
    let asked = ["--project-path", clone.to_str().unwrap(), "search", "--files", "--exact", "refund_order"];
    let found = |team: &Team| {
        String::from_utf8(team.run(&[&asked[..], &["--ref", "topic/refund"]].concat()).stdout).unwrap()
    };
    assert!(found(&team).contains("src/refund.rs"));
    assert!(!team.found("refund_order").contains("src/refund.rs"), "the default branch is checked out");
    assert_eq!(team.work_once().trim(), "", "nothing changed");

    std::fs::remove_file(team.origin.path().join(".git/refs/heads/topic/refund")).unwrap();
    team.work_once();
    assert_eq!(found(&team), "", "a branch that is gone there is gone here");
}

#[test]
fn a_worker_clones_indexes_and_follows_a_repository() {
    let mut team = Team::new();
    assert!(team.work_once().contains("shop: indexed"));
    assert!(team.found("retry_payment").contains("src/pay.rs"));
    assert_eq!(team.work_once().trim(), "", "the same commit is not indexed again");
    let files = [("src/pay.rs", None), ("src/refund.rs", Some("pub fn refund_order() {}\n"))];
    let commit = team.repository.commit("Refund", &files);
    assert!(team.work_once().contains("shop: indexed"));
    assert_eq!(team.listed()["commit"], commit.as_str());
    assert!(team.found("refund_order").contains("src/refund.rs"));
    assert_eq!(team.found("retry_payment"), "");
    assert!(team.succeeds(&["projects"]).contains("shop"));
    team.succeeds(&["repo", "remove", "shop"]);
    assert!(!team.clone().exists());
    assert!(!String::from_utf8_lossy(&team.run(&["projects"]).stdout).contains("shop"));
}

#[test]
fn what_a_repository_brings_along_does_nothing() {
    let mut team = Team::new();
    let marker = team.home.path().join("marker");
    let program = format!("#!/bin/sh\ntouch {}\n", marker.display());
    let modules = "[submodule \"x\"]\n\tpath = x\n\turl = https://example.invalid/x\n";
    let files = [
        (".vectorcode/index.db", Some("not an index")),
        (".vectorcode/config.toml", Some("[worker]\ndirectory = \"/etc\"\n")),
        (".gitmodules", Some(modules)),
        (".gitattributes", Some("* filter=evil diff=evil merge=evil\n")),
        (".githooks/post-checkout", Some(program.as_str())),
    ];
    team.repository.commit("Evil", &files);
    // User settings that would make any other git run a program.
    let settings = format!(
        "[core]\n\thooksPath = .githooks\n[filter \"evil\"]\n\tsmudge = touch {0}; cat\n\trequired = true\n[url \"/nowhere\"]\n\tinsteadOf = file://\n",
        marker.display()
    );
    std::fs::write(team.home.path().join(".gitconfig"), settings).unwrap();
    assert!(team.work_once().contains("shop: indexed"));
    assert!(team.found("retry_payment").contains("src/pay.rs"));
    assert!(!marker.exists(), "a program of the repository was run");
    assert!(team.clone().join(".vectorcode/config.toml").exists());
    let index = std::fs::read(team.clone().join(".vectorcode/index.db")).unwrap_or_default();
    assert!(!index.starts_with(b"not an index"));
}

/// A relative entry of the search path leads into the clone, where git runs.
#[cfg(unix)]
#[test]
fn a_program_that_a_repository_brings_is_not_started() {
    use std::os::unix::fs::PermissionsExt;

    let mut team = Team::new();
    team.work_once();
    let trap = team.home.path().join("trapped");
    for name in ["git", "ssh", "sh"] {
        let file = team.clone().join(name);
        std::fs::write(&file, format!("#!/bin/sh\ntouch '{}'\n", trap.display())).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    team.repository.commit("Refund", &[("src/refund.rs", Some("pub fn refund_order() {}\n"))]);
    let path = std::env::var("PATH").unwrap();
    let mut work = team.command(&["worker", "--once", "--allow-local"]);
    let output = work.env("PATH", format!(".:{path}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!trap.exists());
    assert!(team.found("refund_order").contains("src/refund.rs"));
}

#[test]
fn links_of_a_repository_become_text() {
    let team = Team::new();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        team.home.apply(&mut command).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
        assert!(command.current_dir(team.origin.path()).status().unwrap().success(), "{args:?}");
    };
    git(&["checkout", "-q", "-f"]);
    std::os::unix::fs::symlink("/etc", team.origin.path().join("outside")).unwrap();
    git(&["add", "outside"]);
    git(&["commit", "-q", "-m", "Link"]);
    team.work_once();
    let found = std::fs::symlink_metadata(team.clone().join("outside")).unwrap();
    assert!(found.is_file(), "{found:?}");
}

#[test]
fn a_failure_is_told_and_leaves_the_other_repositories_alone() {
    let team = Team::new();
    team.succeeds(&["repo", "add", "--allow-local", "file:///no/such/repository", "--name", "another"]);
    let output = team.run(&["worker", "--once", "--allow-local"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("another: git failed") && said.contains("shop: indexed"), "{said}");
    // Without the flag for tests, a worker clones nothing from this machine.
    let output = team.run(&["worker", "--once"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("neither https nor ssh"), "{output:?}");
    for url in ["file:///etc", "https://ada:secret@example.com/x", "ext::sh -c id", "https://127.0.0.1/x"] {
        let output = team.run(&["repo", "add", "--", url]);
        assert_eq!(output.status.code(), Some(2), "{url}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("secret"), "{output:?}");
    }
}

#[test]
fn a_folder_that_no_worker_made_is_left_alone() {
    let team = Team::new();
    std::fs::create_dir_all(team.clone()).unwrap();
    std::fs::write(team.clone().join("thesis.md"), "years of work").unwrap();
    for _ in 0..2 {
        let output = team.run(&["worker", "--once", "--allow-local"]);
        assert!(String::from_utf8_lossy(&output.stderr).contains("is there already"), "{output:?}");
    }
    team.succeeds(&["repo", "remove", "shop"]);
    assert_eq!(std::fs::read_to_string(team.clone().join("thesis.md")).unwrap(), "years of work");
    assert!(!team.clone().join(".git").exists());
}

#[test]
fn a_clone_that_grows_too_large_is_refused() {
    let team = Team::new();
    let output = team
        .command(&["worker", "--once", "--allow-local"])
        .env("VECTORCODE_WORKER_MAX_REPOSITORY_MB", "0")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("max_repository_mb"), "{output:?}");
    assert!(team.work_once().contains("shop: indexed"), "it recovers when it is allowed to");
}

/// A git that was killed because it fetched too much leaves files behind.
#[test]
fn what_a_git_that_was_ended_has_left_is_removed() {
    let mut team = Team::new();
    team.work_once();
    let left = ["objects/pack/tmp_pack_x", "shallow.lock"].map(|name| team.clone().join(".git").join(name));
    for file in &left {
        std::fs::write(file, "PACK").unwrap();
    }
    team.repository.commit("More", &[("src/more.rs", Some("pub fn more() {}\n"))]);
    assert!(team.work_once().contains("shop: indexed"));
    assert!(left.iter().all(|file| !file.exists()));
}

/// Regression: a server with an endless list of refs exhausted the memory of the machine, because git keeps all of them.
#[cfg(target_os = "linux")]
#[test]
fn git_runs_within_a_limit_of_memory() {
    let team = Team::new();
    let directory = tempfile::tempdir().unwrap();
    script(&directory.path().join("git"), "echo limit $(ulimit -d) >&2; exit 1");
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap());
    let output = team.command(&["worker", "--once", "--allow-local"]).env("PATH", path).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("git failed: limit 2000000"), "{output:?}");
}

/// An allowed server must not redirect to one that is not allowed.
#[test]
fn a_redirect_is_not_followed() {
    let team = Team::new();
    let (allowed, other) =
        (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
    other.set_nonblocking(true).unwrap();
    let target = format!("http://{}/shop/info/refs?service=git-upload-pack", other.local_addr().unwrap());
    let url = format!("http://{}/shop", allowed.local_addr().unwrap());
    // The thread ends with the process.
    std::thread::spawn(move || {
        for mut stream in allowed.incoming().flatten() {
            let mut request = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while request.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ";
            write!(stream, "{head}{target}\r\n\r\n").unwrap();
        }
    });
    team.succeeds(&["repo", "add", "--allow-local", &url, "--name", "elsewhere"]);
    let output = team.run(&["worker", "--once", "--allow-local"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("elsewhere: git failed") && said.contains("302"), "{said}");
    assert!(other.accept().is_err(), "nobody has connected");
}

#[test]
fn two_workers_share_the_work() {
    let mut team = Team::new();
    let workers: Vec<_> = (0..2).map(|_| RunningWorker::start(&team, &["--every", "1s"])).collect();
    for number in 0..3 {
        let text = format!("pub fn number_{number}() {{}}\n");
        let commit = team.repository.commit("More", &[("src/more.rs", Some(text.as_str()))]);
        team.await_commit(&commit);
    }
    assert!(team.found("number_2").contains("src/more.rs"));
    assert!(team.listed()["error"].is_null(), "{}", team.listed());
    drop(workers);
}

/// A fake git that reports its start, then waits to be killed.
fn waiting_git(directory: &Path, pipe: &Path) {
    script(&directory.join("git"), &format!("echo $$ > {}\nexec sleep 600", pipe.display()));
}

fn script(path: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_work_of_a_killed_worker_is_taken_over_once_its_git_has_ended() {
    let team = Team::new();
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("started");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    waiting_git(directory.path(), &pipe);
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").unwrap());
    let mut command = team.command(&["worker", "--allow-local"]);
    command.env("PATH", path).stdout(Stdio::null()).stderr(Stdio::null());
    let mut worker = RunningWorker(command.spawn().unwrap());
    let mut git = String::new();
    BufReader::new(std::fs::File::open(&pipe).unwrap()).read_line(&mut git).unwrap();
    worker.0.kill().unwrap();
    worker.0.wait().unwrap();
    // The git process of the dead worker still runs, so nobody may touch the clone, and the repository stays in the list.
    assert!(
        String::from_utf8_lossy(&team.run(&["repo", "remove", "shop"]).stderr)
            .contains("a worker is using it")
    );
    assert_eq!(team.work_once().trim(), "");
    assert!(team.listed()["commit"].is_null());
    assert!(Command::new("kill").args(["-9", git.trim()]).status().unwrap().success());
    let deadline = Instant::now() + PATIENCE;
    while !team.work_once().contains("shop: indexed") {
        assert!(Instant::now() < deadline, "{}", team.listed());
    }
    assert!(team.found("retry_payment").contains("src/pay.rs"));
}

#[test]
fn a_worker_killed_at_any_moment_leaves_nothing_in_the_way() {
    let team = Team::new();
    for pause_ms in [30, 80, 150, 300, 600] {
        let worker = RunningWorker::start(&team, &[]);
        std::thread::sleep(Duration::from_millis(pause_ms));
        drop(worker);
    }
    if team.clone().join(".git").is_dir() {
        std::fs::write(team.clone().join(".git/index.lock"), "").unwrap();
    }
    let deadline = Instant::now() + PATIENCE;
    while team.listed()["commit"].is_null() {
        team.run(&["worker", "--once", "--allow-local"]);
        assert!(Instant::now() < deadline, "{}", team.listed());
    }
    assert!(team.found("retry_payment").contains("src/pay.rs"));
}

#[test]
fn a_webhook_makes_a_worker_look_at_once() {
    let mut team = Team::new();
    let project = TempProject::empty();
    team.work_once();
    let _worker = RunningWorker::start(&team, &["--every", "30d"]);
    let commit = team.repository.commit("New", &[("src/new.rs", Some("pub fn brand_new() {}\n"))]);
    let body = json!({"repository": {"clone_url": team.url()}}).to_string();
    let mac = Hmac::<Sha256>::new_from_slice(b"shared secret").unwrap().chain_update(body.as_bytes());
    let mut signature = String::from("sha256=");
    for byte in mac.finalize().into_bytes() {
        write!(signature, "{byte:02x}").unwrap();
    }
    let variables = [("VECTORCODE_WEBHOOK_SECRET", "shared secret"), ("VECTORCODE_HTTP_TOKEN", "other")];
    let home = std::mem::replace(&mut team.home, ScratchHome::new());
    let server = HttpServer::start_in(home, &["--http", "127.0.0.1:0"], &variables, &project);
    let send = |signature: &str| {
        let headers = [("Content-Type", "application/json"), ("X-Hub-Signature-256", signature)];
        server.send("POST", "/webhooks/git", &headers, &body)
    };
    send("sha256=00").refusal(401);
    server.post("/webhooks/git", &json!({})).refusal(401);
    let accepted = send(&signature);
    assert_eq!((accepted.status, accepted.body.as_str()), (202, r#"{"repositories":["shop"]}"#));
    let deadline = Instant::now() + PATIENCE;
    loop {
        let listed = server.command(&["repo", "list", "--json"]).output().unwrap();
        if String::from_utf8_lossy(&listed.stdout).contains(&commit) {
            break;
        }
        assert!(Instant::now() < deadline, "{listed:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
