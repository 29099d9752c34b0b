//! What the web page shows of a project in addition to search results: its overview, its folders, its links and its map.

use serde_json::{Value, json};
use vectorcode_testkit::{TempProject, TestRepository};

use super::server::HttpServer;

fn shop() -> TempProject {
    TempProject::new(&[
        (
            "README.md",
            "# Shop\n\n[![ci](b.svg)](c)\n\nTakes **payments** and [retries](r.md) those that fail.\n",
        ),
        (
            "src/payment/retry.ts",
            "import { charge, Payment } from './gateway';\n\n/** Tries again. */\nexport function retryPayment(payment: Payment) {\n  return charge(payment);\n}\n",
        ),
        (
            "src/payment/gateway.ts",
            "export interface Payment { id: string }\n\nexport function charge(payment: Payment) {\n  return payment.id;\n}\n",
        ),
        ("src/payment/README.md", "# Payments\n\nEverything about money that comes in or goes out.\n"),
        (
            "src/main.ts",
            "import { retryPayment } from './payment/retry';\nimport { charge } from './payment/gateway';\n\nexport function main() {\n  retryPayment({ id: '1' });\n  charge({ id: '2' });\n}\n",
        ),
        (
            "tests/retry.test.ts",
            "import { retryPayment } from '../src/payment/retry';\n\ntest('it', () => { retryPayment({ id: '1' }); });\n",
        ),
        ("deep/inside/of/it/note.md", "# Note\n"),
    ])
}

fn texts<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}

#[test]
fn an_overview_says_what_a_project_is() {
    let project = shop();
    let server = HttpServer::ready(&project);
    let overview = server.get("/api/v1/overview").ok();
    assert_eq!(
        overview["readme"],
        json!({"path": "README.md", "title": "Shop", "summary": "Takes payments and retries those that fail."})
    );
    assert_eq!((&overview["files"], &overview["tests"]), (&json!(7), &json!(1)));
    assert_eq!(texts(&overview["languages"], "name"), ["typescript"]);
    let parts = &overview["parts"];
    assert_eq!(parts[0]["path"], "src");
    assert_eq!(parts.as_array().unwrap().last().unwrap()["path"], "tests");
    assert_eq!(
        overview["entry_points"][0],
        json!({"path": "src/main.ts", "line": 4, "reason": "defines_main", "reaches": 2})
    );
    assert_eq!(
        texts(&overview["most_imported"], "path")[..2],
        ["src/payment/gateway.ts", "src/payment/retry.ts"]
    );
}

#[test]
fn a_folder_has_an_overview_of_its_own() {
    let project = shop();
    let server = HttpServer::ready(&project);
    let folder = server.get("/api/v1/overview?folder=src/payment/&limit=1").ok();
    assert_eq!(folder["folder"], "src/payment");
    assert_eq!(folder["readme"]["summary"], "Everything about money that comes in or goes out.");
    assert_eq!((&folder["files"], &folder["parts_total"]), (&json!(3), &json!(3)));
    assert_eq!(folder["parts"].as_array().unwrap().len(), 1);
    server.get("/api/v1/overview?folder=src/nothing").refusal(404);
    server.get("/api/v1/overview?folder=../elsewhere").refusal(400);
    server.get("/api/v1/overview?limit=0").refusal(400);
}

#[test]
fn history_tells_what_is_worked_on() {
    let project = shop();
    let mut repository = TestRepository::init(project.root());
    repository.commit(
        "Charge cards",
        &[("src/payment/gateway.ts", Some("1")), ("src/payment/retry.ts", Some("1"))],
    );
    repository.commit("Try payments again", &[("src/payment/retry.ts", Some("2"))]);
    let server = HttpServer::ready(&project);
    // The history is read at the end of a run.
    server.post("/api/v1/index", &json!({"wait": true})).ok();
    let commits = server.get("/api/v1/history?path=src/payment/retry.ts").ok();
    assert_eq!(texts(&commits["commits"], "subject"), ["Try payments again", "Charge cards"]);
    assert_eq!(
        texts(&server.get("/api/v1/history?q=charge+cards&limit=1").ok()["commits"], "subject"),
        ["Charge cards"]
    );
    let hot = &server.get("/api/v1/overview").ok()["hot_files"];
    assert_eq!(texts(hot, "path"), ["src/payment/retry.ts"]);
    assert_eq!(hot[0]["commits"], 2);
    server.get("/api/v1/history?path=src/main.ts").refusal(404);
    server.get("/api/v1/history?limit=0").refusal(400);
}

#[test]
fn branches_are_listed_and_shown_without_a_checkout() {
    let project = shop();
    assert_eq!(HttpServer::ready(&project).get("/api/v1/branches").ok()["local"], json!([]));
    let mut repository = TestRepository::init(project.root());
    let old = "export function chargeByTelephone() {}\n";
    repository.commit("Charge by telephone", &[("src/payment/gateway.ts", Some(old))]);
    let server = HttpServer::ready(&project);
    let branches = server.get("/api/v1/branches").ok();
    let current = branches["current"].as_str().unwrap();
    assert_eq!(branches["local"], json!([current]));
    let path = format!("/api/v1/file?path=src/payment/gateway.ts&ref={current}");
    assert_eq!(server.get(&path).ok()["content"], old);
    server.get("/api/v1/file?path=src/payment/gateway.ts&ref=nobody").refusal(400);
}

#[test]
fn the_parts_of_a_container_are_parts_of_the_project() {
    let code = "export function work() {\n  return 'a text that is long enough to be most of the code';\n}\n";
    let project = TempProject::new(&[
        ("packages/api/a.ts", code),
        ("packages/web/b.ts", code),
        ("packages/cli/c.ts", code),
        ("build.ts", "export const a = 1;\n"),
    ]);
    let server = HttpServer::ready(&project);
    let overview = server.get("/api/v1/overview").ok();
    let mut parts = texts(&overview["parts"], "path");
    parts.sort_unstable();
    assert_eq!(parts, ["build.ts", "packages/api", "packages/cli", "packages/web"]);
}

#[test]
fn folders_are_listed_page_by_page() {
    let project = shop();
    let server = HttpServer::ready(&project);
    let root = server.get("/api/v1/folder").ok();
    assert_eq!(texts(&root["entries"], "name"), ["deep/inside/of/it", "src", "tests", "README.md"]);
    assert_eq!(
        root["entries"][1],
        json!({"name": "src", "path": "src", "kind": "folder", "files": 4, "is_test": false})
    );
    assert!(root["next"].is_null());
    let page = server.get("/api/v1/folder?limit=2").ok();
    assert_eq!((&page["total"], &page["next"]), (&json!(4), &json!(2)));
    assert_eq!(
        texts(&server.get("/api/v1/folder?limit=2&offset=2").ok()["entries"], "name"),
        ["tests", "README.md"]
    );
    let inside = server.get("/api/v1/folder?folder=src").ok();
    assert_eq!(texts(&inside["entries"], "path"), ["src/payment", "src/main.ts"]);
    assert_eq!(inside["entries"][1]["language"], "typescript");
    server.get("/api/v1/folder?folder=.vectorcode").refusal(404);
    server.get("/api/v1/folder?folder=/etc").refusal(400);
    server.get("/api/v1/folder?path=src").refusal(400);
}

#[test]
fn references_show_the_lines_that_use_a_symbol() {
    let project = shop();
    let server = HttpServer::ready(&project);
    let found = server.get("/api/v1/references?target=src/payment/gateway.ts%23charge").ok();
    assert_eq!(found["definitions"][0]["path"], "src/payment/gateway.ts");
    assert_eq!(texts(&found["incoming"], "text"), ["charge({ id: '2' });", "return charge(payment);"]);
    assert_eq!(
        (&found["incoming"][1]["line"], &found["incoming"][1]["name"]),
        (&json!(5), &json!("retryPayment"))
    );
    let at_line = server.get("/api/v1/references?target=src/payment/retry.ts&line=5").ok();
    assert_eq!(at_line["target"], "src/payment/retry.ts#retryPayment");
    assert_eq!(texts(&at_line["outgoing"], "name"), ["charge"]);
    assert_eq!(texts(&at_line["incoming"], "path"), ["src/main.ts", "tests/retry.test.ts"]);
    let file = server.get("/api/v1/references?target=src/payment/retry.ts").ok();
    assert_eq!(texts(&file["incoming"], "path"), ["src/main.ts", "tests/retry.test.ts"]);
    assert_eq!(texts(&file["outgoing"], "text"), ["import { charge, Payment } from './gateway';"]);
    let short = server.get("/api/v1/references?target=charge&limit=1").ok();
    assert_eq!((short["incoming"].as_array().unwrap().len(), &short["incoming_total"]), (1, &json!(2)));
    server.get("/api/v1/references?target=noSuchSymbol").refusal(404);
    server.get("/api/v1/references").refusal(400);
}

#[test]
fn a_file_says_where_its_names_are_defined() {
    let project = shop();
    let server = HttpServer::ready(&project);
    let file = server.get("/api/v1/file?path=src/payment/retry.ts&links=true").ok();
    let links = &file["links"];
    let targets_of = |name: &str, line: u64| -> Vec<String> {
        let names = links["names"].as_array().unwrap().iter();
        let here = names.filter(|link| {
            link["name"] == name
                && (link["start_line"].as_u64()..=link["end_line"].as_u64()).contains(&Some(line))
        });
        here.flat_map(|link| link["targets"].as_array().unwrap())
            .map(|at| &links["targets"][at.as_u64().unwrap() as usize])
            .map(|target| format!("{}:{}", target["path"].as_str().unwrap(), target["start_line"]))
            .collect()
    };
    assert_eq!(targets_of("charge", 5), ["src/payment/gateway.ts:3"]);
    assert_eq!(targets_of("Payment", 4), ["src/payment/gateway.ts:1"]);
    assert_eq!(targets_of("charge", 1), ["src/payment/gateway.ts:3"]);
    assert_eq!(targets_of("./gateway", 1), ["src/payment/gateway.ts:1"]);
    assert_eq!(file["definitions"][0]["name_line"], 4);
    assert!(server.get("/api/v1/file?path=src/payment/retry.ts").ok()["links"].is_null());
}

#[test]
fn the_map_opens_folders_as_far_as_they_fit() {
    let project = shop();
    let server = HttpServer::ready(&project);
    let small = server.get("/api/v1/map?limit=2").ok();
    assert_eq!(texts(&small["nodes"], "name"), ["src", "tests/retry.test.ts"]);
    assert_eq!(small["nodes"][0]["files"], 3);
    assert_eq!(small["edges"][0]["count"], 1);
    let large = server.get("/api/v1/map?limit=20").ok();
    assert!(texts(&large["nodes"], "name").contains(&"src/payment/retry.ts"));
    let folder = server.get("/api/v1/map?folder=src/payment").ok();
    assert_eq!(
        texts(&folder["nodes"], "name"),
        ["src/payment/gateway.ts", "src/payment/retry.ts", "src/main.ts", "tests/retry.test.ts"]
    );
    assert_eq!(folder["nodes"][2]["distance"], 1);
    server.get("/api/v1/map?folder=nothing").refusal(404);
}
