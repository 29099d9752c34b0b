//! The results of each tool on a small project.

use serde_json::json;
use vectorcode_testkit::TempProject;

use super::client::{Server, ToolAnswer};

fn shop() -> TempProject {
    TempProject::new(&[
        (
            "src/payment/retry.ts",
            "/** Charges again after a failure, waiting longer each time. */\n\
             export async function chargeWithBackoff(order: Order, attempts: number): Promise<Receipt> {\n\
             \x20 for (let attempt = 0; attempt < attempts; attempt++) {\n\
             \x20   const receipt = await gateway.charge(order);\n\
             \x20   if (receipt.ok) return receipt;\n\
             \x20   await sleep(Math.min(1000 * 2 ** attempt, 30000));\n\
             \x20 }\n\
             \x20 throw new PaymentError(\"declined\");\n\
             }\n",
        ),
        (
            "src/auth/session.py",
            "def validate_token(token: str) -> User:\n\
             \x20   \"\"\"Checks the signature and the expiry of a session token.\"\"\"\n\
             \x20   claims = decode(token, key=SIGNING_KEY)\n\
             \x20   if claims[\"expires\"] < now():\n\
             \x20       raise ExpiredSession(claims[\"user\"])\n\
             \x20   return load_user(claims[\"user\"])\n",
        ),
        ("docs/manual.md", "# Manual\n\nHow to pay, and what to do when a payment is declined.\n"),
    ])
}

#[test]
fn the_first_search_of_a_new_project_is_answered() {
    let project = shop();
    let mut server = Server::ready(&project);
    let answer = server.search("retry a failed payment with backoff");
    assert!(!answer.is_error, "{answer:#?}");
    server.synced();
    let answer = server.search("retry a failed payment with backoff");
    assert_eq!(answer.paths()[0], "src/payment/retry.ts");
    assert!(
        answer.text.contains(" likely, best first\nsrc/payment/retry.ts:1-9 chargeWithBackoff function 0."),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("\n\n## src/payment/retry.ts:1-9 chargeWithBackoff function 0."),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("\n  for (let attempt = 0;"),
        "code has its own indentation: {}",
        answer.text
    );
    assert!(answer.text.contains("\ndocs: docs/manual.md:"), "{}", answer.text);
    assert!(answer.text.contains("`vec_read` \"src/payment/retry.ts#chargeWithBackoff\""), "{}", answer.text);
    assert!(!answer.text.contains("retry a failed payment"), "the query is not repeated: {}", answer.text);
}

#[test]
fn weak_results_are_called_so_and_a_threshold_leaves_them_out() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let unrelated = "capital of Mongolia";
    let weak = server.call("vec_search", &json!({"query": unrelated}));
    assert!(weak.text.starts_with("Nothing fits well; the nearest are:\n"), "{}", weak.text);
    let shown = weak.structured["results"].as_array().unwrap();
    assert!(shown.len() <= 3 && shown.iter().all(|result| result["weak"] == true), "{weak:#?}");
    assert_eq!((&weak.structured["weak"], &weak.structured["likely"]), (&json!(true), &json!(0)));
    let strict = server.call("vec_search", &json!({"query": unrelated, "threshold": 0.3}));
    assert!(strict.text.starts_with("No result scores 0.30 or more."), "{}", strict.text);
}

#[test]
fn code_is_shown_once_in_a_session() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let mut ask = |session: &str| {
        let arguments = json!({"query": "retry a failed payment with backoff", "session": session});
        server.call("vec_search", &arguments).text
    };
    let code = "\n  for (let attempt = 0;";
    assert!(ask("one").contains(code));
    let again = ask("one");
    assert!(!again.contains(code) && again.contains(" (shown before)\n"), "{again}");
    assert!(ask("two").contains(code));
}

#[test]
fn a_larger_budget_is_spent_on_whole_functions() {
    let project = TempProject::new(&[]);
    for part in ["load", "check", "store"] {
        let steps: Vec<String> = (0..60).map(|step| format!("    {part}_invoice_line({step})\n")).collect();
        let steps = steps.concat();
        project.write(&format!("src/{part}.py"), format!("def {part}_invoice(invoice):\n{steps}"));
    }
    let mut server = Server::ready(&project);
    server.synced();
    let ask = |server: &mut Server, budget: usize| {
        server.call("vec_search", &json!({"query": "invoice", "threshold": 0.0, "max_tokens": budget})).text
    };
    let small = ask(&mut server, 500);
    let large = ask(&mut server, 4000);
    assert!(large.contains("_invoice_line(59)") && large.matches("\n## ").count() == 3, "{large}");
    assert!(small.len() < large.len() / 2, "{small}");
}

#[test]
fn filters_narrow_a_search() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let paths = |answer: &ToolAnswer| answer.paths().join(" ");
    let ask = |server: &mut Server, filter: serde_json::Value| {
        let mut arguments = json!({"query": "payment", "threshold": 0.0});
        arguments.as_object_mut().unwrap().extend(filter.as_object().unwrap().clone());
        paths(&server.call("vec_search", &arguments))
    };
    assert_eq!(ask(&mut server, json!({"language": "python"})), "src/auth/session.py");
    assert_eq!(ask(&mut server, json!({"path": "src/payment/"})), "src/payment/retry.ts");
    assert_eq!(ask(&mut server, json!({"class": "docs"})), "docs/manual.md");
    assert_eq!(ask(&mut server, json!({"limit": 1})).split(' ').count(), 1);
}

#[test]
fn similar_code_is_found_by_snippet_and_by_place() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let snippet = "async function retry() { await sleep(2 ** attempt); await gateway.charge(order); }";
    let mut similar = |query: &str| {
        server.call("vec_search", &json!({"query": query, "mode": "similar", "threshold": 0.0}))
    };
    let answer = similar(snippet);
    assert_eq!(answer.paths()[0], "src/payment/retry.ts");
    let answer = similar("src/auth/session.py:3");
    assert!(!answer.is_error, "{answer:#?}");
}

#[test]
fn a_path_is_whole_or_a_unique_ending_in_every_tool() {
    let project = shop();
    project.write("src/auth/retry.ts", "export function retryLogin(): void {}\n");
    let mut server = Server::ready(&project);
    server.synced();
    let search = |server: &mut Server, path: &str| {
        server.call("vec_search", &json!({"query": "a token", "path": path, "threshold": 0.0}))
    };
    assert_eq!(search(&mut server, "session.py").paths(), ["src/auth/session.py"]);
    assert_eq!(search(&mut server, "payment/retry.ts").paths(), ["src/payment/retry.ts"]);
    let several = search(&mut server, "retry.ts");
    assert!(
        several.is_error && several.text.contains("src/auth/retry.ts, src/payment/retry.ts"),
        "{several:#?}"
    );
    let exact = server.call("vec_search", &json!({"query": "claims", "mode": "exact", "path": "session.py"}));
    assert!(exact.text.starts_with("4 lines in 1 file\nsrc/auth/session.py"), "{}", exact.text);
    let symbols = server.call("vec_symbols", &json!({"name": "validate_token", "path": "session.py"}));
    assert_eq!(symbols.structured["symbols"][0]["path"], "src/auth/session.py");
    let similar =
        server.call("vec_search", &json!({"query": "session.py:2", "mode": "similar", "threshold": 0.0}));
    assert!(!similar.is_error && !similar.paths().contains(&"src/auth/session.py"), "{similar:#?}");
}

#[test]
fn a_path_without_files_is_named_with_what_is_near() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let near = "No indexed file matches the path `src/auht/`; did you mean src/auth/?";
    let found = server.call("vec_search", &json!({"query": "a token", "path": "src/auht/"}));
    assert!(found.text.starts_with("No results. ") && found.text.contains(near), "{}", found.text);
    let exact = server.call("vec_search", &json!({"query": "claims", "mode": "exact", "path": "src/auht/"}));
    assert!(exact.text.contains(near), "{}", exact.text);
    let symbols = server.call("vec_symbols", &json!({"name": "validate_token", "path": "src/auht/"}));
    assert!(
        symbols.text.starts_with("No symbol has a name like `validate_token` in src/auht/."),
        "{symbols:#?}"
    );
    assert!(symbols.text.contains(near), "{}", symbols.text);
    let elsewhere = server.call("vec_symbols", &json!({"name": "validate_token", "path": "docs/"}));
    assert!(elsewhere.text.contains("Elsewhere: validate_token src/auth/session.py:1"), "{elsewhere:#?}");
    for query in ["src/auth/sesion.py:2", "src/auth/sesion.py"] {
        let similar = server.call("vec_search", &json!({"query": query, "mode": "similar"}));
        assert!(
            similar.is_error && similar.text.contains("Did you mean src/auth/session.py?"),
            "{similar:#?}"
        );
    }
    let without_line = server.call("vec_search", &json!({"query": "src/auth/session.py", "mode": "similar"}));
    assert!(
        without_line.is_error && without_line.text.contains("src/auth/session.py:10"),
        "{without_line:#?}"
    );
}

#[test]
fn a_failure_that_the_caller_can_mend_says_how() {
    let project = shop();
    let mut server = Server::ready(&project);
    let error = |server: &mut Server, tool: &str, arguments| {
        let answer = server.call(tool, &arguments);
        assert!(answer.is_error, "{answer:#?}");
        answer.text
    };
    assert!(error(&mut server, "vec_search", json!({})).contains("`query`"));
    assert!(
        error(&mut server, "vec_search", json!({"query": "x", "limit": "all"})).contains("from 1 to 100")
    );
    assert!(error(&mut server, "vec_search", json!({"query": "x", "cursor": "y"})).contains("cursor"));
    assert!(error(&mut server, "vec_nothing", json!({})).contains("vec_search"));
    assert!(error(&mut server, "vec_reindex", json!({"path": "../.."})).contains("not inside the project"));
    assert!(error(&mut server, "vec_status", json!({"projectPath": "/"})).contains("root of a file system"));
}

#[test]
fn a_budget_out_of_its_range_is_the_nearest_one_and_the_answer_says_so() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let answer = server.call("vec_search", &json!({"query": "payment", "max_tokens": 50}));
    assert!(answer.text.contains("Note: `max_tokens` was set to 200, the nearest"), "{}", answer.text);
}

#[test]
fn an_index_is_not_made_where_that_is_forbidden() {
    let project = shop();
    project.write(".vectorcode/config.toml", "[indexing]\nauto_index = false\n");
    let mut server = Server::ready(&project);
    let answer = server.search("payment");
    assert!(answer.is_error && answer.text.contains("vectorcode init"), "{answer:#?}");
    assert!(!project.path(".vectorcode/index.db").exists());
}

#[test]
fn a_reindex_reports_progress_and_its_end() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let arguments = json!({"full": true, "wait": 60, "format": "json"});
    let call = json!({"name": "vec_reindex", "arguments": arguments, "_meta": {"progressToken": "p1"}});
    let answer = ToolAnswer::of(&server.request("tools/call", &call));
    assert_eq!(answer.structured["state"], "done", "{answer:#?}");
    assert_eq!(answer.structured["files"], 3);
    let progress = server.seen(|frame| frame["method"] == "notifications/progress");
    let numbers: Vec<f64> =
        progress.iter().filter_map(|frame| frame["params"]["progress"].as_f64()).collect();
    assert!(!numbers.is_empty() && numbers.is_sorted(), "{numbers:?}");
    assert!(progress.iter().all(|frame| frame["params"]["progressToken"] == "p1"));
}

#[test]
fn a_long_reindex_goes_on_in_the_background_and_can_be_stopped() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    many_files(&project);
    let answer = server.call("vec_reindex", &json!({"full": true, "wait": 0}));
    assert_eq!(answer.structured["state"], "running", "{answer:#?}");
    assert!(!server.search("payment").is_error, "the old index answers meanwhile");
    let answer = server.call("vec_reindex", &json!({"cancel": true}));
    assert_eq!(answer.structured["state"], "cancelled", "{answer:#?}");
    server.call_until("vec_reindex", &json!({"cancel": true}), |answer| answer.structured["state"] == "idle");
    assert!(!server.search("payment").is_error);
}

#[test]
fn a_call_that_is_taken_back_stops_its_work() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    many_files(&project);
    let call = json!({"name": "vec_reindex", "arguments": {"full": true, "wait": 600}});
    let id = server.begin("tools/call", &call);
    server.notify("notifications/cancelled", &json!({"requestId": id, "reason": "changed my mind"}));
    server.call_until("vec_reindex", &json!({"cancel": true}), |answer| answer.structured["state"] == "idle");
    assert!(server.seen(|frame| frame["id"] == id).is_empty(), "a cancelled call is not answered");
}

#[test]
fn answers_keep_their_budget_and_lead_on() {
    let project = shop();
    many_files(&project);
    let mut server = Server::ready(&project);
    server.synced();
    let mut arguments =
        json!({"query": "multiply a value", "threshold": 0.0, "max_tokens": 400, "limit": 20});
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..3 {
        let page = server.call("vec_search", &arguments);
        assert!(page.text.len() <= 400 * 4, "{}", page.text);
        let places = page.text.lines().filter(|line| line.contains(".py:"));
        let new = places.filter(|line| seen.insert((*line).to_owned())).count();
        assert!(new >= 5, "{}", page.text);
        let cursor = page.text.split("cursor \"").nth(1).and_then(|rest| rest.split('"').next());
        arguments["cursor"] = cursor.unwrap_or_else(|| panic!("no cursor: {}", page.text)).into();
    }
}

#[test]
fn lines_are_found_exactly_and_completely() {
    let project = shop();
    project.write("src/payment/many.ts", "charge(order);\n".repeat(150));
    let mut server = Server::ready(&project);
    server.synced();
    let exact = |server: &mut Server, query: &str, mode: &str| {
        server.call("vec_search", &json!({"query": query, "mode": mode}))
    };
    let found = exact(&mut server, "claims[\"expires\"]", "exact");
    assert_eq!(found.text, "1 line\nsrc/auth/session.py\n4\t    if claims[\"expires\"] < now():");
    let found = exact(&mut server, r"gateway\.charge\(|load_\w+\(", "regex");
    assert!(found.text.starts_with("2 lines in 2 files\n"), "{}", found.text);
    let many = exact(&mut server, "charge(", "exact");
    assert_eq!(many.structured["total_lines"], 151, "{many:#?}");
    assert!(
        many.text.starts_with("151 lines in 2 files\n") && many.text.contains(" more lines in this file")
    );
    let none = exact(&mut server, "VALIDATE_TOKEN", "exact");
    assert!(none.text.contains("1 lines match when case is ignored"), "{}", none.text);
    let wrong = exact(&mut server, "(", "regex");
    assert!(wrong.is_error && wrong.text.contains("cannot be used"), "{wrong:#?}");
    let narrow =
        server.call("vec_search", &json!({"query": "charge(", "mode": "exact", "path": "src/auth/"}));
    assert_eq!(narrow.text, "No line matches.");
}

#[test]
fn a_definition_is_read_with_its_callers_and_tests() {
    let project = shop();
    project.write(
        "src/payment/order.ts",
        "import { chargeWithBackoff } from './retry';\nexport async function order(o: Order) {\n  await chargeWithBackoff(o, 3);\n}\n",
    );
    project.write(
        "test/order.test.ts",
        "import { order } from '../src/payment/order';\nfunction ordersOnce() {\n  order(null);\n}\n",
    );
    let mut server = Server::ready(&project);
    server.synced();
    let read = |server: &mut Server, target: &str| server.call("vec_read", &json!({"target": target}));
    let found = read(&mut server, "chargeWithBackoff");
    assert!(
        found.text.starts_with("src/payment/retry.ts:1-9 function chargeWithBackoff\n1\t/** Charges again"),
        "{}",
        found.text
    );
    assert!(found.text.contains("\nCallers: order src/payment/order.ts:3\n"), "{}", found.text);
    assert!(found.text.contains("\nTests that reach it: ordersOnce test/order.test.ts:2"), "{}", found.text);
    let around = read(&mut server, "src/payment/retry.ts:4");
    assert_eq!(around.structured["symbol"], "chargeWithBackoff", "{around:#?}");
    let absolute = format!("{}:2-3", project.path("src/payment/order.ts").display());
    assert!(read(&mut server, &absolute).text.contains("\n3\t  await chargeWithBackoff(o, 3);"));
    let unknown = read(&mut server, "chargeWithBackof");
    assert!(unknown.is_error && unknown.text.contains("Did you mean chargeWithBackoff?"), "{unknown:#?}");
}

#[test]
fn files_and_folders_are_outlined() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let outline = |server: &mut Server, path: &str| server.call("vec_symbols", &json!({"path": path})).text;
    let file = outline(&mut server, "src/auth/session.py");
    assert!(
        file.starts_with("src/auth/session.py: 6 lines, 1 definitions\n1-6 def validate_token("),
        "{file}"
    );
    let folder = outline(&mut server, "src");
    assert!(
        folder.starts_with("src/: 2 files") && folder.contains("\nsrc/auth/ 1 files: validate_token"),
        "{folder}"
    );
    assert!(outline(&mut server, ".").contains("\nsrc/ 2 files: "));
    let unknown = server.call("vec_symbols", &json!({"path": "src/nowhere"}));
    assert!(unknown.is_error && !unknown.text.contains("vectorcode search"), "{unknown:#?}");
}

#[test]
fn the_graph_answers_in_words_and_diagrams() {
    let project = shop();
    project.write(
        "src/payment/order.ts",
        "import { chargeWithBackoff } from './retry';\nexport async function order(o: Order) {\n  await chargeWithBackoff(o, 3);\n}\n",
    );
    let mut server = Server::ready(&project);
    server.synced();
    let callers = server.call("vec_graph", &json!({"action": "callers", "target": "chargeWithBackoff"}));
    assert!(callers.text.contains("- order src/payment/order.ts:3"), "{}", callers.text);
    assert_eq!(callers.structured["edges"][0]["confidence"], "certain");
    let by_line = json!({"action": "callers", "target": "src/payment/retry.ts:4"});
    assert!(server.call("vec_graph", &by_line).text.contains("- order src/payment/order.ts:3"));
    let deps = json!({"action": "deps", "target": "src/payment/order.ts", "format": "mermaid"});
    assert!(server.call("vec_graph", &deps).text.starts_with("flowchart LR"));
    let impact = server.call("vec_graph", &json!({"action": "impact", "target": "src/payment/retry.ts"}));
    assert_eq!(impact.structured["impact"]["files"], 1, "{impact:#?}");
    for action in ["stats", "cycles", "show"] {
        assert!(!server.call("vec_graph", &json!({"action": action})).is_error, "{action}");
    }
    let wrong = server.call("vec_graph", &json!({"action": "callers"}));
    assert!(wrong.is_error && wrong.text.contains("needs `target`"), "{wrong:#?}");
    let unknown = server.call("vec_graph", &json!({"action": "callers", "target": "chargeWithBackof"}));
    assert!(unknown.is_error && unknown.text.contains("Did you mean chargeWithBackoff?"), "{unknown:#?}");
}

#[test]
fn changes_and_history_are_asked_in_a_repository() {
    let project = shop();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=it", "-c", "user.email=it@example.com"]).args(arguments);
        assert!(command.current_dir(project.root()).output().unwrap().status.success(), "git {arguments:?}");
    };
    project.write(".gitignore", ".vectorcode/\n");
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "Retry declined payments with backoff"]);
    let source = std::fs::read_to_string(project.path("src/payment/retry.ts")).unwrap();
    project.write("src/payment/retry.ts", source.replace("30000", "60000"));
    let mut server = Server::ready(&project);
    server.synced();
    let tools = server.request("tools/list", &json!({}))["result"]["tools"].to_string();
    assert!(tools.contains("vec_changes") && tools.contains("vec_history"), "{tools}");
    let changed = server.call("vec_changes", &json!({}));
    assert!(
        changed.text.contains("\n- function chargeWithBackoff src/payment/retry.ts:"),
        "{}",
        changed.text
    );
    let found = server.call_until("vec_history", &json!({"query": "declined payments"}), |answer| {
        answer.text.contains("Retry declined payments with backoff")
    });
    assert!(!found.is_error);
    let by_ending = server.call("vec_history", &json!({"path": "retry.ts"}));
    assert!(by_ending.text.contains("Retry declined payments with backoff"), "{}", by_ending.text);
    let unknown = server.call("vec_changes", &json!({"revisions": "no-such-branch"}));
    assert!(unknown.is_error && unknown.text.contains("no-such-branch"), "{unknown:#?}");
}

#[test]
fn symbols_are_found_by_name() {
    let project = shop();
    let mut server = Server::ready(&project);
    server.synced();
    let found = server.call("vec_symbols", &json!({"name": "validate"}));
    assert_eq!(found.structured["symbols"][0]["path"], "src/auth/session.py", "{found:#?}");
    assert!(found.text.contains("function validate_token src/auth/session.py:1-"), "{}", found.text);
    assert!(!server.call("vec_symbols", &json!({"name": "zebra"})).is_error);
    assert!(server.call("vec_symbols", &json!({})).is_error);
}

/// Names and code of a project are hostile input: agents print them to terminals and put them into prompts.
#[cfg(unix)]
#[test]
fn names_and_code_with_control_characters_are_escaped() {
    let project = TempProject::new(&[
        (
            "src/pay\u{1b}[31m\u{202e}ment.py",
            "# \u{202e}hidden\u{9b}2J\ndef charge_card(amount):\n    return amount\n",
        ),
        (
            "src/a\n\n[9] forged.py",
            "def charge_twice(amount):\n    return charge_card(charge_card(amount))\n",
        ),
    ]);
    let mut server = Server::ready(&project);
    server.synced();
    for (tool, arguments) in [
        ("vec_search", json!({"query": "charge a card\u{202e}", "threshold": 0.0})),
        ("vec_symbols", json!({"name": "charge"})),
        ("vec_graph", json!({"action": "callers", "target": "charge_card"})),
        ("vec_graph", json!({"action": "callers", "target": "no\u{1b}thing"})),
    ] {
        let answer = server.call(tool, &arguments);
        let shown = format!("{}{}", answer.text.replace(['\n', '\t'], ""), answer.structured);
        assert!(!shown.chars().any(vectorcode_core::is_unprintable), "{tool}: {answer:#?}");
        assert!(!answer.text.lines().any(|line| line.starts_with("[9]")), "{tool}: {answer:#?}");
    }
    let answer = server.call("vec_search", &json!({"query": "charge a card", "threshold": 0.0}));
    assert!(answer.text.contains("src/pay\\u{1b}[31m\\u{202e}ment.py:1-"), "{}", answer.text);
    assert!(answer.text.contains("# \\u{202e}hidden\\u{9b}2J"), "{}", answer.text);
}

/// Writes enough files that an index run takes a while.
fn many_files(project: &TempProject) {
    for number in 0..300 {
        let functions: Vec<String> = (0..20)
            .map(|place| format!("def multiply_{number}_{place}(value):\n    return value * {place}\n"))
            .collect();
        project.write(&format!("src/generated/file_{number}.py"), functions.join("\n"));
    }
}
