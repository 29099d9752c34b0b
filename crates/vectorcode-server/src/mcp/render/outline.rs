//! Renders the outline of a file, or the map of a folder, within the token budget.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::json;
use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{FileDefinition, OutlineEntry, OutlineResponse};
use vectorcode_core::visible_line;

use super::notes::note_lines;
use super::packing::fitting;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;
use crate::units::grouped;

const FRAME_TOKENS: usize = 50;
const MAX_SIGNATURE_CHARS: usize = 100;
/// Tokens for the definitions that a query matches.
const MAX_MATCHING_TOKENS: usize = 280;

pub(crate) fn render(response: &OutlineResponse, max_tokens: usize) -> Rendered {
    let notes = note_lines(response.notes());
    let budget = max_tokens.saturating_sub(FRAME_TOKENS + tokens(&notes));
    let text = match response {
        OutlineResponse::File { path, lines, definitions, others, .. } if !others.is_empty() => {
            matching(path, *lines, definitions, others, budget)
        }
        OutlineResponse::File { path, lines, definitions, .. } => file(path, *lines, definitions, budget),
        OutlineResponse::Folder { path, files, entries, .. } => folder(path, *files, entries, budget),
    };
    Rendered { text: text + &notes, value: json!(response) }
}

/// Definitions with their lines. Fields and local names are only shown if everything fits.
fn file(path: &str, lines: u32, definitions: &[FileDefinition], budget: usize) -> String {
    let is_main = |definition: &&FileDefinition| {
        !matches!(definition.kind, DefinitionKind::Field | DefinitionKind::Variable)
    };
    let cost = |shown: &[&FileDefinition]| shown.iter().map(|shown| tokens(&line(shown)) + 1).sum::<usize>();
    let all: Vec<&FileDefinition> = definitions.iter().collect();
    let main: Vec<&FileDefinition> = definitions.iter().filter(is_main).collect();
    let shown = if cost(&all) <= budget { &all } else { &main };
    let costs: Vec<usize> = shown.iter().map(|definition| tokens(&line(definition)) + 1).collect();
    let count = fitting(&costs, budget);
    let mut text =
        format!("{}: {} lines, {} definitions", visible_line(path), grouped(lines.into()), all.len());
    for definition in &shown[..count] {
        let _ = write!(text, "\n{}", line(definition));
    }
    if count < all.len() {
        let _ = write!(text, "\n({} more; raise `max_tokens`, or name one)", all.len() - count);
    }
    text
}

/// The definitions that match the query, and the number of others by kind.
fn matching(
    path: &str,
    lines: u32,
    found: &[FileDefinition],
    others: &BTreeMap<DefinitionKind, u64>,
    budget: usize,
) -> String {
    let mut text = format!("{}: {} lines", visible_line(path), grouped(lines.into()));
    let costs: Vec<usize> = found.iter().map(|definition| tokens(&line(definition)) + 1).collect();
    for definition in &found[..fitting(&costs, budget.min(MAX_MATCHING_TOKENS))] {
        let _ = write!(text, "\n{}", line(definition));
    }
    let counts: Vec<String> = others.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let _ = write!(text, "\nNot matching: {}", counts.join(", "));
    text
}

/// One definition, indented by its nesting: `  45-92 async handle(attempt: number)`.
fn line(definition: &FileDefinition) -> String {
    let depth = definition.qualified.matches('.').count();
    let signature = visible_line(&definition.signature);
    let signature: String =
        signature.trim_end_matches(['{', ' ']).chars().take(MAX_SIGNATURE_CHARS).collect();
    let FileDefinition { start_line, end_line, .. } = definition;
    format!("{}{start_line}-{end_line} {signature}", "  ".repeat(depth.min(6)))
}

fn folder(path: &str, files: u64, entries: &[OutlineEntry], budget: usize) -> String {
    let name = if path.is_empty() { "The project".into() } else { format!("{}/", visible_line(path)) };
    let mut text = format!("{name}: {} files, most used first", grouped(files));
    let lines: Vec<String> = entries.iter().map(entry).collect();
    let costs: Vec<usize> = lines.iter().map(|line| tokens(line) + 1).collect();
    let count = fitting(&costs, budget);
    for line in &lines[..count] {
        let _ = write!(text, "\n{line}");
    }
    if count < lines.len() {
        let _ = write!(text, "\n({} more; raise `max_tokens`, or name a folder)", lines.len() - count);
    }
    text
}

fn entry(entry: &OutlineEntry) -> String {
    let mut text = visible_line(&entry.path).into_owned();
    if entry.path.ends_with('/') {
        let _ = write!(text, " {} files", entry.files);
    }
    if !entry.symbols.is_empty() {
        let names: Vec<_> = entry.symbols.iter().map(|name| visible_line(name)).collect();
        let _ = write!(text, ": {}", names.join(", "));
    }
    text
}
