//! One search result: whole, cut, or as its signature; as text and as a value.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use vectorcode_core::api::{Freshness, Hit, Neighbour};

use crate::mcp::budget::tokens;
use crate::mcp::tools::output_schema;

const LONGEST_SIGNATURE: usize = 160;

/// How much of a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Whole,
    /// Only so many lines, for a first result that is larger than the whole budget.
    FirstLines(usize),
    Signature,
}

/// What a result costs in the dearer of its two looks: clients show a model one of them.
pub(super) fn cost(hit: &Hit, form: Form) -> usize {
    tokens(&block(hit, form)).max(tokens(&result(hit, form).to_string())) + 3
}

/// As many lines of `hit` as `left` tokens pay for beyond its signature.
pub(super) fn beginning(hit: &Hit, left: usize) -> Form {
    let lines: Vec<usize> = hit.content.lines().map(|line| tokens(line) + 2).collect();
    match fitting(&lines, left) {
        0 => Form::Signature,
        count => Form::FirstLines(count),
    }
}

/// How many of `costs`, from the first, fit into `budget`.
pub(super) fn fitting(costs: &[usize], budget: usize) -> usize {
    costs
        .iter()
        .scan(0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        })
        .take_while(|sum| *sum <= budget)
        .count()
}

pub(super) fn block(hit: &Hit, form: Form) -> String {
    let mut text = format!("{}:{}-{} (score: {:.2})", place(hit), hit.start_line, hit.end_line, hit.score);
    if let Some(artifact) = &hit.artifact {
        let _ = write!(text, "\n    Artifact: {artifact}");
    }
    if let Some(symbol) = &hit.symbol {
        let _ = write!(text, "\n    Symbol: {symbol}");
    }
    let _ = write!(text, "\n    Kind: {}", hit.kind);
    if let Some(neighbours) = &hit.neighbours {
        add_neighbours(&mut text, "Called by", &neighbours.callers);
        add_neighbours(&mut text, "Calls", &neighbours.callees);
    }
    match form {
        Form::Whole => indent(&mut text, &hit.content, usize::MAX),
        Form::FirstLines(count) => {
            indent(&mut text, &hit.content, count);
            let rest = hit.content.lines().count() - count;
            let plural = if rest == 1 { "" } else { "s" };
            let _ = write!(text, "\n    ... ({rest} more line{plural})");
        }
        Form::Signature => {
            let _ = write!(text, "\n    Signature: {}", signature(&hit.content));
        }
    }
    text
}

/// The file of a result, with its project where several were asked.
pub(super) fn place(hit: &Hit) -> String {
    hit.project.as_ref().map_or_else(|| hit.path.clone(), |project| format!("{project}:{}", hit.path))
}

fn add_neighbours(text: &mut String, relation: &str, neighbours: &[Neighbour]) {
    if !neighbours.is_empty() {
        let named: Vec<String> =
            neighbours.iter().map(|other| format!("{} {}:{}", other.name, other.path, other.line)).collect();
        let _ = write!(text, "\n    {relation}: {}", named.join("; "));
    }
}

fn indent(text: &mut String, content: &str, lines: usize) {
    text.push('\n');
    for line in content.trim_end().lines().take(lines) {
        text.push('\n');
        if !line.trim().is_empty() {
            text.push_str("    ");
            text.push_str(line);
        }
    }
}

/// The line that names a piece of code: the first that is neither blank, comment nor attribute.
fn signature(content: &str) -> String {
    let is_decoration = |line: &str| {
        ["//", "/*", "*", "#[", "#!", "@", "\"\"\"", "<!--", "--", "# "]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let line = lines.find(|line| !is_decoration(line)).unwrap_or(first);
    match line.char_indices().nth(LONGEST_SIGNATURE) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line.to_owned(),
    }
}

pub(super) fn result(hit: &Hit, form: Form) -> Value {
    let mut value = Map::from_iter([
        ("path".to_owned(), Value::from(hit.path.as_str())),
        ("start_line".to_owned(), hit.start_line.into()),
        ("end_line".to_owned(), hit.end_line.into()),
        ("score".to_owned(), rounded(f64::from(hit.score), 10_000.0).into()),
        ("kind".to_owned(), hit.kind.as_str().into()),
        ("language".to_owned(), hit.language.as_str().into()),
        ("class".to_owned(), hit.class.as_str().into()),
        ("stale".to_owned(), matches!(hit.freshness, Freshness::Stale { .. }).into()),
    ]);
    if let Some(neighbours) = &hit.neighbours {
        value.insert("neighbours".to_owned(), json!(neighbours));
    }
    let mut add = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            value.insert(name.to_owned(), text.into());
        }
    };
    add("project", hit.project.clone());
    add("artifact", hit.artifact.clone());
    add("symbol", hit.symbol.clone());
    add("context", hit.parent_context.clone());
    match form {
        Form::Whole => add("content", Some(hit.content.clone())),
        Form::FirstLines(count) => {
            add("content", Some(hit.content.lines().take(count).collect::<Vec<_>>().join("\n")));
        }
        Form::Signature => add("signature", Some(signature(&hit.content))),
    }
    Value::Object(value)
}

/// The shape of [`result`].
pub(super) fn schema() -> Value {
    output_schema(
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
            "class": {"type": "string", "enum": vectorcode_core::ContentClass::WORDS},
            "context": {"type": "string", "description": "The signature of the enclosing scope."},
            "content": {"type": "string", "description": "The code; absent when only the signature is shown."},
            "signature": {"type": "string"},
            "neighbours": {"type": "object", "description": "Callers and callees, when they were asked for."},
            "stale": {"type": "boolean", "description": "The file changed and is not indexed yet."},
        }),
        &["path", "start_line", "end_line", "score", "kind", "language", "class", "stale"],
    )
}

pub(super) fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps).round() / steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_skip_comments_and_attributes() {
        assert_eq!(signature("/// Doc.\n#[inline]\npub fn retry() {\n"), "pub fn retry() {");
        assert_eq!(signature("# Title\n\ntext"), "text");
        assert_eq!(signature("// only\n// comments"), "// only");
    }
}
