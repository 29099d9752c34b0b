//! Tool calls about commits that are not checked out.

use serde_json::{Value, json};
use vectorcode_testkit::{TempProject, TestRepository};

use super::client::Server;

const CHARGE: &str =
    "/** Charges a card once. */\nexport function charge(card: Card) {\n  return gateway.send(card);\n}\n";
const RETRY: &str = "import { charge } from './charge';\n\n/** Charges again after a failure. */\nexport function chargeAgain(card: Card) {\n  return charge(card) || charge(card);\n}\n";

/// The branch `topic` has `retry.ts`; the files on disk do not.
fn project() -> TempProject {
    let project = TempProject::new(&[("src/charge.ts", CHARGE)]);
    let mut repository = TestRepository::init(project.root());
    let main = repository.commit("Charge", &[("src/charge.ts", Some(CHARGE))]);
    let topic = repository.commit("Charge again", &[("src/retry.ts", Some(RETRY))]);
    repository.refer("refs/heads/topic", &topic);
    repository.reset(&main);
    project
}

#[test]
fn every_tool_about_code_takes_a_ref() {
    let project = project();
    let mut server = Server::ready(&project);
    server.synced();
    let mut ask = |tool: &str, mut arguments: Value| {
        arguments["ref"] = "topic".into();
        let answer = server.call(tool, &arguments);
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        assert!(answer.text.starts_with("As of topic, commit "), "{tool}: {}", answer.text);
        answer.text
    };
    assert!(ask("vec_search", json!({"query": "charge a card again"})).contains("src/retry.ts:"));
    assert!(ask("vec_search", json!({"query": "chargeAgain", "mode": "exact"})).contains("src/retry.ts"));
    assert!(ask("vec_symbols", json!({"name": "chargeAgain"})).contains("src/retry.ts"));
    assert!(ask("vec_graph", json!({"action": "callers", "target": "charge"})).contains("src/retry.ts"));
    assert!(ask("vec_read", json!({"target": "chargeAgain"})).contains("charge(card) || charge(card)"));
    assert!(ask("vec_history", json!({"query": "charge again"})).contains("Charge again"));
    assert!(
        !server.search("charge a card again").text.contains("retry.ts"),
        "the files on disk are unchanged"
    );
}

#[test]
fn an_answer_as_json_names_its_commit() {
    let project = project();
    let mut server = Server::ready(&project);
    server.synced();
    let answer =
        server.call_for_value("vec_search", &json!({"query": "charge", "ref": "topic", "format": "json"}));
    let value: Value = serde_json::from_str(&answer.text).unwrap();
    assert_eq!(value["commit"].as_str().map(str::len), Some(40), "{value}");
}

#[test]
fn a_difference_is_searched_and_a_commit_says_what_it_touches() {
    let project = project();
    let mut server = Server::ready(&project);
    server.synced();
    let answer = server.call("vec_search", &json!({"query": "charge", "in_diff": "main..topic"}));
    assert!(answer.text.contains("(changed: 1-6)"), "{}", answer.text);
    assert!(!answer.text.contains("src/charge.ts:"), "{}", answer.text);
    let changes = server.call("vec_changes", &json!({"revisions": "main..topic"}));
    assert!(changes.text.contains("src/retry.ts"), "{}", changes.text);
    assert!(!changes.text.contains("in another version"), "{}", changes.text);
}

#[test]
fn a_ref_that_is_nowhere_and_tools_without_one_say_so() {
    let project = project();
    let mut server = Server::ready(&project);
    server.synced();
    let answer = server.call("vec_search", &json!({"query": "charge", "ref": "nowhere"}));
    assert!(answer.is_error && answer.text.contains("nowhere"), "{}", answer.text);
    let answer = server.call("vec_search", &json!({"query": "charge", "ref": 7}));
    assert!(answer.is_error && answer.text.contains("branch"), "{}", answer.text);
    let both = json!({"query": "charge", "ref": "topic", "in_diff": "main..topic"});
    assert!(server.call("vec_search", &both).text.contains("main..topic"));
}
