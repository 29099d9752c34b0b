//! A definition or some lines with line numbers, and who uses it.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{Freshness, Neighbour, ReadResponse};
use vectorcode_core::visible_line;

use super::hit::lines_of;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;

/// Room for heading and hints.
const FRAME_TOKENS: usize = 60;

pub(crate) fn render(response: &ReadResponse, max_tokens: usize) -> Rendered {
    let around = around(response);
    let budget = max_tokens.saturating_sub(FRAME_TOKENS + tokens(&around));
    let (code, shown) = numbered(response, budget);
    let path = visible_line(&response.path);
    let mut text = lines_of(&path, response.start_line, response.end_line);
    if let (Some(kind), Some(symbol)) = (response.kind, &response.symbol) {
        let _ = write!(text, " {kind} {}", visible_line(symbol));
    } else if response.end_line - response.start_line + 1 < response.file_lines {
        let _ = write!(text, " of {} lines", response.file_lines);
    }
    if matches!(response.freshness, Freshness::Stale { .. }) {
        text.push_str(" (newer than the index)");
    }
    text.push_str(&code);
    if shown < response.end_line && !response.content.is_empty() {
        let rest = format!("{path}:{}-{}", shown + 1, response.end_line);
        let _ = write!(text, "\n... the rest: `vec_read` {rest:?}, or a larger max_tokens");
    }
    text.push_str(&around);
    Rendered { text, value: json!(response) }
}

/// The lines with their numbers as far as they fit, and the number of the last one.
fn numbered(response: &ReadResponse, budget: usize) -> (String, u32) {
    let (mut text, mut left, mut shown) = (String::new(), budget, response.start_line.saturating_sub(1));
    for (number, line) in (response.start_line..).zip(response.content.lines()) {
        let line = format!("\n{number}\t{line}");
        let cost = tokens(&line);
        // One line is shown in any case, or a caller would never get on.
        if cost > left && number > response.start_line {
            break;
        }
        left = left.saturating_sub(cost);
        text.push_str(&line);
        shown = number;
    }
    (text, shown)
}

fn around(response: &ReadResponse) -> String {
    let mut text = String::new();
    add(&mut text, "Callers", &response.callers, response.callers_total);
    add(&mut text, "Tests that reach it", &response.tests, response.tests_total);
    if response.symbol.is_some() && response.callers.is_empty() && response.tests.is_empty() {
        text.push_str("\nCallers: none found");
    }
    if !response.others.is_empty() {
        let others: Vec<_> = response.others.iter().map(|other| visible_line(other)).collect();
        let _ = write!(text, "\nAlso defined: {}", others.join(", "));
    }
    for note in &response.notes {
        let _ = write!(text, "\nNote: {note}");
    }
    text
}

fn add(text: &mut String, what: &str, places: &[Neighbour], total: u64) {
    if places.is_empty() {
        return;
    }
    let place = |other: &Neighbour| {
        let path = visible_line(&other.path);
        if other.name == other.path {
            format!("{path}:{}", other.line)
        } else {
            format!("{} {path}:{}", visible_line(&other.name), other.line)
        }
    };
    let named: Vec<String> = places.iter().map(place).collect();
    let count = if total > places.len() as u64 { format!(" ({total})") } else { String::new() };
    let _ = write!(text, "\n{what}{count}: {}", named.join("; "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(lines: u32) -> ReadResponse {
        let place = |name: &str, path: &str, line| Neighbour { name: name.into(), path: path.into(), line };
        ReadResponse {
            path: "src/retry.ts".into(),
            language: "typescript".into(),
            file_lines: 400,
            start_line: 10,
            end_line: 9 + lines,
            content: (0..lines).map(|line| format!("    step({line});\n")).collect::<Vec<_>>().concat(),
            symbol: Some("Retrier.run".into()),
            kind: Some(vectorcode_core::DefinitionKind::Method),
            callers: vec![place("order", "src/order.ts", 3), place("src/main.ts", "src/main.ts", 9)],
            callers_total: 7,
            tests: vec![place("retries", "test/retry.test.ts", 4)],
            tests_total: 1,
            others: vec!["src/old.ts#Retrier.run".into()],
            freshness: Freshness::Fresh,
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_definition_comes_with_its_callers_and_tests() {
        insta::assert_snapshot!(render(&response(3), 1000).text, @r#"
        src/retry.ts:10-12 method Retrier.run
        10	    step(0);
        11	    step(1);
        12	    step(2);
        Callers (7): order src/order.ts:3; src/main.ts:9
        Tests that reach it: retries test/retry.test.ts:4
        Also defined: src/old.ts#Retrier.run
        "#);
    }

    #[test]
    fn a_long_definition_says_how_to_read_on() {
        let text = render(&response(300), 400).text;
        assert!(tokens(&text) <= 400 && text.contains("the rest: `vec_read` \"src/retry.ts:"), "{text}");
    }
}
