//! Both protocol eras, and the order of messages that real clients use.

use serde_json::{Value, json};
use vectorcode_testkit::TempProject;

use super::client::Server;

fn project() -> TempProject {
    TempProject::new(&[("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n")])
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn every_handshake_version_is_spoken() {
    let project = project();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = Server::start(&project);
        let result = server.initialize(version);
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "vectorcode");
        assert!(result["capabilities"]["tools"].is_object());
        assert!(result["instructions"].as_str().unwrap().contains("vec_search"));
        assert_eq!(tool_names(&server.request("tools/list", &json!({}))).len(), 6);
        assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
    }
}

#[test]
fn a_version_of_the_future_is_answered_with_one_that_is_known() {
    let project = project();
    let mut server = Server::start(&project);
    assert_eq!(server.initialize("2099-01-01")["protocolVersion"], "2025-11-25");
}

#[test]
fn the_stateless_era_needs_no_handshake() {
    let project = project();
    let mut server = Server::start(&project);
    let found = server.request("server/discover", &json!({"_meta": meta()}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{found}"));
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")));
    assert!(found["result"]["instructions"].as_str().unwrap().contains("vec_search"));
    let list = server.request("tools/list", &json!({"_meta": meta()}));
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(tool_names(&list).len(), 6);
    let call = json!({"name": "vec_status", "arguments": {}, "_meta": meta()});
    assert_eq!(server.request("tools/call", &call)["result"]["isError"], false);
}

#[test]
fn a_discovery_may_be_followed_by_a_handshake() {
    let project = project();
    let mut server = Server::start(&project);
    server.request("server/discover", &json!({"_meta": meta()}));
    assert_eq!(server.initialize("2025-06-18")["protocolVersion"], "2025-06-18");
    assert!(server.request("tools/list", &json!({}))["result"].get("resultType").is_none());
}

#[test]
fn an_unknown_version_in_a_stateless_request_is_refused_with_those_that_are_known() {
    let project = project();
    let mut server = Server::start(&project);
    let mut meta = meta();
    meta["io.modelcontextprotocol/protocolVersion"] = "2099-01-01".into();
    let answer = server.request("tools/list", &json!({"_meta": meta}));
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
}

#[test]
fn schemas_are_plain_and_tools_say_what_they_do() {
    let project = project();
    let mut server = Server::ready(&project);
    let list = server.request("tools/list", &json!({}));
    assert_eq!(
        tool_names(&list),
        ["vec_search", "vec_read", "vec_symbols", "vec_graph", "vec_status", "vec_reindex"]
    );
    for tool in list["result"]["tools"].as_array().unwrap() {
        let schemas = tool["inputSchema"].to_string();
        for keyword in ["$ref", "anyOf", "oneOf", "\"format\":\"", "null"] {
            assert!(!schemas.contains(keyword), "{keyword} in {schemas}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool.get("outputSchema").is_none(), "answers are text");
        let writes = ["vec_status", "vec_reindex"].contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes);
    }
}

#[test]
fn context_is_listed_where_the_project_has_some() {
    let project = project();
    project.write(".vectorcode/config.toml", "[[artifacts]]\nname = \"notes\"\npath = \"src\"\n");
    let mut server = Server::ready(&project);
    server.synced();
    let list = server.request("tools/list", &json!({}));
    assert!(tool_names(&list).contains(&"vec_context"), "{list}");
}

fn tool_names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array();
    tools.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
}
