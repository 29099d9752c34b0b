//! Symbol names as people and agents write them, every line of a use, and implementations.

use std::collections::BTreeSet;

use vectorcode_core::CancelToken;
use vectorcode_core::api::{EdgeKind, GraphQuery, GraphRequest, GraphResponse, ReadRequest};
use vectorcode_engine::EngineError;

use super::{ask, indexed};
use crate::project::Indexed;

fn libraries() -> Indexed {
    indexed(&[
        (
            "gson/TypeToken.java",
            "package com.google.gson;\npublic class TypeToken {\n  public static TypeToken get(String type) { return null; }\n}\n",
        ),
        (
            "gson/JsonReader.java",
            "package com.google.gson;\npublic class JsonReader {\n  public int peek() { TypeToken.get(\"a\"); return 1; }\n}\n",
        ),
        (
            "axum/router.rs",
            "pub struct Router;\nimpl Router {\n    pub fn new() -> Self {\n        Self\n    }\n}\n",
        ),
        (
            "gin/engine.go",
            "package gin\n\ntype Engine struct{}\n\nfunc New() *Engine { return &Engine{} }\n\nfunc (e *Engine) ServeHTTP(w int) { New() }\n",
        ),
        ("other/other.go", "package other\n\nfunc New() int { return 1 }\n"),
        (
            "src/click/utils.py",
            "def echo(message):\n    print(message)\n\n\ndef twice(message):\n    echo(message)\n    echo(message)\n",
        ),
        ("src/click/core.py", "class Context:\n    def invoke(self):\n        pass\n"),
        ("src/other/core.py", "class Context:\n    def invoke(self):\n        pass\n"),
    ])
}

fn asked(response: &GraphResponse) -> Vec<String> {
    let nodes = response.nodes.iter().filter(|node| node.distance == 0);
    nodes.map(|node| format!("{}#{}", node.path.as_deref().unwrap_or_default(), node.name)).collect()
}

#[test]
fn names_are_understood_as_languages_and_tools_write_them() {
    let project = libraries();
    for (written, meant) in [
        ("TypeToken.get", "gson/TypeToken.java#TypeToken.get"),
        ("JsonReader.peek", "gson/JsonReader.java#JsonReader.peek"),
        ("JsonReader#peek()", "gson/JsonReader.java#JsonReader.peek"),
        ("Router.new", "axum/router.rs#Router.new"),
        ("Router::new", "axum/router.rs#Router.new"),
        ("gin.New", "gin/engine.go#New"),
        ("(*Engine).ServeHTTP", "gin/engine.go#Engine.ServeHTTP"),
        ("click.echo", "src/click/utils.py#echo"),
        ("src/click/utils.py:2", "src/click/utils.py#echo"),
        ("src/click/utils.py#twice", "src/click/utils.py#twice"),
        ("click.utils.echo", "src/click/utils.py#echo"),
        ("click.core.Context.invoke", "src/click/core.py#Context.invoke"),
        ("com.google.gson.TypeToken.get", "gson/TypeToken.java#TypeToken.get"),
    ] {
        for query in [
            GraphQuery::Impact { target: written.into(), depth: 1 },
            GraphQuery::Show { target: Some(written.into()), depth: 1 },
            GraphQuery::Callers { symbol: written.into(), depth: 1 },
        ] {
            assert_eq!(asked(&ask(&project.engine, query.clone())), [meant], "{written}: {query:?}");
        }
    }
    let absolute = project.engine.project().root().join("src/click/utils.py").display().to_string();
    for target in [absolute.clone(), format!("{absolute}:4")] {
        let response = ask(&project.engine, GraphQuery::Impact { target: target.clone(), depth: 1 });
        assert_eq!(response.nodes[0].name, "src/click/utils.py", "{target}");
    }
    let unknown =
        GraphRequest { query: GraphQuery::Impact { target: "TypeTokens.gt".into(), depth: 1 }, limit: 9 };
    assert!(matches!(
        project.engine.graph(&unknown),
        Err(EngineError::UnknownFile { .. } | EngineError::UnknownSymbol { .. })
    ));
}

#[test]
fn every_line_of_a_use_is_known() {
    let project = libraries();
    let response = ask(&project.engine, GraphQuery::Callers { symbol: "click.echo".into(), depth: 1 });
    assert_eq!(response.edges.len(), 1, "{response:?}");
    assert_eq!(response.edges[0].uses.iter().map(|site| site.line).collect::<Vec<_>>(), [6, 7]);
}

#[test]
fn implementations_are_found_by_signature_block_and_method_set() {
    let project = indexed(&[
        (
            "a.ts",
            "export interface Store { load(): void }\nexport class FileStore implements Store { load(): void {} }\n",
        ),
        (
            "b.rs",
            "pub trait Shape {\n    fn area(&self) -> u32;\n}\npub struct Square;\nimpl Shape for Square {\n    fn area(&self) -> u32 {\n        1\n    }\n}\n",
        ),
        (
            "c/c.go",
            "package c\n\ntype Reader interface {\n\tRead() int\n\tClose() int\n}\n\ntype File struct{}\n\nfunc (f File) Read() int { return 1 }\nfunc (f File) Close() int { return 1 }\n\ntype Half struct{}\n\nfunc (h Half) Read() int { return 1 }\n",
        ),
        ("d.py", "class Base:\n    pass\n\n\nclass Child(Base):\n    pass\n"),
        ("e.py", "from d import Base as PlainBase\n\n\nclass Other(PlainBase):\n    pass\n"),
    ]);
    let of = |symbol: &str| {
        let response = ask(&project.engine, GraphQuery::Implementations { symbol: symbol.into() });
        let found = response.nodes.iter().filter(|node| node.distance == 1);
        found.map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("Store"), ["FileStore"]);
    assert_eq!(of("Shape"), ["Square"]);
    assert_eq!(of("Shape.area"), ["Square.area"]);
    assert_eq!(of("Reader"), ["File"]);
    assert_eq!(of("Base"), ["Child", "Other"]);
}

#[test]
fn a_type_argument_is_not_implemented() {
    let project = indexed(&[
        ("Element.java", "class Element {}\n"),
        ("Adapter.java", "abstract class Adapter<T> {\n  Adapter() {}\n  abstract T read();\n}\n"),
        (
            "ElementAdapter.java",
            "class ElementAdapter extends Adapter<Element> {\n  Element read() { return null; }\n}\n",
        ),
        ("b.rs", "pub struct Row;\npub trait Take<T> {}\npub struct Table;\nimpl Take<Row> for Table {}\n"),
    ]);
    for (symbol, expected) in
        [("Element", [].as_slice()), ("Adapter", &["ElementAdapter"]), ("Row", &[]), ("Take", &["Table"])]
    {
        let response = ask(&project.engine, GraphQuery::Implementations { symbol: symbol.into() });
        let (asked, below): (Vec<_>, Vec<_>) = response.nodes.iter().partition(|node| node.distance == 0);
        assert_eq!((asked.len(), response.notes.len()), (1, 0), "no constructors: {response:?}");
        assert_eq!(below.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), expected, "{symbol}");
    }
}

#[test]
fn implementations_are_found_through_other_types_those_of_tests_last() {
    let project = indexed(&[
        (
            "a.py",
            "class Base:\n    def run(self):\n        pass\n\n\nclass Middle(Base):\n    pass\n\n\n\
             class Leaf(Middle):\n    def run(self):\n        pass\n",
        ),
        ("tests/test_a.py", "from a import Base\n\n\nclass Fake(Base):\n    pass\n"),
    ]);
    let of = |symbol: &str| {
        let response = ask(&project.engine, GraphQuery::Implementations { symbol: symbol.into() });
        let found = response.nodes.iter().map(|node| (node.name.clone(), node.distance));
        (found.collect::<Vec<_>>(), response.edges)
    };
    let named = |names: &[(&str, u32)]| {
        names.iter().map(|(name, distance)| ((*name).to_owned(), *distance)).collect::<Vec<_>>()
    };
    let (types, edges) = of("Base");
    assert!(edges.iter().all(|edge| edge.kind == EdgeKind::Implements), "{edges:?}");
    assert_eq!(types, named(&[("Base", 0), ("Middle", 1), ("Leaf", 2), ("Fake", 1)]));
    let links: BTreeSet<_> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(links, BTreeSet::from([(1, 0), (2, 1), (3, 0)]));
    let (methods, edges) = of("Base.run");
    assert_eq!(methods, named(&[("Base.run", 0), ("Leaf.run", 2)]));
    assert_eq!(edges.iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>(), [(1, 0)]);
}

#[test]
fn a_cancelled_question_ends() {
    let project = libraries();
    let cancel = CancelToken::default();
    cancel.cancel();
    let query = GraphQuery::Callers { symbol: "echo".into(), depth: 3 };
    let answer = project.engine.graph_until(&GraphRequest { query, limit: 9 }, &cancel);
    assert!(matches!(answer, Err(EngineError::Cancelled)), "{answer:?}");
    let read = project.engine.read(&ReadRequest { target: "echo".into() }, &cancel);
    assert!(matches!(read, Err(EngineError::Cancelled)), "{read:?}");
    let exact = vectorcode_core::api::ExactRequest::literal("echo");
    assert!(matches!(project.engine.exact(&exact, &cancel), Err(EngineError::Cancelled)));
}

/// A prototype and its body, overloads, a getter and its setter.
#[test]
fn a_definition_that_is_there_twice_is_read_where_it_has_a_body_or_where_the_line_is() {
    let project = indexed(&[
        (
            "db.c",
            "int expire(int key);\n\nint other(void) {\n    return 1;\n}\n\nint expire(int key) {\n    other();\n    return key;\n}\n",
        ),
        (
            "box.py",
            "class Box:\n    @property\n    def size(self):\n        return self._size\n\n    @size.setter\n    def size(self, size):\n        self._size = size\n        self.changed = True\n",
        ),
    ]);
    let read =
        |target: &str| project.engine.read(&ReadRequest { target: target.into() }, &CancelToken::default());
    for target in ["db.c#expire", "expire", "db.c:8"] {
        let body = read(target).unwrap();
        assert!(body.content.contains("return key"), "{target}: {}", body.content);
        assert_eq!(body.others, ["db.c:1-1"], "{target}");
    }
    assert!(read("db.c:1").unwrap().content.starts_with("int expire(int key);"));
    assert!(read("box.py:4").unwrap().content.contains("return self._size"));
    assert!(read("box.py:8").unwrap().content.contains("self.changed"));
}

#[test]
fn of_several_definitions_the_most_used_source_is_read_and_the_others_are_named() {
    let make = "def make():\n    pass\n";
    let project = indexed(&[
        ("examples/a.py", make),
        ("src/b.py", make),
        ("src/c.py", make),
        ("src/user.py", "from src.c import make\n\n\ndef use():\n    make()\n"),
        ("tests/test_a.py", make),
    ]);
    let request = ReadRequest { target: "make".into() };
    let read = project.engine.read(&request, &CancelToken::default()).unwrap();
    assert_eq!(read.path, "src/c.py");
    assert_eq!(read.others, ["src/b.py#make", "examples/a.py#make", "tests/test_a.py#make"]);
    let response = ask(&project.engine, GraphQuery::Callers { symbol: "make".into(), depth: 1 });
    let note = "4 symbols are named `make`; the results are for all of them. To pick one: src/c.py#make, src/b.py#make";
    assert!(response.notes[0].starts_with(note), "{response:?}");
}

#[test]
fn a_definition_is_read_with_its_comment_and_not_with_the_directives_above_it() {
    let project = indexed(&[(
        "db.c",
        "#include <stdio.h>\n#define LIMIT 3\nint first(void) {\n    return LIMIT;\n}\n\n\
         /* Says more. */\nint second(void) {\n    return 1;\n}\n",
    )]);
    let lines = |target: &str| {
        let request = ReadRequest { target: target.into() };
        let read = project.engine.read(&request, &CancelToken::default()).unwrap();
        (read.start_line, read.end_line)
    };
    assert_eq!(lines("first"), (3, 5));
    assert_eq!(lines("second"), (7, 10));
}

#[test]
fn a_line_of_a_file_that_does_not_exist_is_no_symbol() {
    let project = libraries();
    let read =
        |target: &str| project.engine.read(&ReadRequest { target: target.into() }, &CancelToken::default());
    let unknown = read("gin/engin.go:3").unwrap_err();
    let is_meant = |nearest: &[String]| nearest.iter().any(|path| path == "gin/engine.go");
    assert!(matches!(&unknown, EngineError::UnknownFile { nearest, .. } if is_meant(nearest)), "{unknown:?}");
    let query = GraphQuery::Callers { symbol: "utlis.py:2".into(), depth: 1 };
    let unknown = project.engine.graph(&GraphRequest { query, limit: 9 }).unwrap_err();
    let is_meant = |nearest: &[String]| nearest.iter().any(|path| path == "src/click/utils.py");
    assert!(matches!(&unknown, EngineError::UnknownFile { nearest, .. } if is_meant(nearest)), "{unknown:?}");
}

/// The files of the requested folder do not count against the limit.
#[test]
fn what_a_large_folder_imports_is_found() {
    let own: Vec<(String, String)> = (0..30)
        .map(|number| {
            (format!("app/own{number}.ts"), "import { b } from '../lib/b';\nexport const a = b;\n".into())
        })
        .collect();
    let mut files: Vec<(&str, &str)> =
        own.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("lib/b.ts", "export const b = 1;\n"));
    let project = indexed(&files);
    let query = GraphQuery::Deps { path: "app".into(), depth: 1 };
    let response = project.engine.graph(&GraphRequest { query, limit: 5 }).unwrap();
    assert!(response.nodes.iter().any(|node| node.name == "lib/b.ts"));
    assert!(!response.truncated);
}
