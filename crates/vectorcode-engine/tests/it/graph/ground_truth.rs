//! Compares uses with the ground truth that language servers found in the same files. `scripts/graph-check.sh uses`
//! does the same for larger projects; `scripts/uses_of_server.py LANGUAGE FOLDER 100 1 -- SERVER --stdio | sort`
//! regenerates the ground truth.

use std::collections::BTreeSet;

use vectorcode_core::api::{Confidence, GraphQuery, GraphResponse};

use super::{ask, indexed};

/// The files of a fixture folder, with their paths relative to it.
macro_rules! fixture {
    ($folder:literal, $($path:literal),+) => {
        &[$(($path, include_str!(concat!("../../fixtures/uses/", $folder, "/", $path)))),+]
    };
}

#[test]
fn uses_in_python_are_those_of_pyright() {
    let files: &[(&str, &str)] =
        fixture!("python", "shop/__init__.py", "shop/nodes.py", "shop/orders.py", "shop/payment.py");
    compare(files, include_str!("../../fixtures/uses/python.jsonl"));
}

#[test]
fn uses_in_typescript_are_those_of_its_server() {
    let files: &[(&str, &str)] = fixture!("typescript", "src/app.ts", "src/main.ts", "src/retry.ts");
    compare(files, include_str!("../../fixtures/uses/typescript.jsonl"));
}

#[test]
fn uses_in_java_are_those_of_its_compiler() {
    let files: &[(&str, &str)] = fixture!(
        "java",
        "src/main/java/shop/Named.java",
        "src/main/java/shop/Printer.java",
        "src/main/java/shop/Style.java",
        "src/test/java/shop/StyleTest.java"
    );
    compare(files, include_str!("../../fixtures/uses/java.jsonl"));
}

#[test]
fn uses_in_go_are_those_of_its_type_checker() {
    let files: &[(&str, &str)] = fixture!("go", "go.mod", "shop/shop.go", "store/store.go", "files/files.go");
    compare(files, include_str!("../../fixtures/uses/go.jsonl"));
}

#[test]
fn uses_in_rust_are_those_of_its_server() {
    let files: &[(&str, &str)] = fixture!("rust", "Cargo.toml", "src/lib.rs", "src/store.rs");
    compare(files, include_str!("../../fixtures/uses/rust.jsonl"));
}

#[test]
fn uses_in_cpp_are_those_of_its_server() {
    let files: &[(&str, &str)] = fixture!("cpp", "shop/till.h", "shop/till.cc", "tests/till_check.cc");
    compare(files, include_str!("../../fixtures/uses/cpp.jsonl"));
}

/// Every use in the ground truth is in the response. Every use that the response is sure of, for the symbol itself
/// and not its family, is in the ground truth.
fn compare(files: &[(&str, &str)], truths: &str) {
    let project = indexed(files);
    for truth in truths.lines() {
        let truth: serde_json::Value = serde_json::from_str(truth).unwrap();
        let symbol = truth["symbol"].as_str().unwrap();
        let uses = truth["uses"].as_array().unwrap().iter();
        let expected: BTreeSet<String> = uses.map(|used| used["at"].as_str().unwrap().to_owned()).collect();
        let response = ask(&project.engine, GraphQuery::Callers { symbol: symbol.into(), depth: 1 });
        let found = sites(&response, None);
        assert!(expected.is_subset(&found), "{symbol}: expected {expected:?}, found {found:?}");
        let sure = sites(&response, Some(symbol));
        assert!(sure.is_subset(&expected), "{symbol}: expected {expected:?}, sure of {sure:?}");
    }
}

/// `path:line` of all uses, or only of those that certainly refer to the symbol at a place.
fn sites(response: &GraphResponse, surely_of: Option<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for edge in &response.edges {
        let (from, to) = (&response.nodes[edge.from], &response.nodes[edge.to]);
        let place = format!("{}:{}", to.path.as_deref().unwrap_or_default(), to.line.unwrap_or_default());
        if surely_of.is_some_and(|symbol| symbol != place) {
            continue;
        }
        let path = from.path.as_deref().unwrap_or(&from.name);
        let is_wanted = |confidence| surely_of.is_none() || confidence <= Confidence::Likely;
        let lines = edge.uses.iter().filter(|site| is_wanted(site.confidence)).map(|site| site.line);
        found.extend(lines.map(|line| format!("{path}:{line}")));
    }
    found
}
