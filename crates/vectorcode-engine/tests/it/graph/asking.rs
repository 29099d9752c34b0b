//! Files, paths, impact, cycles and statistics, and the responses for unknown and ambiguous names.

use std::time::Duration;

use vectorcode_core::api::{
    GraphQuery, GraphRequest, GraphResponse, NodeKind, SearchMode, SearchRequest, SymbolRequest,
};
use vectorcode_core::{Diagnose, SkipReason};
use vectorcode_engine::{EngineError, collapse, diagram};

use super::{ask, callers, indexed, read};
use crate::project::Indexed;

fn shop() -> Indexed {
    indexed(&[
        ("src/a.ts", "import { b } from './b';\nimport fs from 'fs';\nexport function a(): void { b(); }\n"),
        ("src/b.ts", "import { c } from './c';\nexport function b(): void { c(); }\n"),
        (
            "src/c.ts",
            "import { a } from './a';\nexport function c(): void {}\nexport const lazy = () => a();\n",
        ),
        (
            "src/d.ts",
            "import { b } from './b';\nexport function d(): void { b(); }\nexport function c(): void {}\n",
        ),
        ("test/b.test.ts", "import { b } from '../src/b';\nfunction checks(): void { b(); }\n"),
        ("src/alone.ts", "export const answer = 42;\n"),
        ("README.md", "# Shop\n"),
    ])
}

fn names(response: &GraphResponse) -> Vec<&str> {
    response.nodes.iter().map(|node| node.name.as_str()).collect()
}

#[test]
fn deps_and_dependents_go_as_far_as_they_are_told() {
    let shop = shop();
    let deps = |depth| ask(&shop.engine, GraphQuery::Deps { path: "src/a.ts".into(), depth });
    assert_eq!(names(&deps(1)), ["src/a.ts", "src/b.ts", "fs"]);
    assert_eq!(deps(1).nodes[2].kind, NodeKind::External);
    assert_eq!(names(&deps(2)), ["src/a.ts", "src/b.ts", "fs", "src/c.ts"]);
    let dependents = ask(&shop.engine, GraphQuery::Dependents { path: "b.ts".into(), depth: 1 });
    assert_eq!(names(&dependents), ["src/b.ts", "src/a.ts", "src/d.ts", "test/b.test.ts"]);
    assert_eq!(dependents.edges.iter().map(|edge| edge.line).collect::<Vec<_>>(), [Some(1); 3]);
}

#[test]
fn a_limit_keeps_the_nearest_and_counts_the_rest() {
    let shop = shop();
    let query = GraphQuery::Dependents { path: "src/b.ts".into(), depth: 3 };
    let response = shop.engine.graph(&GraphRequest { query, limit: 3 }).unwrap();
    assert_eq!(names(&response), ["src/b.ts", "src/a.ts", "src/d.ts"]);
    assert!(response.truncated && response.total == 5, "{response:?}");
}

#[test]
fn impact_ranks_by_distance_and_counts_tests() {
    let shop = shop();
    let response = ask(&shop.engine, GraphQuery::Impact { target: "b".into(), depth: 4 });
    assert_eq!(names(&response), ["b", "a", "d", "checks", "lazy"]);
    let impact = response.impact.unwrap();
    assert_eq!((impact.symbols, impact.files, impact.tests), (4, 4, 1));
    let response = ask(&shop.engine, GraphQuery::Impact { target: "src/b.ts".into(), depth: 1 });
    assert_eq!(response.impact.unwrap().files, 3, "{response:?}");
}

#[test]
fn paths_lead_over_files_and_symbols() {
    let shop = shop();
    let path =
        |from: &str, to: &str| ask(&shop.engine, GraphQuery::Path { from: from.into(), to: to.into() });
    assert_eq!(names(&path("src/d.ts", "src/a.ts")), ["src/d.ts", "src/b.ts", "src/c.ts", "src/a.ts"]);
    assert_eq!(names(&path("d", "src/c.ts#c")), ["d", "b", "c"]);
    let none = path("src/alone.ts", "src/a.ts");
    assert!(none.nodes.is_empty() && none.notes[0].contains("No chain of resolved calls"), "{none:?}");
}

#[test]
fn cycles_are_chains_of_real_imports() {
    let shop = shop();
    let response = ask(&shop.engine, GraphQuery::Cycles);
    assert_eq!(response.cycles.len(), 1);
    let chain = &response.cycles[0];
    assert_eq!(chain.len(), 3);
    for (place, node) in chain.iter().enumerate() {
        let next = chain[(place + 1) % chain.len()];
        assert!(response.edges.iter().any(|edge| (edge.from, edge.to) == (*node, next)), "{response:?}");
    }
}

#[test]
fn stats_count_and_name_orphans() {
    let shop = shop();
    let stats = ask(&shop.engine, GraphQuery::Stats).stats.unwrap();
    assert_eq!((stats.files, stats.edges, stats.cycles, stats.externals), (6, 5, 1, 1));
    assert_eq!(stats.orphans, ["src/alone.ts"]);
    assert_eq!(stats.most_connected[0].path, "src/b.ts");
    assert_eq!(stats.edges_by_language, [("typescript".to_owned(), 5)]);
    assert_eq!(stats.most_imported, [("fs".to_owned(), 1)]);
}

#[test]
fn the_whole_project_is_shown_by_folder() {
    let shop = shop();
    let query = GraphQuery::Show { target: None, depth: 1 };
    let response = shop.engine.graph(&GraphRequest { query, limit: 3 }).unwrap();
    assert_eq!(names(&response), ["src", "test/b.test.ts"]);
    assert_eq!(response.nodes[0].files, Some(4));
    let around = ask(&shop.engine, GraphQuery::Show { target: Some("src/b.ts".into()), depth: 1 });
    assert_eq!(around.nodes.len(), 5);
    assert!(diagram::mermaid(&collapse(&around, 10)).starts_with("flowchart LR\n"));
}

#[test]
fn unknown_names_are_answered_with_near_ones() {
    let shop = shop();
    let error = |query| shop.engine.graph(&GraphRequest { query, limit: 10 }).unwrap_err();
    let unknown = error(GraphQuery::Deps { path: "src/bb.ts".into(), depth: 1 });
    assert!(matches!(unknown, EngineError::UnknownFile { .. }), "{unknown:?}");
    match error(GraphQuery::Callers { symbol: "lazzy".into(), depth: 1 }) {
        EngineError::UnknownSymbol { nearest, .. } => assert_eq!(nearest, ["lazy"]),
        other => panic!("{other:?}"),
    }
    let left_out =
        Indexed::new(&[("src/a.ts", "export function a() {}\n"), ("build/b.ts", "export const b = 1;\n")]);
    read(&left_out.engine);
    for path in ["build/b.ts", "build"] {
        let query = GraphQuery::Deps { path: path.into(), depth: 1 };
        let error = left_out.engine.graph(&GraphRequest { query, limit: 10 }).unwrap_err();
        assert!(matches!(&error, EngineError::LeftOut { reason: SkipReason::Ignored, .. }), "{error:?}");
        assert!(error.hint().is_some_and(|hint| hint.contains(&format!("`!/{path}`"))), "{error:?}");
    }
    let several = ask(&shop.engine, GraphQuery::Callers { symbol: "c".into(), depth: 1 });
    assert!(several.notes[0].contains("src/d.ts#c"), "{several:?}");
    assert_eq!(callers(&shop.engine, "src/d.ts#c"), [""; 0]);
}

#[test]
fn symbols_are_found_whole_by_beginning_and_nearly() {
    let shop = shop();
    let find = |name: &str| {
        let request = SymbolRequest { name: name.into(), kinds: Vec::new(), paths: Vec::new(), limit: 10 };
        let response = shop.engine.symbols(&request).unwrap();
        let found: Vec<String> = response
            .symbols
            .iter()
            .map(|hit| format!("{}:{} {}", hit.path, hit.start_line, hit.name))
            .collect();
        (found, response.notes.len())
    };
    assert_eq!(find("c").0[..2], ["src/c.ts:2 c", "src/d.ts:3 c"]);
    assert_eq!(find("laz"), (vec!["src/c.ts:3 lazy".to_owned()], 1));
    assert_eq!(find("anwser"), (vec!["src/alone.ts:1 answer".to_owned()], 1));
    assert_eq!(find("zebra").0.len(), 0);
}

#[test]
fn an_answer_follows_the_files() {
    let shop = shop();
    assert_eq!(callers(&shop.engine, "d"), [""; 0]);
    shop.files.write("src/e.ts", "import { d } from './d';\nexport function e(): void { d(); }\n");
    read(&shop.engine);
    assert_eq!(callers(&shop.engine, "d"), ["src/e.ts#e certain"]);
    shop.files.write("src/empty.ts", "");
    read(&shop.engine);
    shop.files.remove("src/e.ts");
    read(&shop.engine);
    assert_eq!(callers(&shop.engine, "d"), [""; 0]);
}

#[test]
fn a_graph_that_nobody_asked_for_is_read_again() {
    let shop = shop();
    for time in [Duration::MAX, Duration::ZERO, Duration::ZERO] {
        let deps = ask(&shop.engine, GraphQuery::Deps { path: "src/a.ts".into(), depth: 1 });
        assert_eq!(names(&deps), ["src/a.ts", "src/b.ts", "fs"]);
        shop.engine.forget_unused_structure(time);
    }
}

#[test]
fn a_search_result_may_say_who_calls_it() {
    let shop = indexed(&[
        (
            "src/session.ts",
            "import { verify } from './token';\n\n/** Loads the user of a session. */\n\
             export function loadSession(cookie: string): string {\n  return verify(cookie);\n}\n",
        ),
        (
            "src/token.ts",
            "/** Checks the signature and the expiry of a token. */\nexport function verify(token: string): string {\n  return token.trim();\n}\n",
        ),
    ]);
    let request = SearchRequest {
        neighbours: true,
        threshold: Some(0.0),
        mode: SearchMode::Fast,
        ..SearchRequest::query("check the signature of a token")
    };
    let hits = shop.engine.search(&request).unwrap().hits;
    let hit = hits.iter().find(|hit| hit.symbol.as_deref() == Some("verify")).unwrap();
    let neighbours = hit.neighbours.as_ref().unwrap();
    assert_eq!(neighbours.callers[0].name, "loadSession");
    assert_eq!((neighbours.callers[0].path.as_str(), neighbours.callers[0].line), ("src/session.ts", 5));
    assert!(neighbours.callees.is_empty());
}

#[test]
fn a_method_and_a_field_of_one_name_are_two_symbols() {
    let project = indexed(&[(
        "src/lib.rs",
        "pub struct Grammar { language: u8 }\n\
         impl Grammar {\n    pub fn language(&self) -> u8 { self.language }\n}\n\
         pub struct Syntax { table: u8, grammar: Grammar }\n\
         impl Syntax {\n    pub fn table(&self) -> u8 { self.grammar.language() }\n}\n",
    )]);
    let response = ask(&project.engine, GraphQuery::Callers { symbol: "Grammar.language".into(), depth: 1 });
    let lines: Vec<_> =
        response.nodes.iter().map(|node| (node.name.as_str(), node.line.unwrap_or_default())).collect();
    assert_eq!(lines, [("Grammar.language", 3), ("Syntax.table", 7)]);
}
