//! Renders graph results within the token budget: a list by distance, or a diagram.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use vectorcode_core::api::{
    Confidence, GraphEdge, GraphNode, GraphQuery, GraphResponse, GraphStats, NodeKind, UseSite,
};
use vectorcode_core::{ReferenceKind, visible_line};
use vectorcode_engine::{collapse, diagram};

use super::edit::{code, tests};
use super::folded_nodes::FoldedNodes;
use super::notes::{note_lines, shorten_notes};
use super::other_lines::other_lines;
use crate::budget::tokens;
use crate::mcp::answer::{AnswerFormat, ToolAnswer};
use crate::units::grouped;

/// Maximum number of queried symbols with the same name in the heading.
const MAX_ASKED: usize = 5;
/// The share of the budget, in percent, for these symbols, and for files with guesses.
const NAMED_PERCENT: usize = 25;
const NAMED_IN_EDIT: usize = 7;
/// For `impact`, where tests and guesses are least important: of 1,020 tokens for one method they took 850.
const NAMED_IN_IMPACT: usize = 10;
/// Maximum number of lines named for each test file: whoever runs the tests runs the whole file.
const LINES_IN_IMPACT: usize = 3;
/// Maximum number of lines listed for one user.
const MAX_LINES: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GraphTextFormat {
    #[default]
    Text,
    Mermaid,
    Dot,
}

/// How to render a graph result.
pub(crate) struct GraphPage<'a> {
    pub(crate) query: &'a GraphQuery,
    pub(crate) format: GraphTextFormat,
    /// Maximum number of nodes in a diagram.
    pub(crate) limit: usize,
    pub(crate) max_tokens: usize,
}

impl GraphPage<'_> {
    /// Renders the response, dropping the most distant nodes until it fits.
    pub(crate) fn render(&self, mut response: GraphResponse, format: AnswerFormat) -> ToolAnswer {
        let mut folded = Vec::new();
        if self.format != GraphTextFormat::Text {
            response = collapse(&response, self.limit);
        } else if format == AnswerFormat::Text {
            folded.extend(FoldedNodes::guesses(&mut response));
            if matches!(self.query, GraphQuery::Impact { .. }) {
                folded.extend(FoldedNodes::tests(&mut response));
            }
        }
        shorten_notes(&mut response.notes, self.max_tokens);
        let asked = asked_count(self.query, &response);
        let summary = Summary {
            asked: self.asked(&response.nodes[..asked]),
            total: result_count(self.query, &response),
            folded: folded
                .iter()
                .map(|folded| folded.line(self.max_lines(), self.max_named_tokens()))
                .collect(),
            others: response
                .other_lines
                .as_ref()
                .map_or_else(String::new, |others| other_lines(others, self.max_named_tokens())),
            code: response.edit.as_ref().map_or_else(String::new, |edit| code(edit, self.max_tokens)),
            tests: response.edit.as_ref().map_or_else(String::new, |edit| tests(edit, self.max_tokens)),
        };
        keep_nodes(&mut response, asked + self.limit.max(1));
        loop {
            let answer = self.once(&response, format, &summary);
            let cost = match &answer {
                ToolAnswer::Text(text) => tokens(text),
                ToolAnswer::Value(value) => tokens(&value.to_string()),
            };
            if cost <= self.max_tokens || !shorten(&mut response, asked) {
                return answer;
            }
        }
    }

    /// `get src/a.rs:4; get src/b.rs:9; +3 more`.
    fn asked(&self, nodes: &[GraphNode]) -> String {
        let mut named: Vec<String> = nodes.iter().take(MAX_ASKED).map(|node| described(node, None)).collect();
        keep_within(&mut named, self.max_named_tokens());
        let more = nodes.len() - named.len();
        named.extend((more > 0).then(|| format!("+{more} more")));
        named.join("; ")
    }

    fn max_lines(&self) -> usize {
        if matches!(self.query, GraphQuery::Impact { .. }) { LINES_IN_IMPACT } else { usize::MAX }
    }

    fn max_named_tokens(&self) -> usize {
        let percent = match self.query {
            // The code of an edit leaves less room.
            GraphQuery::Edit { .. } => NAMED_IN_EDIT,
            GraphQuery::Impact { .. } => NAMED_IN_IMPACT,
            _ => NAMED_PERCENT,
        };
        self.max_tokens * percent / 100
    }

    fn once(&self, response: &GraphResponse, format: AnswerFormat, summary: &Summary) -> ToolAnswer {
        let text = || match self.format {
            GraphTextFormat::Text => text(self.query, response, summary),
            GraphTextFormat::Mermaid => diagram::mermaid(response),
            GraphTextFormat::Dot => diagram::dot(response),
        };
        ToolAnswer::of(format, text, || json!(response))
    }
}

/// Drops the last names until the rest fits; the first always stays.
fn keep_within(named: &mut Vec<String>, max_tokens: usize) {
    while named.len() > 1 && tokens(&named.join("; ")) > max_tokens {
        named.pop();
    }
}

/// The number of queried nodes, which come first.
fn asked_count(query: &GraphQuery, response: &GraphResponse) -> usize {
    match query {
        GraphQuery::Cycles | GraphQuery::Stats | GraphQuery::Show { target: None, .. } => 0,
        _ => response.nodes.iter().take_while(|node| node.distance == 0).count(),
    }
}

fn result_count(query: &GraphQuery, response: &GraphResponse) -> usize {
    match query {
        GraphQuery::Cycles => response.cycles.len(),
        _ => response.nodes.len() - asked_count(query, response),
    }
}

/// Drops a quarter of the results or of the list of unconnected files; after the results, of the queried nodes. Returns false
/// if there is nothing left to drop.
fn shorten(response: &mut GraphResponse, asked: usize) -> bool {
    if let Some(stats) = &mut response.stats {
        let kept = stats.orphans.len() * 3 / 4;
        let shorter = kept < stats.orphans.len();
        stats.orphans.truncate(kept);
        response.truncated |= shorter;
        return shorter;
    }
    let all = response.nodes.len();
    let kept = if all > asked { asked + (all - asked) * 3 / 4 } else { all * 3 / 4 };
    if kept == 0 || kept == response.nodes.len() {
        return false;
    }
    keep_nodes(response, kept);
    true
}

/// Keeps only the first nodes, and the edges between them.
fn keep_nodes(response: &mut GraphResponse, kept: usize) {
    if kept >= response.nodes.len() {
        return;
    }
    response.nodes.truncate(kept);
    response.edges.retain(|edge| edge.from < kept && edge.to < kept);
    response.cycles.retain(|cycle| cycle.iter().all(|node| *node < kept));
    response.truncated = true;
}

/// Facts about the full result, computed before its lists are shortened.
struct Summary {
    /// The queried symbols or files.
    asked: String,
    /// Number of nodes without the queried ones and without guesses; for circular imports, the number of groups.
    total: usize,
    /// The locations of guesses and tests that are not listed.
    folded: String,
    /// Other lines with the name.
    others: String,
    /// The code and the tests of an edit.
    code: String,
    tests: String,
}

fn text(query: &GraphQuery, response: &GraphResponse, summary: &Summary) -> String {
    let mut text = match (query, &response.stats) {
        (_, Some(stats)) => figures(stats),
        (GraphQuery::Cycles, _) => cycles(response, summary),
        (GraphQuery::Path { .. }, _) => path(response),
        (GraphQuery::Show { target: None, .. }, _) => edges(response),
        _ => by_distance(query, response, summary),
    };
    if response.truncated && response.stats.is_none() {
        let shown = result_count(query, response);
        let total = summary.total.max(shown);
        let _ = write!(text, "\n({shown} of {total} shown; raise `limit` or `max_tokens` for more)");
    }
    text.push_str(&note_lines(&response.notes));
    text.trim_start_matches('\n').to_owned()
}

/// The target, then every other node with the edge that leads to it.
fn by_distance(query: &GraphQuery, response: &GraphResponse, summary: &Summary) -> String {
    let mut text = heading(query, response, summary);
    let asked = &response.nodes[..asked_count(query, response)];
    let mut distance = 0;
    for (at, node) in response.nodes.iter().enumerate().filter(|(_, node)| node.distance > 0) {
        if node.distance > distance {
            distance = node.distance;
            let plural = if distance == 1 { "" } else { "s" };
            let _ = write!(text, "\n\n{distance} step{plural}");
        }
        let leads_here = |edge: &&GraphEdge| {
            (edge.from == at || edge.to == at) && response.nodes[other(edge, at)].distance < node.distance
        };
        let edge = response.edges.iter().filter(leads_here).min_by_key(|edge| edge.confidence);
        let _ = write!(text, "\n- {}", described(node, edge.filter(|edge| edge.from == at)));
        if let Some(edge) = edge {
            text.push_str(&relation(response, edge, at));
            let nearer = &response.nodes[other(edge, at)];
            if asked.len() > 1 && nearer.distance == 0 {
                let _ = write!(text, " -> {}", told_apart(nearer, asked));
            }
        }
    }
    for part in [&summary.folded, &summary.tests, &summary.others] {
        text.push_str(part);
    }
    text
}

fn heading(query: &GraphQuery, response: &GraphResponse, summary: &Summary) -> String {
    let (asked, count) = (&summary.asked, summary.total);
    if !summary.code.is_empty() {
        return edit_heading(summary);
    }
    let what = match query {
        GraphQuery::Deps { .. } => "Imports of",
        GraphQuery::Dependents { .. } => "Importers of",
        GraphQuery::Callers { .. } => "Callers of",
        GraphQuery::Callees { .. } => "Callees of",
        GraphQuery::Implementations { .. } => "Implementations of",
        GraphQuery::Impact { .. } => "Affected by a change of",
        _ => "Neighbourhood of",
    };
    let reach = response.impact.map_or_else(String::new, |impact| {
        format!(
            "; {} files ({} with tests) and {} symbols in all",
            impact.files, impact.tests, impact.symbols
        )
    });
    match count {
        0 if !summary.folded.is_empty() => format!("{what} {asked}: {}", none_listed(query)),
        0 if response.other_lines.as_ref().is_some_and(|others| !others.is_none()) => {
            format!("{what} {asked}: none resolved")
        }
        0 => format!("{what} {asked}: none found"),
        count => format!("{what} {asked}: {count}{reach}"),
    }
}

fn none_listed(query: &GraphQuery) -> &'static str {
    if matches!(query, GraphQuery::Impact { .. }) { "only tests and guesses" } else { "none certain" }
}

/// The code, then the symbol and the definitions that it overrides or that override it.
fn edit_heading(summary: &Summary) -> String {
    let uses = match summary.total {
        0 => "no use resolved".to_owned(),
        count => format!("used by {count}"),
    };
    format!("{}\n{}: {uses}", summary.code, summary.asked)
}

/// Identifies one of several queried nodes: by name, or by location if another has the same name.
fn told_apart(asked: &GraphNode, all: &[GraphNode]) -> String {
    match (&asked.path, asked.line) {
        (Some(path), Some(line)) if all.iter().filter(|node| node.name == asked.name).count() > 1 => {
            format!("{}:{line}", visible_line(path))
        }
        _ => visible_line(&asked.name).into_owned(),
    }
}

fn other(edge: &GraphEdge, at: usize) -> usize {
    if edge.from == at { edge.to } else { edge.from }
}

/// Name and location. The location is that of the use if an edge starts at this node, otherwise that of the definition.
fn described(node: &GraphNode, use_here: Option<&GraphEdge>) -> String {
    let line = match use_here {
        Some(edge) if !edge.uses.is_empty() => format!(":{}", listed_uses(&edge.uses)),
        _ => {
            let line = use_here.and_then(|edge| edge.line).or(node.line);
            line.map_or_else(String::new, |line| format!(":{line}"))
        }
    };
    let location = match (&node.path, node.kind, node.files) {
        (Some(path), ..) => format!(" {}{line}", visible_line(path)),
        (None, NodeKind::External, _) => " (external)".to_owned(),
        (None, _, Some(files)) => format!("/ ({files} files)"),
        (None, ..) => line,
    };
    let test = if node.is_test { " (test)" } else { "" };
    format!("{}{location}{test}", visible_line(&node.name))
}

/// `12,40 type 3,8 value 17 [possible]`: calls first. A confidence is only shown where it is lower than the best one.
fn listed_uses(uses: &[UseSite]) -> String {
    let mut groups: BTreeMap<(ReferenceKind, Confidence), Vec<u32>> = BTreeMap::new();
    for site in uses {
        groups.entry((site.kind, site.confidence)).or_default().push(site.line);
    }
    let best = uses.iter().map(|site| site.confidence).min();
    let mut parts = Vec::new();
    for ((kind, confidence), mut lines) in groups {
        lines.dedup();
        let kind = if kind == ReferenceKind::Call { String::new() } else { format!("{} ", kind.as_str()) };
        let doubt =
            if Some(confidence) == best { String::new() } else { format!(" [{}]", confidence.as_str()) };
        parts.push(format!("{kind}{}{doubt}", listed_lines(&lines)));
    }
    parts.join(" ")
}

/// `12,40,88`. Of many lines, the first ones and the number of the rest.
fn listed_lines(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(MAX_LINES).map(ToString::to_string).collect();
    match lines.len().checked_sub(MAX_LINES) {
        Some(more @ 1..) => format!("{} (+{more} lines)", shown.join(",")),
        _ => shown.join(","),
    }
}

/// How a node is connected, if that is not obvious: beyond the first step, by a use other than a call, or uncertain.
fn relation(response: &GraphResponse, edge: &GraphEdge, at: usize) -> String {
    let mut text = String::new();
    let nearer = &response.nodes[other(edge, at)];
    if nearer.distance > 0 {
        let direction = if edge.from == at { "to" } else { "from" };
        let _ = write!(text, " {direction} {}", visible_line(&nearer.name));
    }
    if let Some(remark) = edge.kind.remark().filter(|_| edge.uses.is_empty()) {
        let _ = write!(text, " [{remark}]");
    }
    if edge.confidence > Confidence::Certain {
        let _ = write!(text, " [{}]", edge.confidence.as_str());
    }
    text
}

fn path(response: &GraphResponse) -> String {
    let mut text = String::new();
    for (at, node) in response.nodes.iter().enumerate() {
        let edge = response.edges.iter().find(|edge| edge.to == at);
        let by = edge.and_then(|edge| edge.line).map_or_else(String::new, |line| format!(" (line {line})"));
        let arrow = if at == 0 { "" } else { "\n-> " };
        let _ = write!(text, "{arrow}{}{by}", described(node, None));
    }
    text
}

fn cycles(response: &GraphResponse, summary: &Summary) -> String {
    if summary.total == 0 {
        return "There are no circular imports.".into();
    }
    let mut text = format!("{} groups of files with circular imports:", summary.total);
    for cycle in &response.cycles {
        let names: Vec<_> =
            cycle.iter().chain(cycle.first()).map(|node| visible_line(&response.nodes[*node].name)).collect();
        let _ = write!(text, "\n- {}", names.join(" -> "));
    }
    text
}

fn edges(response: &GraphResponse) -> String {
    let mut text = format!("{} nodes, {} edges:", response.nodes.len(), response.edges.len());
    for edge in &response.edges {
        let name = |node: usize| visible_line(&response.nodes[node].name);
        let (from, to) = (name(edge.from), name(edge.to));
        let count = if edge.count > 1 { format!(" ({})", edge.count) } else { String::new() };
        let _ = write!(text, "\n- {from} -> {to}{count}");
    }
    text
}

fn figures(stats: &GraphStats) -> String {
    let counted = |counts: &[(String, u64)]| {
        counts
            .iter()
            .map(|(name, count)| format!("{} {}", visible_line(name), grouped(*count)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = format!(
        "{} code files, {} edges ({}), {} imports a file on average, {} external packages, {} cycles",
        grouped(stats.files),
        grouped(stats.edges),
        counted(&stats.edges_by_language),
        stats.average_imports,
        grouped(stats.externals),
        grouped(stats.cycles)
    );
    text.push_str("\n\nMost connected");
    for file in &stats.most_connected {
        let path = visible_line(&file.path);
        let _ = write!(text, "\n- {path}: imported by {}, imports {}", file.importers, file.imports);
    }
    let _ = write!(text, "\n\nMost imported external packages: {}", counted(&stats.most_imported));
    let orphans: Vec<_> = stats.orphans.iter().map(|path| visible_line(path)).collect();
    let _ = write!(text, "\n\nFiles without connections: {}", orphans.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::EdgeKind;

    use super::*;

    fn node(name: &str, path: &str, distance: u32) -> GraphNode {
        GraphNode {
            name: name.into(),
            kind: NodeKind::Symbol,
            path: Some(path.into()),
            line: Some(1),
            definition: None,
            language: None,
            files: None,
            is_test: false,
            distance,
        }
    }

    fn edge(from: usize, confidence: Confidence, lines: &[u32]) -> GraphEdge {
        let line = lines.first().copied();
        let site = |line: &u32| UseSite { line: *line, kind: ReferenceKind::Call, confidence };
        let uses = lines.iter().map(site).collect();
        GraphEdge { from, to: 0, kind: EdgeKind::Calls, confidence, line, uses, count: 1 }
    }

    #[test]
    fn a_small_budget_shortens_notes_and_heading_before_results() {
        let name = |number: usize| format!("Repository{number}.findAll");
        let path =
            |number: usize| format!("src/main/java/com/example/shop/repository/Repository{number}.java");
        let mut nodes: Vec<GraphNode> = (0..12).map(|number| node(&name(number), &path(number), 0)).collect();
        nodes.extend((0..12).map(|number| node(&format!("Caller{number}.run"), "src/Caller.java", 1)));
        let edges = (12..24).map(|number| edge(number, Confidence::Certain, &[3])).collect();
        let picks: Vec<String> = (0..5).map(|number| format!("{}#{}", path(number), name(number))).collect();
        let note = format!(
            "12 symbols are named `findAll`; the results are for all of them. To pick one: {}",
            picks.join(", ")
        );
        let response =
            GraphResponse { total: 24, nodes, edges, notes: vec![note], ..GraphResponse::default() };
        let query = GraphQuery::Callers { symbol: "findAll".into(), depth: 1 };
        let page = GraphPage { query: &query, format: GraphTextFormat::Text, limit: 10, max_tokens: 300 };
        let ToolAnswer::Text(text) = page.render(response, AnswerFormat::Text) else { panic!("not a text") };
        assert!(tokens(&text) <= 300, "{text}");
        insta::assert_snapshot!(text, @r"
        Callers of Repository0.findAll src/main/java/com/example/shop/repository/Repository0.java:1; Repository1.findAll src/main/java/com/example/shop/repository/Repository1.java:1; Repository2.findAll src/main/java/com/example/shop/repository/Repository2.java:1; +9 more: 12

        1 step
        - Caller0.run src/Caller.java:3 -> Repository0.findAll
        - Caller1.run src/Caller.java:3 -> Repository0.findAll
        - Caller2.run src/Caller.java:3 -> Repository0.findAll
        - Caller3.run src/Caller.java:3 -> Repository0.findAll
        - Caller4.run src/Caller.java:3 -> Repository0.findAll
        - Caller5.run src/Caller.java:3 -> Repository0.findAll
        - Caller6.run src/Caller.java:3 -> Repository0.findAll
        - Caller7.run src/Caller.java:3 -> Repository0.findAll
        - Caller8.run src/Caller.java:3 -> Repository0.findAll
        - Caller9.run src/Caller.java:3 -> Repository0.findAll
        (10 of 12 shown; raise `limit` or `max_tokens` for more)
        Note: 12 symbols are named `findAll`; the results are for all of them.
        ");
    }

    #[test]
    fn circular_imports_that_do_not_fit_are_counted() {
        let nodes = (0..4).map(|number| node(&format!("src/part{number}.ts"), "", 0)).collect();
        let cycles = vec![vec![0, 1], vec![2, 3]];
        let response = GraphResponse { total: 4, nodes, cycles, ..GraphResponse::default() };
        let page = GraphPage {
            query: &GraphQuery::Cycles,
            format: GraphTextFormat::Text,
            limit: 3,
            max_tokens: 300,
        };
        let ToolAnswer::Text(text) = page.render(response, AnswerFormat::Text) else { panic!("not a text") };
        insta::assert_snapshot!(text, @r"
        2 groups of files with circular imports:
        - src/part0.ts -> src/part1.ts -> src/part0.ts
        (1 of 2 shown; raise `limit` or `max_tokens` for more)
        ");
    }

    #[test]
    fn an_answer_of_notes_alone_starts_with_the_first() {
        let query = GraphQuery::Path { from: "a".into(), to: "b".into() };
        let page = GraphPage { query: &query, format: GraphTextFormat::Text, limit: 10, max_tokens: 300 };
        let response = GraphResponse { notes: vec!["No path.".into()], ..GraphResponse::default() };
        let ToolAnswer::Text(text) = page.render(response, AnswerFormat::Text) else { panic!("not a text") };
        assert_eq!(text, "Note: No path.");
    }

    #[test]
    fn guesses_are_folded_and_every_line_of_a_call_is_named() {
        let mut nodes = vec![node("Context.invoke", "src/core.py", 0), node("main", "src/main.py", 1)];
        let mut edges = vec![edge(1, Confidence::Certain, &[4, 9])];
        for number in 0..6 {
            nodes.push(node(&format!("guess{number}"), &format!("tests/t{}.py", number / 4), 1));
            edges.push(edge(2 + number, Confidence::Guess, &[3]));
        }
        let response = GraphResponse { total: nodes.len(), nodes, edges, ..GraphResponse::default() };
        let query = GraphQuery::Callers { symbol: "Context.invoke".into(), depth: 1 };
        let page = GraphPage { query: &query, format: GraphTextFormat::Text, limit: 60, max_tokens: 1000 };
        let ToolAnswer::Text(text) = page.render(response, AnswerFormat::Text) else { panic!("not a text") };
        insta::assert_snapshot!(text, @r"
        Callers of Context.invoke src/core.py:1: 1

        1 step
        - main src/main.py:4,9

        Guesses by name alone, 6 in 2 files: tests/t0.py:3; tests/t1.py:3
        ");
    }

    #[test]
    fn what_a_change_affects_is_not_mostly_tests() {
        let mut nodes = vec![node("Context.invoke", "src/core.py", 0), node("main", "src/main.py", 1)];
        let mut edges = vec![edge(1, Confidence::Certain, &[])];
        for number in 0..400 {
            let path = format!("tests/test_{}.py", number / 40);
            nodes.push(GraphNode { is_test: true, line: Some(number), ..node("test", &path, 2) });
            edges.push(GraphEdge {
                line: Some(number),
                ..edge(2 + number as usize, Confidence::Certain, &[])
            });
        }
        let response = GraphResponse { total: nodes.len(), nodes, edges, ..GraphResponse::default() };
        let query = GraphQuery::Impact { target: "Context.invoke".into(), depth: 9 };
        let page = GraphPage { query: &query, format: GraphTextFormat::Text, limit: 60, max_tokens: 1000 };
        let ToolAnswer::Text(text) = page.render(response, AnswerFormat::Text) else { panic!("not a text") };
        assert!(text.contains("400 in 10 files: tests/test_0.py:0,1,2 (+37); tests/test_1.py"), "{text}");
        assert!(text.contains("- main src/main.py") && tokens(&text) < 200, "{text}");
    }
}
