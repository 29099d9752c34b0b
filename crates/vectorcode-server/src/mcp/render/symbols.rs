//! Definitions as a list that fits its budget.

use std::fmt::Write;

use serde_json::{Value, json};
use vectorcode_core::api::{SymbolHit, SymbolResponse};

use super::hit::fitting;
use crate::mcp::answer::Answer;
use crate::mcp::budget::tokens;
use crate::mcp::tools::output_schema;

/// Room for the lines around the list.
const FRAME_TOKENS: usize = 60;

pub(crate) fn render(name: &str, response: SymbolResponse, max_tokens: usize) -> Answer {
    let SymbolResponse { mut symbols, notes } = response;
    let costs: Vec<usize> =
        symbols.iter().map(|hit| tokens(&line(hit)).max(tokens(&json!(hit).to_string())) + 1).collect();
    let shown = fitting(&costs, max_tokens.saturating_sub(FRAME_TOKENS)).max(1).min(symbols.len());
    let total = symbols.len();
    symbols.truncate(shown);
    let mut text = match total {
        0 => format!("No symbol is called anything like `{name}`. `vec_search` finds code by what it does."),
        1 => format!("1 definition for `{name}`"),
        count => format!("{count} definitions for `{name}`"),
    };
    for hit in &symbols {
        let _ = write!(text, "\n{}", line(hit));
    }
    if shown < total {
        let _ = write!(text, "\n({} more; narrow with `path` or `kind`)", total - shown);
    }
    for note in &notes {
        let _ = write!(text, "\nNote: {note}");
    }
    Answer { text, structured: json!({"symbols": symbols, "total": total, "notes": notes}) }
}

fn line(hit: &SymbolHit) -> String {
    let test = if hit.is_test { " (test)" } else { "" };
    let SymbolHit { qualified, path, start_line, end_line, signature, .. } = hit;
    format!("- {} {qualified} {path}:{start_line}-{end_line}{test}\n  {signature}", hit.kind.as_str())
}

/// The shape of the value beside the text.
pub(crate) fn schema() -> Value {
    let symbol = output_schema(
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
    output_schema(
        json!({
            "symbols": {"type": "array", "items": symbol},
            "total": {"type": "integer"},
            "notes": {"type": "array", "items": {"type": "string"}},
        }),
        &["symbols", "total", "notes"],
    )
}
