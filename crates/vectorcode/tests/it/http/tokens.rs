//! Access tokens: what each scope allows, and that a token shows nothing but its own projects.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use vectorcode_testkit::{ScratchHome, TempProject};

use super::server::{HttpServer, Reply};

fn run(home: &ScratchHome, project: &TempProject, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
    let output =
        home.apply(&mut command).args(args).current_dir(project.root()).stdin(Stdio::null()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A user with two indexed projects, and tokens for them.
struct Team {
    server: HttpServer,
    own: TempProject,
    other: TempProject,
    /// Token for all projects.
    reader: String,
    /// Token for the other project only.
    guest: String,
    indexer: String,
    admin: String,
}

fn name(project: &TempProject) -> String {
    project.root().file_name().unwrap().to_str().unwrap().to_owned()
}

impl Team {
    fn start() -> Self {
        let (home, own, other) = (ScratchHome::new(), TempProject::empty(), TempProject::empty());
        own.write("a.rs", "pub fn secret_of_the_first() {}\n");
        other.write("b.rs", "pub fn visible_in_the_second() {}\n");
        for project in [&own, &other] {
            run(&home, project, &["index", "--quiet"]);
        }
        let token = |args: &[&str]| run(&home, &own, &[&["token", "create", "--quiet"], args].concat());
        let reader = token(&["ada"]);
        let guest = token(&["guest", "--project", &name(&other)]);
        let indexer = token(&["ci", "--scope", "index"]);
        let admin = token(&["root", "--scope", "admin"]);
        let server = HttpServer::start_in(home, &["--http", "127.0.0.1:0"], &[], &own);
        Self { server, own, other, reader, guest, indexer, admin }
    }

    fn tool(&self, token: &str, tool: &str, arguments: &Value) -> String {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ];
        let reply = self.server.send("POST", "/mcp", &headers, &body);
        assert_eq!(reply.status, 200, "{} {}", reply.head, reply.body);
        reply.body
    }
}

#[test]
fn scopes_allow_what_they_say() {
    let team = Team::start();
    let server = &team.server;
    server.get("/api/v1/search?q=x").refusal(401);
    server.get_as("vct_0000", "/api/v1/search?q=x").refusal(401);
    server.get_as(&team.reader, "/api/v1/search?q=secret").ok();
    let refusal = server.post_as(&team.reader, "/api/v1/index", &json!({"wait": true})).refusal(403);
    assert!(refusal.contains("scope index") && refusal.contains("read"), "{refusal}");
    server.post_as(&team.reader, "/api/v1/index/cancel", &json!({})).refusal(403);
    server.post_as(&team.reader, "/index", &json!({})).refusal(403);
    server.post_as(&team.indexer, "/api/v1/index", &json!({"wait": true})).ok();
    let other = json!({"project": name(&team.other)});
    server.post_as(&team.indexer, "/api/v1/projects/remove", &other).refusal(403);
    server.post_as(&team.admin, "/api/v1/projects/remove", &other).ok();
}

#[test]
fn tools_need_the_scope_of_their_action() {
    let team = Team::start();
    assert!(
        team.tool(&team.reader, "vec_search", &json!({"query": "secret"})).contains("secret_of_the_first")
    );
    for action in ["watch", "unwatch"] {
        let refused = team.tool(&team.reader, "vec_status", &json!({"action": action}));
        assert!(
            refused.contains("scope index") && refused.contains("\"isError\":true"),
            "{action}: {refused}"
        );
    }
    assert!(team.tool(&team.reader, "vec_reindex", &json!({})).contains("scope index"));
    let remove = json!({"action": "remove", "project": name(&team.other)});
    assert!(team.tool(&team.indexer, "vec_status", &remove).contains("scope admin"));
    assert!(team.tool(&team.indexer, "vec_reindex", &json!({})).contains("\"isError\":false"));
}

#[test]
fn a_token_of_one_project_shows_nothing_of_another() {
    let team = Team::start();
    let (own, other) = (name(&team.own), name(&team.other));
    let get = |path: &str| team.server.get_as(&team.guest, path);
    let hides = |reply: &Reply| {
        assert!(!reply.body.contains(&own) && !reply.body.contains("secret_of"), "{}", reply.body);
    };
    let found = get(&format!("/api/v1/search?q=visible&project={other}"));
    assert_eq!(found.ok()["hits"][0]["file_path"], "b.rs");
    get("/api/v1/search?q=secret").refusal(403);
    for path in [own.clone(), team.own.root().display().to_string(), "/etc".into(), "no-such".into()] {
        let refused = get(&format!("/api/v1/search?q=secret&project={path}"));
        refused.refusal(404);
        assert!(!refused.body.contains(&own) || path.contains(&own), "{}", refused.body);
    }
    for selection in ["all", "linked"] {
        let found =
            get(&format!("/api/v1/search?q=secret+visible&project={other}&projects={selection}&threshold=0"));
        found.ok();
        hides(&found);
    }
    get(&format!("/api/v1/search?q=secret&project={other}&projects={own}")).refusal(404);
    let listed = get("/api/v1/projects");
    assert_eq!(listed.ok()["projects"].as_array().unwrap().len(), 1);
    hides(&listed);
    let about = get("/api/v1/about");
    about.ok();
    hides(&about);
    get("/api/v1/events").refusal(403);
    let listed = team.tool(&team.guest, "vec_status", &json!({"action": "projects"}));
    assert!(listed.contains(&other) && !listed.contains(&own), "{listed}");
    assert!(team.tool(&team.guest, "vec_search", &json!({"query": "secret"})).contains("does not include"));
    let found = team.tool(&team.guest, "vec_search", &json!({"query": "visible", "project": other}));
    assert!(found.contains("visible_in_the_second"), "{found}");
}

#[test]
fn a_revoked_token_is_refused_at_once_and_the_last_one_does_not_open_the_server() {
    let (home, project) = (ScratchHome::new(), TempProject::empty());
    let token = run(&home, &project, &["token", "create", "only", "--quiet"]);
    let server = HttpServer::start_in(home, &["--http", "127.0.0.1:0"], &[], &project);
    server.get_as(&token, "/api/v1/health").ok();
    let listed = server.command(&["token", "list", "--json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!((&listed[0]["name"], &listed[0]["scope"]), (&json!("only"), &json!("read")));
    assert!(listed[0]["hash"].is_null());
    assert!(server.command(&["token", "revoke", "only"]).status().unwrap().success());
    server.get_as(&token, "/api/v1/health").refusal(401);
    server.get("/api/v1/health").refusal(401);
}

#[test]
fn a_token_that_asks_too_often_is_told_when_to_come_back() {
    let (home, project) = (ScratchHome::new(), TempProject::empty());
    let slow = run(&home, &project, &["token", "create", "slow", "--rate", "6", "--quiet"]);
    let other = run(&home, &project, &["token", "create", "other", "--quiet"]);
    let server = HttpServer::start_in(home, &["--http", "127.0.0.1:0"], &[], &project);
    server.get_as(&slow, "/api/v1/health").ok();
    let refused = server.get_as(&slow, "/api/v1/health");
    assert!(refused.refusal(429).contains("too many requests"));
    let wait = refused.head.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap();
    assert!((1..=10).contains(&wait.trim().parse::<u32>().unwrap()), "{wait}");
    server.get_as(&other, "/api/v1/health").ok();
}
