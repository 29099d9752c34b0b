//! One search result: in full, cut, or by its signature; as text and as a value.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use vectorcode_core::api::{Freshness, Hit, Neighbour};
use vectorcode_core::visible_line;

use crate::mcp::budget::tokens;

const MAX_SIGNATURE_CHARS: usize = 160;

/// How much of a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Full,
    /// Only this many lines, for a first result that is larger than the whole budget.
    FirstLines(usize),
    Signature,
}

/// The tokens of a result in the longer of its two forms, text or value: clients show a model one of them.
pub(super) fn cost(hit: &Hit, form: Form) -> usize {
    tokens(&block(hit, form)).max(tokens(&result(hit, form).to_string())) + 3
}

/// As many lines of `hit` as fit into `left` tokens beyond its signature.
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
    let mut text =
        format!("{}:{}-{} (score: {:.2})", file_name(hit), hit.start_line, hit.end_line, hit.score);
    if let Some(artifact) = &hit.artifact {
        let _ = write!(text, "\n    Artifact: {}", visible_line(artifact));
    }
    if let Some(symbol) = &hit.symbol {
        let _ = write!(text, "\n    Symbol: {}", visible_line(symbol));
    }
    let _ = write!(text, "\n    Kind: {}", hit.kind);
    if let Some(neighbours) = &hit.neighbours {
        add_neighbours(&mut text, "Called by", &neighbours.callers);
        add_neighbours(&mut text, "Calls", &neighbours.callees);
    }
    match form {
        Form::Full => indent(&mut text, &hit.content, usize::MAX),
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

/// The path of a result, with its project if several were searched.
pub(super) fn file_name(hit: &Hit) -> String {
    let path = visible_line(&hit.path);
    match &hit.project {
        Some(project) => format!("{}:{path}", visible_line(project)),
        None => path.into_owned(),
    }
}

fn add_neighbours(text: &mut String, relation: &str, neighbours: &[Neighbour]) {
    if !neighbours.is_empty() {
        let describe = |other: &Neighbour| {
            format!("{} {}:{}", visible_line(&other.name), visible_line(&other.path), other.line)
        };
        let named: Vec<String> = neighbours.iter().map(describe).collect();
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

/// The line that names a chunk: the first that is neither blank, comment nor attribute.
fn signature(content: &str) -> String {
    let is_decoration = |line: &str| {
        ["//", "/*", "*", "#[", "#!", "@", "\"\"\"", "<!--", "--", "# "]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let mut lines = content.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let line = lines.find(|line| !is_decoration(line)).unwrap_or(first);
    match line.char_indices().nth(MAX_SIGNATURE_CHARS) {
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
        Form::Full => add("content", Some(hit.content.clone())),
        Form::FirstLines(count) => {
            add("content", Some(hit.content.lines().take(count).collect::<Vec<_>>().join("\n")));
        }
        Form::Signature => add("signature", Some(signature(&hit.content))),
    }
    Value::Object(value)
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
