//! Each route of the API, and its errors.

use serde_json::{Value, json};
use vectorcode_testkit::TempProject;

use super::server::HttpServer;

fn payments() -> TempProject {
    TempProject::new(&[
        (
            "src/retry.ts",
            "/** Retries a failed payment. */\nexport function retryPayment(id: string) {\n  return charge(id);\n}\n",
        ),
        ("src/charge.ts", "export function charge(id: string) {\n  return post('/charges', id);\n}\n"),
        (
            "src/app.ts",
            "import { retryPayment } from './retry';\n\nexport function main() {\n  retryPayment('1');\n}\n",
        ),
        ("docs/payments.md", "# Payments\n\nA failed payment is retried.\n"),
        (".env", "STRIPE_KEY=sk_live_very_secret\n"),
    ])
}

fn paths(answer: &Value) -> Vec<&str> {
    answer["hits"].as_array().unwrap().iter().map(|hit| hit["file_path"].as_str().unwrap()).collect()
}

#[test]
fn search_takes_its_arguments_from_the_url_or_from_a_body() {
    let project = payments();
    let server = HttpServer::ready(&project);
    // Without vectors, because they are computed in the meantime and change the order.
    let by_url = server.get("/api/v1/search?q=retry+a+failed+payment&threshold=0&limit=3&mode=fast").ok();
    assert_eq!(paths(&by_url)[0], "src/retry.ts");
    let body = json!({"q": "retry a failed payment", "threshold": 0.0, "limit": 3, "mode": "fast"});
    assert_eq!(paths(&server.post("/api/v1/search", &body).ok()), paths(&by_url));

    let filtered =
        server.get("/api/v1/search?q=failed+payment&threshold=0&class=docs&language=markdown").ok();
    assert_eq!(paths(&filtered), ["docs/payments.md"]);
    let explained = server.get("/api/v1/search?q=payment&threshold=0&limit=1&explain=true").ok();
    assert!(!explained["hits"][0]["signals"].as_array().unwrap().is_empty());
    let next = server.get("/api/v1/search?q=payment&threshold=0&limit=1&cursor=1").ok();
    assert_ne!(next["hits"][0]["file_path"], explained["hits"][0]["file_path"]);
    let place =
        |answer: &Value| format!("{}:{}", answer["hits"][0]["file_path"], answer["hits"][0]["start_line"]);
    let mut places = vec![place(&explained)];
    let mut next = explained["next"].as_str().map(str::to_owned);
    while let Some(cursor) = next {
        let url = format!("/api/v1/search?q=payment&threshold=0&limit=1&explain=true&cursor={cursor}");
        let page = server.get(&url).ok();
        places.push(place(&page));
        next = page["next"].as_str().map(str::to_owned);
    }
    let whole = places.len();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), whole, "pages of one ranking, while vectors are made");
}

#[test]
fn a_graph_is_drawn_where_asked() {
    let project = payments();
    let server = HttpServer::ready(&project);
    let get = |format: &str| server.get(&format!("/api/v1/graph/deps?target=src/app.ts{format}"));
    assert_eq!(get("&format=json").ok(), get("").ok());
    let mermaid = get("&format=mermaid");
    assert!(mermaid.head.to_lowercase().contains("content-type: text/plain"), "{}", mermaid.head);
    assert!(mermaid.body.starts_with("flowchart") && mermaid.body.contains("retry.ts"), "{}", mermaid.body);
    assert!(get("&format=dot").body.starts_with("digraph"));
    assert_eq!(get("&format=png").status, 400);
}

#[test]
fn an_answer_given_before_still_sees_what_changed_on_disk() {
    let project = payments();
    let server = HttpServer::ready(&project);
    let ask = || server.get("/api/v1/search?q=charge+by+id&threshold=0&limit=1&path=src/charge.ts").ok();
    assert_eq!(ask()["hits"][0]["freshness"]["state"], "fresh");
    project.write("src/charge.ts", "export function charge() {}\n");
    let again = ask();
    let hit = &again["hits"][0];
    assert!(
        hit["freshness"]["state"] == "stale" || !hit["content"].as_str().unwrap().contains("/charges"),
        "{hit}"
    );
}

#[test]
fn similar_code_is_found_by_snippet_and_by_place() {
    let project = payments();
    let server = HttpServer::ready(&project);
    let place = server.get("/api/v1/similar?location=src/retry.ts:2&threshold=0").ok();
    assert!(!paths(&place).is_empty());
    let snippet = json!({"snippet": "function charge(id) { return post('/charges', id) }", "threshold": 0.0});
    assert_eq!(paths(&server.post("/api/v1/similar", &snippet).ok())[0], "src/charge.ts");
    server.get("/api/v1/similar").refusal(400);
    server.get("/api/v1/similar?location=src/nothing.ts:1").refusal(404);
    server.get("/api/v1/similar?location=/etc/passwd:1").refusal(400);
}

#[test]
fn files_of_the_index_are_shown_and_nothing_else() {
    let project = payments();
    project.write("notes.bin", [0_u8, 1, 2]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", project.path("src/link.ts")).unwrap();
    let server = HttpServer::ready(&project);
    let file = server.get("/api/v1/file?path=src/retry.ts&start=2&end=2").ok();
    assert_eq!(file["content"], "export function retryPayment(id: string) {\n");
    assert_eq!((&file["lines"], &file["language"]), (&json!(4), &json!("typescript")));
    assert_eq!(file["definitions"][0]["name"], "retryPayment");
    assert_eq!(file["freshness"]["state"], "fresh");
    for hidden in [".env", "notes.bin", "src/link.ts", "src", "nothing.ts", ".vectorcode/index.db"] {
        let reply = server.get(&format!("/api/v1/file?path={hidden}"));
        reply.refusal(404);
        assert!(!reply.body.contains("sk_live"), "{hidden}");
    }
    for outside in ["/etc/passwd", "../outside.ts", "src/../../outside.ts"] {
        server.get(&format!("/api/v1/file?path={outside}")).refusal(400);
    }
}

#[test]
fn the_graph_and_its_symbols_answer() {
    let project = payments();
    let server = HttpServer::ready(&project);
    let names = |answer: &Value| -> Vec<String> {
        answer["nodes"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap().into()).collect()
    };
    let importers = server.get("/api/v1/graph/dependents?target=src/retry.ts").ok();
    assert_eq!(names(&importers), ["src/retry.ts", "src/app.ts"]);
    for action in ["stats", "cycles", "show", "show?target=src/app.ts&depth=2", "impact?target=retryPayment"]
    {
        server.get(&format!("/api/v1/graph/{action}")).ok();
    }
    assert!(server.get("/api/v1/graph/callers").refusal(400).contains("target"));
    server.get("/api/v1/graph/deps?target=src/nothing.ts").refusal(404);
    server.get("/api/v1/graph/everything").refusal(400);
    let symbols = server.get("/api/v1/symbols?name=retryPayment&kind=function").ok();
    assert_eq!(symbols["symbols"][0]["path"], "src/retry.ts");
}

#[test]
fn projects_and_context_are_listed() {
    let project = payments();
    let server = HttpServer::ready(&project);
    // A project is registered at the end of a run.
    server.post("/api/v1/index", &json!({"wait": true})).ok();
    let projects = server.get("/api/v1/projects").ok();
    let current: Vec<&Value> = projects["projects"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|project| project["current"] == true)
        .collect();
    assert_eq!(current.len(), 1, "{projects}");
    let name = current[0]["name"].as_str().unwrap();
    let found = server.get(&format!("/api/v1/search?q=retry+payment&threshold=0&projects={name}")).ok();
    assert_eq!(found["hits"][0]["project"], name);
    assert_eq!(server.get(&format!("/api/v1/file?path=src/app.ts&project={name}")).ok()["lines"], 5);
    server.get("/api/v1/file?path=src/app.ts&project=no-such-project").refusal(404);
    assert_eq!(server.get("/api/v1/context").ok()["artifacts"], json!([]));
}

#[test]
fn other_projects_are_asked_watched_and_removed_once_the_user_has_indexed_them() {
    let (project, other) =
        (payments(), TempProject::new(&[("src/zoo.rs", "pub fn zebra() -> u32 {\n    7\n}\n")]));
    let server = HttpServer::ready(&project);
    let root = vectorcode_core::canonical(other.root()).unwrap().display().to_string();
    let of_other = |route: &str| format!("/api/v1/{route}project={root}");
    // Other users of this machine can reach the port too.
    let refused = server.get(&of_other("symbols?name=zebra&")).refusal(400);
    assert!(refused.contains("not among the registered projects"), "{refused}");
    assert!(!other.path(".vectorcode").exists());
    assert!(server.command(&["index", "--quiet"]).current_dir(other.root()).status().unwrap().success());
    let found = server.get(&of_other("symbols?name=zebra&")).ok();
    assert_eq!(found["symbols"][0]["path"], "src/zoo.rs", "{found}");
    assert_eq!(server.get("/api/v1/symbols?name=zebra").ok()["symbols"], json!([]));
    assert_eq!(server.get(&of_other("status?")).ok()["index"]["files"], 1);
    let watch = |watch: bool| json!({"project": root, "watch": watch});
    for is_watched in [false, true] {
        assert_eq!(server.post("/api/v1/projects/watch", &watch(is_watched)).ok()["watch"], is_watched);
    }
    server.post("/api/v1/projects/remove", &json!({})).refusal(400);
    assert_eq!(server.post("/api/v1/projects/remove", &json!({"project": root})).ok()["root"], *root);
    assert!(!other.path(".vectorcode/index.db").exists());
    server.get(&of_other("symbols?name=zebra&")).refusal(400);
    assert_eq!(server.get("/api/v1/status").ok()["indexed"], true);
}

#[test]
fn runs_are_started_followed_and_stopped() {
    let project = payments();
    let server = HttpServer::ready(&project);
    assert_eq!(server.get("/api/v1/index").ok()["state"], "none");
    project.write("src/refund.ts", "export function refund() {}\n");
    let done = server.post("/api/v1/index", &json!({"wait": true})).ok();
    assert_eq!(done["state"], "done");
    assert_eq!(done["report"]["files"], 5);
    assert_eq!(server.get("/api/v1/index").ok()["state"], "done");
    let cancel = || server.post("/api/v1/index/cancel", &json!({})).ok()["cancelled"] == true;
    // The keeper may have noticed the new file as well. Then the first call stops it.
    assert!(!(cancel() && cancel()));
    server.post("/api/v1/index", &json!({"full": true, "path": "src"})).refusal(400);
    server.post("/api/v1/index", &json!({"path": "../elsewhere"})).refusal(400);
}

#[test]
fn codevec_finds_its_routes() {
    let project = payments();
    let server = HttpServer::ready(&project);
    let answer = server.get("/query?q=retry+a+payment&limit=2&threshold=0&ext=.ts").ok();
    let first = &answer["results"][0];
    assert_eq!((&first["file"], &first["name"]), (&json!("src/retry.ts"), &json!("retryPayment")));
    assert!(first["score"].is_number() && first["start_line"].is_number() && first["type"].is_string());
    let weak = server.get("/query?q=capital+of+Mongolia").ok();
    assert_eq!((&weak["weak"], &weak["results"][0]["weak"]), (&json!(true), &json!(true)), "{weak}");
    let strict = server.get("/query?q=capital+of+Mongolia&threshold=0.3").ok();
    assert_eq!(strict["results"], json!([]));
    let webhook = server.send("POST", "/index", &[("Content-Type", "text/plain")], "pushed");
    assert_eq!((webhook.status, webhook.json()["state"].as_str()), (202, Some("running")));
}

#[test]
fn the_server_describes_itself() {
    let project = payments();
    let server = HttpServer::start(&project);
    assert_eq!(server.get("/api/v1/health").ok(), json!({"status": "ok"}));
    assert_eq!(server.get("/api/v1/about").ok()["version"], env!("CARGO_PKG_VERSION"));
    let document = server.get("/api/openapi.json").ok();
    assert_eq!(document["openapi"], "3.1.0");
    assert!(document["paths"]["/api/v1/graph/{action}"]["get"]["responses"]["404"].is_object());
    let limit = document["paths"]["/api/v1/search"]["get"]["parameters"].as_array().unwrap();
    assert!(
        limit.iter().any(|parameter| parameter["name"] == "limit" && parameter["schema"]["maximum"] == 100)
    );
}

#[test]
fn slips_are_refused_in_one_shape() {
    let project = payments();
    let server = HttpServer::start(&project);
    assert!(server.get("/api/v1/search").refusal(400).contains("`q`"));
    assert!(server.get("/api/v1/search?q=x&lang=rust").refusal(400).contains("language"));
    assert!(server.get("/api/v1/search?q=x&limit=0").refusal(400).contains("from 1 to 100"));
    assert!(server.get("/api/v1/search?q=x&q=y").refusal(400).contains("twice"));
    assert!(server.post("/api/v1/search", &json!({"q": "x", "limit": "3"})).refusal(400).contains("limit"));
    assert!(server.post("/api/v1/search?q=x", &json!({"q": "x"})).refusal(400).contains("body"));
    server.post("/api/v1/search", &json!(["x"])).refusal(400);
    server.send("POST", "/api/v1/search", &[("Content-Type", "application/json")], "{").refusal(400);
    server.send("POST", "/api/v1/search", &[("Content-Type", "text/plain")], "{}").refusal(415);
    server.get("/api/v1/nothing").refusal(404);
    let reply = server.send("DELETE", "/api/v1/search", &[], "");
    reply.refusal(405);
    assert!(reply.head.contains("allow: get,head,post"), "{}", reply.head);
}
