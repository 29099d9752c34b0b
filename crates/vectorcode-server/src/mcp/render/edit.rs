//! The parts of an `edit` result that no other graph result has: the code, and the tests to run.

use std::fmt::Write;

use vectorcode_core::api::EditContext;
use vectorcode_core::visible_line;

use super::changes::affected;
use super::hit::lines_of;
use super::packing::fitting;
use super::read::numbered;
use crate::budget::tokens;

/// Shares of the budget, in percent.
const CODE_PERCENT: usize = 42;
const TESTS_PERCENT: usize = 8;

/// The lines of the symbol that fit, and how to read the rest.
pub(super) fn code(edit: &EditContext, max_tokens: usize) -> String {
    let path = visible_line(&edit.path);
    let mut text = lines_of(&path, edit.start_line, edit.end_line);
    let (code, shown) = numbered(edit.start_line, &edit.content, max_tokens * CODE_PERCENT / 100);
    text.push_str(&code);
    if shown < edit.end_line && !edit.content.is_empty() {
        let _ = write!(text, "\n... the rest: `vec_read` \"{path}:{}-{}\"", shown + 1, edit.end_line);
    }
    text
}

/// The tests that certainly reach the symbol, by name, then the test files that load its file.
pub(super) fn tests(edit: &EditContext, max_tokens: usize) -> String {
    let budget = max_tokens * TESTS_PERCENT / 100;
    let files = edit.test_files.iter().map(|path| visible_line(path).into_owned());
    let lists = [
        ("Tests that call it, directly or not", edit.tests.iter().map(affected).collect::<Vec<_>>()),
        ("Test files that load it", files.collect()),
    ];
    let mut text = String::new();
    for (title, named) in lists {
        let costs: Vec<usize> = named.iter().map(|name| tokens(name) + 1).collect();
        let shown = fitting(&costs, budget).max(1).min(named.len());
        if shown > 0 {
            let more = if shown < named.len() { "; ..." } else { "" };
            let _ = write!(text, "\n{title} ({}): {}{more}", named.len(), named[..shown].join("; "));
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::{
        AffectedSymbol, Confidence, EdgeKind, FileLines, GraphEdge, GraphNode, GraphQuery, GraphResponse,
        NodeKind, OtherLines, UseSite,
    };
    use vectorcode_core::{DefinitionKind, ReferenceKind};

    use super::*;
    use crate::mcp::answer::{AnswerFormat, ToolAnswer};
    use crate::mcp::render::graph::{GraphPage, GraphTextFormat};

    fn node(name: &str, path: &str, line: u32, distance: u32) -> GraphNode {
        GraphNode {
            name: name.into(),
            kind: NodeKind::Symbol,
            path: Some(path.into()),
            line: Some(line),
            definition: Some(DefinitionKind::Method),
            language: None,
            files: None,
            is_test: false,
            distance,
        }
    }

    /// A method with this many lines and callers.
    fn response(lines: u32, callers: usize) -> GraphResponse {
        let mut nodes =
            vec![node("Field.clean", "src/fields.py", 10, 0), node("Number.clean", "src/number.py", 4, 0)];
        let mut edges = Vec::new();
        for number in 0..callers {
            nodes.push(node(&format!("submit_{number}"), &format!("src/form_{number}.py"), 1, 1));
            let site = UseSite { line: 7, kind: ReferenceKind::Call, confidence: Confidence::Certain };
            let (from, kind, confidence) = (nodes.len() - 1, EdgeKind::Calls, Confidence::Certain);
            edges.push(GraphEdge {
                from,
                to: 0,
                kind,
                confidence,
                line: Some(7),
                uses: vec![site],
                count: 1,
            });
        }
        let places = |file: usize| FileLines { path: format!("docs/page_{file}.md"), lines: vec![1, 2, 3] };
        let test = |number: u32| AffectedSymbol {
            name: format!("test_clean_{number}"),
            path: "tests/test_fields.py".into(),
            line: Some(number + 1),
            distance: 1,
        };
        GraphResponse {
            total: nodes.len(),
            nodes,
            edges,
            edit: Some(EditContext {
                path: "src/fields.py".into(),
                start_line: 10,
                end_line: 9 + lines,
                content: (0..lines)
                    .map(|line| format!("    value = step_{line}(value)\n"))
                    .collect::<Vec<_>>()
                    .concat(),
                tests: (0..callers as u32).map(test).collect(),
                test_files: (0..callers).map(|file| format!("tests/test_{file}.py")).collect(),
            }),
            other_lines: Some(OtherLines {
                name: "clean".into(),
                unresolved: (0..callers).map(places).collect(),
                text: (0..callers).map(places).collect(),
                complete: true,
                ..OtherLines::default()
            }),
            ..GraphResponse::default()
        }
    }

    fn rendered(response: GraphResponse, max_tokens: usize) -> String {
        let query = GraphQuery::Edit { symbol: "Field.clean".into() };
        let page = GraphPage { query: &query, format: GraphTextFormat::Text, limit: 60, max_tokens };
        match page.render(response, AnswerFormat::Text) {
            ToolAnswer::Text(text) => text,
            ToolAnswer::Value(value) => panic!("{value}"),
        }
    }

    #[test]
    fn an_edit_shows_code_family_uses_and_tests() {
        insta::assert_snapshot!(rendered(response(2, 1), 900), @r#"
        src/fields.py:10-11
        10	    value = step_0(value)
        11	    value = step_1(value)
        Field.clean src/fields.py:10; Number.clean src/number.py:4: used by 1

        1 step
        - submit_0 src/form_0.py:7 -> Field.clean

        Tests that call it, directly or not (1): test_clean_0 tests/test_fields.py:1
        Test files that load it (1): tests/test_0.py

        3 lines contain `clean` but are not resolved: docs/page_0.md:1,2,3
        3 lines of comments, strings or documents contain `clean`: docs/page_0.md:1,2,3
        "#);
    }

    #[test]
    fn a_long_method_with_many_uses_leaves_room_for_some_of_each() {
        let text = rendered(response(200, 100), 900);
        assert!(tokens(&text) <= 900, "{}", tokens(&text));
        for part in
            ["... the rest: `vec_read`", "- submit_9 ", "test_clean_0", "tests/test_0.py", "100 shown"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
