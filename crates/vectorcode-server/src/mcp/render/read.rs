//! Renders a definition or some lines, with line numbers and users.

use std::fmt::Write;

use serde_json::json;
use vectorcode_core::api::{FileLines, Freshness, Neighbour, OtherLines, ReadResponse};
use vectorcode_core::visible_line;

use super::hit::lines_of;
use super::notes::note_lines;
use super::other_lines::{count, places};
use super::packing::fitting;
use crate::budget::tokens;
use crate::mcp::answer::Rendered;

/// Tokens for the hint how to read on, and for the numbers of users that are not named.
const FRAME_TOKENS: usize = 60;
/// Share of the budget, in percent, reserved for users if the code would fill all of it.
const USERS_PERCENT: usize = 10;
/// Tokens for the lines with the name of a definition without known users.
const MAX_NAME_TOKENS: usize = 80;

pub(crate) fn render(response: &ReadResponse, max_tokens: usize) -> Rendered {
    let (mut text, notes, users) = (heading(response), note_lines(&response.notes), Users::of(response));
    let budget = max_tokens.saturating_sub(FRAME_TOKENS + tokens(&text) + tokens(&notes));
    let kept_for_users = users.cost().min(max_tokens * USERS_PERCENT / 100);
    let (code, shown) =
        numbered(response.start_line, &response.content, budget.saturating_sub(kept_for_users));
    text.push_str(&code);
    if shown < response.end_line && !response.content.is_empty() {
        let rest = format!("{}:{}-{}", visible_line(&response.path), shown + 1, response.end_line);
        let _ = write!(text, "\n... the rest: `vec_read` {rest:?}, or a larger max_tokens");
    }
    text.push_str(&users.text(budget.saturating_sub(tokens(&code))));
    text.push_str(&notes);
    Rendered { text, value: json!(response) }
}

fn heading(response: &ReadResponse) -> String {
    let mut text = lines_of(&visible_line(&response.path), response.start_line, response.end_line);
    if let (Some(kind), Some(symbol)) = (response.kind, &response.symbol) {
        let _ = write!(text, " {kind} {}", visible_line(symbol));
    } else if response.end_line - response.start_line + 1 < response.file_lines {
        let _ = write!(text, " of {} lines", response.file_lines);
    }
    if matches!(response.freshness, Freshness::Stale { .. }) {
        text.push_str(" (newer than the index)");
    }
    text
}

/// As many numbered lines as fit, and the number of the last one.
pub(super) fn numbered(start_line: u32, content: &str, budget: usize) -> (String, u32) {
    let (mut text, mut left, mut shown) = (String::new(), budget, start_line.saturating_sub(1));
    for (number, line) in (start_line..).zip(content.lines()) {
        let line = format!("\n{number}\t{line}");
        let cost = tokens(&line);
        // At least one line is always shown, otherwise a caller could never read on.
        if cost > left && number > start_line {
            break;
        }
        left = left.saturating_sub(cost);
        text.push_str(&line);
        shown = number;
    }
    (text, shown)
}

/// The users of a definition, and other definitions with its name.
struct Users(Vec<UserList>);

struct UserList {
    title: &'static str,
    named: Vec<String>,
    /// Includes those that are not named.
    total: usize,
}

impl Users {
    fn of(response: &ReadResponse) -> Self {
        let places = |places: &[Neighbour]| places.iter().map(place).collect::<Vec<_>>();
        let others = response.others.iter().map(|other| visible_line(other).into_owned()).collect();
        let lists = [
            ("Callers", places(&response.callers), response.callers_total as usize),
            ("Tests that reach it", places(&response.tests), response.tests_total as usize),
            ("Other targets of this name", others, response.others_total as usize),
        ];
        let lists = lists.into_iter().map(|(title, named, total)| UserList { title, named, total });
        let mut lists: Vec<UserList> = lists.filter(|list| !list.named.is_empty()).collect();
        if response.symbol.is_some() && response.callers.is_empty() && response.tests.is_empty() {
            let others = response.other_lines.as_ref().filter(|others| !others.is_none());
            let none = others.map_or_else(|| "none found".to_owned(), lines_with_name);
            lists.insert(0, UserList { title: "Callers", named: vec![none], total: 1 });
        }
        Self(lists)
    }

    fn cost(&self) -> usize {
        tokens(&self.text(usize::MAX))
    }

    /// The lists with as many names as fit, and the number of the others.
    fn text(&self, budget: usize) -> String {
        let (mut text, mut left) = (String::new(), budget);
        for list in &self.0 {
            let line = list.line(left);
            left = left.saturating_sub(tokens(&line));
            text.push_str(&line);
        }
        text
    }
}

impl UserList {
    fn line(&self, budget: usize) -> String {
        let Self { title, named, total } = self;
        let costs: Vec<usize> = named.iter().map(|name| tokens(name) + 1).collect();
        match fitting(&costs, budget.saturating_sub(tokens(title) + 4)) {
            0 => format!("\n{title}: {total}"),
            shown if shown < *total => format!("\n{title} ({total}): {}", named[..shown].join("; ")),
            shown => format!("\n{title}: {}", named[..shown].join("; ")),
        }
    }
}

/// Says that no use is resolved, and lists lines with the name.
fn lines_with_name(others: &OtherLines) -> String {
    let (name, files) = (visible_line(&others.name), [&others.unresolved, &others.imports, &others.text]);
    let files: Vec<FileLines> = files.into_iter().flatten().cloned().collect();
    let elsewhere =
        if others.elsewhere > 0 { format!("; {} mean another", others.elsewhere) } else { String::new() };
    if files.is_empty() {
        return format!("none resolved{elsewhere}");
    }
    format!(
        "none resolved; {} other lines contain `{name}`: {}{elsewhere}",
        count(&files),
        places(&files, MAX_NAME_TOKENS)
    )
}

fn place(user: &Neighbour) -> String {
    let path = visible_line(&user.path);
    if user.name == user.path {
        format!("{path}:{}", user.line)
    } else {
        format!("{} {path}:{}", visible_line(&user.name), user.line)
    }
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
            others_total: 1,
            other_lines: None,
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
        Other targets of this name: src/old.ts#Retrier.run
        "#);
    }

    #[test]
    fn a_long_definition_says_how_to_read_on() {
        let text = render(&response(300), 400).text;
        assert!(tokens(&text) <= 400 && text.contains("the rest: `vec_read` \"src/retry.ts:"), "{text}");
    }

    #[test]
    fn a_small_budget_is_spent_on_code_before_callers() {
        let text = render(&response(40), 200).text;
        assert!(tokens(&text) <= 200 && text.contains("\n24\t    step(14);\n... the rest"), "{text}");
        assert!(text.ends_with("\nTests that reach it: 1\nOther targets of this name: 1"), "{text}");
    }
}
