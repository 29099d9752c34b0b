//! Renders a list of definitions within the token budget.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{SymbolHit, SymbolRequest, SymbolResponse};
use vectorcode_core::visible_line;

use super::notes::note_lines;
use super::packing::fitting;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;

/// Tokens for the lines around the list.
const FRAME_TOKENS: usize = 60;

pub(crate) fn render(request: &SymbolRequest, response: SymbolResponse, max_tokens: usize) -> Rendered {
    let SymbolResponse { mut symbols, notes } = response;
    let name = visible_line(&request.name);
    let costs: Vec<usize> =
        symbols.iter().map(|hit| tokens(&line(hit)).max(tokens(&json!(hit).to_string())) + 1).collect();
    let shown = fitting(&costs, max_tokens.saturating_sub(FRAME_TOKENS)).max(1).min(symbols.len());
    let total = symbols.len();
    symbols.truncate(shown);
    let mut text = match total {
        0 => {
            let paths = within(&request.paths);
            format!("No symbol has a name like `{name}`{paths}. `vec_search` finds code by what it does.")
        }
        1 => format!("1 definition for `{name}`"),
        count => format!("{count} definitions for `{name}`"),
    };
    for hit in &symbols {
        let _ = write!(text, "\n{}", line(hit));
    }
    if shown < total {
        let _ = write!(text, "\n({} more; narrow with `path`, or raise `max_tokens`)", total - shown);
    }
    text.push_str(&note_lines(&notes));
    Rendered { text, value: json!({"symbols": symbols, "total": total, "notes": notes}) }
}

/// ` in src/, docs/`.
fn within(paths: &[String]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| visible_line(path)).collect();
    if paths.is_empty() { String::new() } else { format!(" in {}", paths.join(", ")) }
}

fn line(hit: &SymbolHit) -> String {
    let test = if hit.is_test { " (test)" } else { "" };
    let SymbolHit { start_line, end_line, .. } = hit;
    let [qualified, path, signature] =
        [&hit.qualified, &hit.path, &hit.signature].map(|text| visible_line(text));
    format!("- {} {qualified} {path}:{start_line}-{end_line}{test}\n  {signature}", hit.kind.as_str())
}
