//! Commits that are not checked out, over HTTP.

use serde_json::json;
use vectorcode_testkit::{TempProject, TestRepository};

use super::server::HttpServer;

const CHARGE: &str =
    "/** Charges a card once. */\nexport function charge(card) {\n  return gateway.send(card);\n}\n";
const RETRY: &str = "import { charge } from './charge';\n\n/** Charges again after a failure. */\nexport function chargeAgain(card) {\n  return charge(card) || charge(card);\n}\n";

fn server() -> (TempProject, HttpServer) {
    let project = TempProject::new(&[("src/charge.ts", CHARGE)]);
    let mut repository = TestRepository::init(project.root());
    let main = repository.commit("Charge", &[("src/charge.ts", Some(CHARGE))]);
    let topic = repository.commit("Charge again", &[("src/retry.ts", Some(RETRY))]);
    repository.refer("refs/heads/topic", &topic);
    repository.reset(&main);
    let server = HttpServer::ready(&project);
    server.post("/api/v1/index", &json!({"wait": true})).ok();
    (project, server)
}

#[test]
fn every_question_about_code_takes_a_ref() {
    let (_project, server) = server();
    let at = |path: &str| server.get(&format!("{path}&ref=topic")).ok();
    let searched = at("/api/v1/search?q=charge+a+card+again");
    assert_eq!(searched["hits"][0]["file_path"], "src/retry.ts", "{searched}");
    assert_eq!(server.get("/api/v1/search?q=charge+a+card+again").ok()["total"], 1);
    assert!(at("/api/v1/file?path=src/retry.ts").to_string().contains("chargeAgain"));
    server.get("/api/v1/file?path=src/retry.ts").refusal(404);
    assert!(at("/api/v1/history?q=charge+again").to_string().contains("Charge again"));
    let posted = server.post("/api/v1/search", &json!({"q": "charge again", "ref": "topic"})).ok();
    assert_eq!(posted["hits"][0]["file_path"], "src/retry.ts", "{posted}");
}

#[test]
fn a_difference_is_searched() {
    let (_project, server) = server();
    let found = server.get("/api/v1/search?q=charge&in_diff=main..topic").ok();
    assert_eq!(found["hits"][0]["diff"]["side"], "after", "{found}");
    assert_eq!(found["hits"][0]["matching_lines"], json!([1, 2, 3, 4, 5, 6]), "{found}");
    assert_eq!(found["total"], 1, "{found}");
}

#[test]
fn a_ref_that_is_nowhere_is_the_callers_mistake() {
    let (_project, server) = server();
    assert!(server.get("/api/v1/search?q=charge&ref=nowhere").refusal(400).contains("nowhere"));
    server.get("/api/v1/search?q=charge&in_diff=nowhere..main").refusal(400);
}

/// Like the web page, which requests results, tree and references of a new branch at once.
#[test]
fn a_new_ref_may_be_asked_about_several_times_at_once() {
    let (_project, server) = server();
    let ask = || server.get("/api/v1/search?q=charge+again&ref=topic").ok();
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..6).map(|_| scope.spawn(ask)).collect();
        for answer in asked {
            assert_eq!(answer.join().unwrap()["hits"][0]["file_path"], "src/retry.ts");
        }
    });
}
