//! The output schemas of the tools: the shape of `structuredContent`. Written by hand, because they stay plain (no
//! `$ref`, no nullable types) and name only what an agent can use.

use serde_json::{Map, Value, json};
use vectorcode_core::ContentClass;

/// The schema of an object whose `required` fields are always present.
fn object(properties: Value, required: &[&str]) -> Value {
    Value::Object(Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties),
        ("required".to_owned(), required.into()),
    ]))
}

/// `vec_search` and `vec_similar`.
pub(super) fn search() -> Value {
    object(
        json!({
            "total": {"type": "integer", "description": "Number of results on all pages."},
            "results": {"type": "array", "items": hit()},
            "truncated": {"type": "boolean", "description": "Some results are not shown in full."},
            "next_cursor": {"type": "string"},
            "semantic_coverage": {"type": "number", "description": "Fraction of the chunks that have an embedding of the provider."},
            "notes": {"type": "array", "items": {"type": "string"}},
            "took_ms": {"type": "number"},
        }),
        &["total", "results", "truncated", "notes", "took_ms"],
    )
}

fn hit() -> Value {
    object(
        json!({
            "project": {"type": "string", "description": "The project's name; present when several were searched."},
            "artifact": {"type": "string", "description": "The context artifact that the file belongs to."},
            "path": {"type": "string", "description": "Relative to the project root."},
            "start_line": {"type": "integer"},
            "end_line": {"type": "integer"},
            "score": {"type": "number"},
            "symbol": {"type": "string"},
            "kind": {"type": "string"},
            "language": {"type": "string"},
            "class": {"type": "string", "enum": ContentClass::WORDS},
            "context": {"type": "string", "description": "The signature of the enclosing scope."},
            "content": {"type": "string", "description": "The code; absent when only the signature is shown."},
            "signature": {"type": "string"},
            "neighbours": {"type": "object", "description": "Callers and callees, if requested."},
            "stale": {"type": "boolean", "description": "The file has changed and is not indexed yet."},
        }),
        &["path", "start_line", "end_line", "score", "kind", "language", "class", "stale"],
    )
}

/// `vec_symbols`.
pub(super) fn symbols() -> Value {
    let symbol = object(
        json!({
            "name": {"type": "string"},
            "qualified": {"type": "string"},
            "kind": {"type": "string"},
            "signature": {"type": "string"},
            "path": {"type": "string", "description": "Relative to the project root."},
            "language": {"type": "string"},
            "start_line": {"type": "integer"},
            "end_line": {"type": "integer"},
            "is_test": {"type": "boolean"},
        }),
        &["name", "qualified", "kind", "signature", "path", "language", "start_line", "end_line", "is_test"],
    );
    object(
        json!({
            "symbols": {"type": "array", "items": symbol},
            "total": {"type": "integer"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }),
        &["symbols", "total", "notes"],
    )
}

/// `vec_graph`.
pub(super) fn graph() -> Value {
    let node = object(
        json!({
            "name": {"type": "string", "description": "A path, a qualified name, or the name of an external package."},
            "kind": {"type": "string", "enum": ["file", "symbol", "external", "folder"]},
            "path": {"type": "string", "description": "Where a symbol is defined."},
            "line": {"type": "integer"},
            "definition": {"type": "string"},
            "files": {"type": "integer", "description": "How many files a folder stands for."},
            "is_test": {"type": "boolean"},
            "distance": {"type": "integer", "description": "Steps from the target."},
        }),
        &["name", "kind", "is_test", "distance"],
    );
    let edge = object(
        json!({
            "from": {"type": "integer", "description": "Index in `nodes`."},
            "to": {"type": "integer", "description": "Index in `nodes`."},
            "kind": {"type": "string", "enum": ["imports", "calls", "uses"]},
            "confidence": {"type": "string", "enum": ["certain", "likely", "possible", "guess"]},
            "line": {"type": "integer", "description": "Line of the first use, in the file of `from`."},
            "count": {"type": "integer"},
        }),
        &["from", "to", "kind", "confidence", "count"],
    );
    object(
        json!({
            "nodes": {"type": "array", "items": node},
            "edges": {"type": "array", "items": edge},
            "cycles": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "stats": {"type": "object"},
            "impact": {"type": "object"},
            "total": {"type": "integer"},
            "truncated": {"type": "boolean"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }),
        &["nodes", "edges", "total", "truncated", "notes"],
    )
}

/// `vec_context`, whose actions answer with a list, a page of results, or the report of an index run.
pub(super) fn context() -> Value {
    let (text, count) = (json!({"type": "string"}), json!({"type": "integer"}));
    let artifact = object(
        json!({
            "name": text,
            "path": text,
            "description": text,
            "defined_in": text,
            "state": {"type": "string", "enum": ["indexed", "pending", "missing", "unusable"]},
            "files": count,
            "chunks": count,
            "problem": text,
        }),
        &["name", "path", "description", "state", "files", "chunks"],
    );
    let mut properties = json!({"artifacts": {"type": "array", "items": artifact}});
    for schema in [reindex(), search()] {
        if let (Some(all), Value::Object(more)) = (properties.as_object_mut(), &schema["properties"]) {
            all.extend(more.clone());
        }
    }
    object(properties, &[])
}

/// `vec_status`.
pub(super) fn status() -> Value {
    let count = json!({"type": "integer"});
    let text = json!({"type": "string"});
    let pending = object(json!({"path": text, "modified_secs_ago": count}), &["path", "modified_secs_ago"]);
    object(
        json!({
            "project_root": text,
            "indexed": {"type": "boolean"},
            "provider": text,
            "model": text,
            "dimensions": count,
            "version": text,
            "files": count,
            "chunks": count,
            "symbols": count,
            "database_bytes": count,
            "created_at": text,
            "last_sync_at": text,
            "embedded": {"type": "integer", "description": "Chunks that have an embedding of the provider."},
            "activity": {"type": "string", "description": "What the index is doing now."},
            "watched": {"type": "boolean", "description": "Changes on disk are indexed automatically."},
            "languages": {"type": "object", "additionalProperties": count, "description": "Number of files by language."},
            "pending": {"type": "array", "items": pending, "description": "Changed files that are not indexed yet."},
            "notes": {"type": "array", "items": text},
        }),
        &["project_root", "indexed", "activity"],
    )
}

/// `vec_reindex`.
pub(super) fn reindex() -> Value {
    let count = json!({"type": "integer"});
    object(
        json!({
            "state": {"type": "string", "enum": ["done", "running", "cancelled", "idle"]},
            "files": count,
            "files_changed": count,
            "files_removed": count,
            "chunks": count,
            "chunks_new": count,
            "embedded": count,
            "reused": count,
            "pending": {"type": "integer", "description": "Chunks that are not embedded yet."},
            "seconds": {"type": "number"},
            "progress": {"type": "string"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }),
        &["state"],
    )
}
