//! Renders one search result: its location, its name and its shown lines, as text and as a value.

use std::fmt::Write;
use std::ops::Range;

use serde_json::{Map, Value, json};
use vectorcode_core::api::{Freshness, Hit, InDiff, Neighbour};
use vectorcode_core::numbers::first_and_more;
use vectorcode_core::{DefinitionKind, line_ranges, visible_line};

/// Longer signatures are cut: the name and the first parameters are enough to recognise the code.
const MAX_SIGNATURE_CHARS: usize = 90;

/// Maximum number of ranges of matching lines to name for one result.
const MAX_RANGES_NAMED: usize = 8;

/// Maximum number of files with the same code to name.
const MAX_COPIES_NAMED: usize = 3;

/// The path of a result, with its project if several were searched.
pub(super) fn file_name(hit: &Hit) -> String {
    let path = visible_line(&hit.path);
    match &hit.project {
        Some(project) => format!("{}:{path}", visible_line(project)),
        None => path.into_owned(),
    }
}

/// The location of a result: `src/retry.ts:45-92`.
pub(super) fn place(hit: &Hit) -> String {
    lines_of(&file_name(hit), hit.start_line, hit.end_line)
}

/// `path:45-92`, or `path:45` for one line.
pub(super) fn lines_of(path: &str, start: u32, end: u32) -> String {
    if end > start { format!("{path}:{start}-{end}") } else { format!("{path}:{start}") }
}

/// A result on one line, with location, name, kind and score: `src/retry.ts:45-92 Retry.handle method 0.87`.
pub(super) fn summary(hit: &Hit) -> String {
    format!("{} {} {:.2}{}", place(hit), title(hit), hit.score, matching_lines(hit))
}

/// ` (matches: 12, 40-42)` if the request has line patterns, ` (changed: 12; was src/a.rs:10-20)` for a diff.
fn matching_lines(hit: &Hit) -> String {
    let what = match &hit.diff {
        Some(InDiff::Before) => "before; changed or removed",
        Some(InDiff::After { .. }) => "changed",
        None => "matches",
    };
    let ranges = line_ranges(&hit.matching_lines);
    let mut parts = ranges.iter().take(MAX_RANGES_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if ranges.len() > MAX_RANGES_NAMED {
        let _ = write!(parts, " and {} more", ranges.len() - MAX_RANGES_NAMED);
    }
    if let Some(InDiff::After { was: Some(was) }) = &hit.diff {
        let _ = write!(parts, "; was {}", visible_line(was));
    }
    if parts.is_empty() { String::new() } else { format!(" ({what}: {parts})") }
}

/// The symbol and its kind; for code without one, its first line.
fn title(hit: &Hit) -> String {
    match &hit.symbol {
        Some(symbol) => format!("{} {}", visible_line(symbol), kind_word(&hit.kind)),
        None => signature(&hit.content),
    }
}

/// `function` for `function_item`, `method` for `singleton_method`, `impl` for `impl_item`.
fn kind_word(kind: &str) -> &str {
    let mut words = kind.split('_');
    let known = words.clone().find(|word| DefinitionKind::WORDS.contains(word));
    known.or_else(|| words.next()).unwrap_or(kind)
}

/// A range of the lines of a result, counted from its first line.
pub(super) fn shown_lines<'h>(hit: &'h Hit, range: &Range<usize>) -> impl Iterator<Item = &'h str> {
    hit.content.trim_end().lines().skip(range.start).take(range.len())
}

/// The heading and the code of a result: the given lines exactly as in the file, so that an edit can match them.
pub(super) fn code_block(hit: &Hit, range: &Range<usize>) -> String {
    let first = hit.start_line + range.start as u32;
    let last = first + (range.len() as u32).saturating_sub(1);
    let mut text = format!("## {}", lines_of(&file_name(hit), first, last));
    if range.len() < hit.content.trim_end().lines().count() {
        let _ = write!(text, " (of {}-{})", hit.start_line, hit.end_line);
    }
    // Lines from the middle do not show what they belong to, so the heading has the signature.
    let title = if range.start > 0 { signature(&hit.content) } else { title(hit) };
    let _ = write!(text, " {title} {:.2}{}", hit.score, matching_lines(hit));
    if let Some(artifact) = &hit.artifact {
        let _ = write!(text, " (artifact {})", visible_line(artifact));
    }
    if !hit.also_in.is_empty() {
        let copies = hit.also_in.iter().map(|path| visible_line(path).into_owned());
        let _ = write!(text, "\n# also in: {}", first_and_more(copies, MAX_COPIES_NAMED));
    }
    if let Some(neighbours) = &hit.neighbours {
        add_neighbours(&mut text, "called by", &neighbours.callers);
        add_neighbours(&mut text, "calls", &neighbours.callees);
    }
    for line in shown_lines(hit, range) {
        text.push('\n');
        text.push_str(line);
    }
    text
}

fn add_neighbours(text: &mut String, relation: &str, neighbours: &[Neighbour]) {
    if !neighbours.is_empty() {
        let describe = |other: &Neighbour| {
            format!("{} {}:{}", visible_line(&other.name), visible_line(&other.path), other.line)
        };
        let named: Vec<String> = neighbours.iter().map(describe).collect();
        let _ = write!(text, "\n# {relation}: {}", named.join("; "));
    }
}

/// The line that names a chunk: the first that is neither a comment nor an attribute, otherwise the first line with a word.
pub(super) fn signature(content: &str) -> String {
    let is_decoration = |line: &str| {
        ["//", "/*", "*", "#[", "#!", "@", "\"\"\"", "<!--", "--", "# "]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let mut lines = content.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric));
    let first = lines.clone().next().unwrap_or_default();
    let line = lines.find(|line| !is_decoration(line)).unwrap_or(first);
    let line = line.trim_end_matches('{').trim_end();
    match line.char_indices().nth(MAX_SIGNATURE_CHARS) {
        Some((cut, _)) => format!("{}...", &line[..cut]),
        None => line.to_owned(),
    }
}

/// A result as a value, with its code or only its signature.
pub(super) fn value(hit: &Hit, with_code: bool) -> Value {
    let mut value = Map::from_iter([
        ("path".to_owned(), Value::from(hit.path.as_str())),
        ("start_line".to_owned(), hit.start_line.into()),
        ("end_line".to_owned(), hit.end_line.into()),
        ("score".to_owned(), rounded(f64::from(hit.score), 10_000.0).into()),
        ("kind".to_owned(), hit.kind.as_str().into()),
        ("language".to_owned(), hit.language.as_str().into()),
        ("class".to_owned(), hit.class.as_str().into()),
        ("is_test".to_owned(), hit.is_test.into()),
        ("stale".to_owned(), matches!(hit.freshness, Freshness::Stale { .. }).into()),
    ]);
    if hit.weak {
        value.insert("weak".to_owned(), true.into());
    }
    if !hit.matching_lines.is_empty() {
        value.insert("matching_lines".to_owned(), json!(hit.matching_lines));
    }
    if let Some(diff) = &hit.diff {
        value.insert("diff".to_owned(), json!(diff));
    }
    if !hit.also_in.is_empty() {
        value.insert("also_in".to_owned(), json!(hit.also_in));
    }
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
    if with_code {
        add("content", Some(hit.content.clone()));
    } else {
        add("signature", Some(signature(&hit.content)));
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
        assert_eq!(signature("/// Doc.\n#[inline]\npub fn retry() {\n"), "pub fn retry()");
        assert_eq!(signature("# Title\n\ntext"), "text");
        assert_eq!(signature("// only\n// comments"), "// only");
        assert_eq!(signature("  };\n  static int count;"), "static int count;");
        assert_eq!(signature("/**\n * Adapts values.\n */"), "* Adapts values.");
    }

    #[test]
    fn kinds_are_the_usual_words() {
        let kinds = ["function_item", "singleton_method", "abstract_class_declaration", "impl_item", "call"];
        assert_eq!(kinds.map(kind_word), ["function", "method", "class", "impl", "call"]);
    }
}
