//! Prints graph responses for people: trees, chains and tables.

use std::io;

use vectorcode_core::api::{
    AffectedSymbol, Confidence, FileLines, GraphEdge, GraphNode, GraphQuery, GraphResponse, GraphStats,
    Impact, NodeKind, OtherLines,
};
use vectorcode_core::{visible_line, visible_text};

use super::Printer;
use super::numbers::{grouped, plural};
use super::style::{DIM, GOOD, PATH, SYMBOL, WARNING, painted};

/// Maximum number of files listed with other lines that contain the name.
const MAX_OTHER_FILES: usize = 12;

pub fn print(query: &GraphQuery, response: &GraphResponse, printer: &Printer) -> io::Result<()> {
    match query {
        GraphQuery::Deps { .. } | GraphQuery::Callees { .. } => tree(response, Towards::Targets, printer)?,
        GraphQuery::Dependents { .. } | GraphQuery::Callers { .. } | GraphQuery::Implementations { .. } => {
            tree(response, Towards::Sources, printer)?;
        }
        GraphQuery::Edit { .. } => edit(response, printer)?,
        GraphQuery::Impact { .. } => impact(response, printer)?,
        GraphQuery::Path { .. } => chain(response, printer)?,
        GraphQuery::Cycles => cycles(response, printer)?,
        GraphQuery::Stats => response.stats.as_ref().map_or(Ok(()), |stats| figures(stats, printer))?,
        GraphQuery::Show { .. } => edges(response, printer)?,
    }
    footer(query, response, printer);
    Ok(())
}

/// The code, its users, and the tests to run.
fn edit(response: &GraphResponse, printer: &Printer) -> io::Result<()> {
    let Some(edit) = &response.edit else { return Ok(()) };
    printer.line(link(&edit.path, Some(edit.start_line), printer))?;
    for (number, line) in (edit.start_line..).zip(edit.content.lines()) {
        printer.line(format!("{} {}", painted(DIM, format!("{number:>5}")), visible_text(line)))?;
    }
    tree(response, Towards::Sources, printer)?;
    let test = |test: &AffectedSymbol| {
        format!("  {}  {}", painted(SYMBOL, visible_line(&test.name)), link(&test.path, test.line, printer))
    };
    let tests: Vec<String> = edit.tests.iter().map(test).collect();
    let files: Vec<String> =
        edit.test_files.iter().map(|path| format!("  {}", link(path, None, printer))).collect();
    for (title, lines) in [("Tests to run", tests), ("Test files that load it", files)] {
        if !lines.is_empty() {
            printer.line(format!("{title} ({})\n{}", lines.len(), lines.join("\n")))?;
        }
    }
    Ok(())
}

/// Which end of an edge is further away from the queried node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Towards {
    Targets,
    Sources,
}

impl Towards {
    fn ends(self, edge: &GraphEdge) -> (usize, usize) {
        match self {
            Self::Targets => (edge.from, edge.to),
            Self::Sources => (edge.to, edge.from),
        }
    }
}

/// Prints a tree: the queried nodes, and below each node those that were first reached through it.
fn tree(response: &GraphResponse, towards: Towards, printer: &Printer) -> io::Result<()> {
    let mut children: Vec<Vec<(usize, &GraphEdge)>> = vec![Vec::new(); response.nodes.len()];
    for (place, node) in response.nodes.iter().enumerate().filter(|(_, node)| node.distance > 0) {
        let leads_here = |edge: &&GraphEdge| {
            let (near, far) = towards.ends(edge);
            far == place && response.nodes[near].distance + 1 == node.distance
        };
        if let Some(edge) = response.edges.iter().filter(leads_here).min_by_key(|edge| edge.confidence) {
            children[towards.ends(edge).0].push((place, edge));
        }
    }
    for (place, node) in response.nodes.iter().enumerate().filter(|(_, node)| node.distance == 0) {
        // For a folder, only files with edges get a line.
        if children[place].is_empty() && response.nodes.iter().filter(|node| node.distance == 0).count() > 1 {
            continue;
        }
        printer.line(root(node, printer))?;
        branches(response, &children, place, "", towards, printer)?;
    }
    Ok(())
}

fn branches(
    response: &GraphResponse,
    children: &[Vec<(usize, &GraphEdge)>],
    place: usize,
    indent: &str,
    towards: Towards,
    printer: &Printer,
) -> io::Result<()> {
    let below = &children[place];
    for (index, (child, edge)) in below.iter().enumerate() {
        let is_last = index + 1 == below.len();
        let (fork, next) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let line = leaf(&response.nodes[*child], edge, towards, printer);
        printer.line(format!("{}{line}", painted(DIM, format!("{indent}{fork}"))))?;
        branches(response, children, *child, &format!("{indent}{next}"), towards, printer)?;
    }
    Ok(())
}

fn root(node: &GraphNode, printer: &Printer) -> String {
    let kind = node.definition.map_or_else(String::new, |kind| format!("  {}", kind.as_str()));
    format!("{}{}{}", name(node, printer), place(node, None, printer), painted(DIM, kind))
}

/// Shows the line of the use for callers, and the line of the definition for callees.
fn leaf(node: &GraphNode, edge: &GraphEdge, towards: Towards, printer: &Printer) -> String {
    let line = if towards == Towards::Sources { edge.line } else { None };
    let mut lines: Vec<String> = edge
        .uses
        .iter()
        .map(|site| site.line)
        .filter(|at| Some(*at) != line)
        .map(|at| at.to_string())
        .collect();
    lines.dedup();
    let more = if lines.is_empty() { String::new() } else { painted(PATH, format!(",{}", lines.join(","))) };
    format!("{}{}{more}{}", name(node, printer), place(node, line, printer), marks(node, edge))
}

fn name(node: &GraphNode, printer: &Printer) -> String {
    match node.kind {
        NodeKind::Symbol => painted(SYMBOL, visible_line(&node.name)),
        NodeKind::File => link(&node.name, None, printer),
        NodeKind::External => format!("{}{}", visible_line(&node.name), painted(DIM, "  external")),
        NodeKind::Folder => painted(PATH, format!("{}/", visible_line(&node.name))),
    }
}

fn place(node: &GraphNode, line: Option<u32>, printer: &Printer) -> String {
    match (node.path.as_deref(), line.or(node.line)) {
        (Some(path), line) => format!("  {}", link(path, line, printer)),
        (None, Some(line)) => painted(PATH, format!(":{line}")),
        (None, None) => String::new(),
    }
}

/// A path relative to the current directory, as a link to the file.
fn link(path: &str, line: Option<u32>, printer: &Printer) -> String {
    let line = line.map_or_else(String::new, |line| format!(":{line}"));
    let shown = painted(PATH, format!("{}{line}", visible_line(path)));
    match std::path::absolute(path) {
        Ok(file) => printer.link(shown, &file),
        Err(_) => shown,
    }
}

/// The remarks after name and location: kind of edge, confidence, test code.
fn marks(node: &GraphNode, edge: &GraphEdge) -> String {
    let mut marks = String::new();
    if let Some(remark) = edge.kind.remark() {
        marks += &painted(DIM, format!("  {remark}"));
    }
    marks += &doubt(edge.confidence);
    if node.is_test {
        marks += &painted(DIM, "  test");
    }
    marks
}

fn doubt(confidence: Confidence) -> String {
    match confidence {
        Confidence::Certain => String::new(),
        Confidence::Likely | Confidence::Possible => painted(DIM, format!("  {}", confidence.as_str())),
        Confidence::Guess => format!("  {}", painted(WARNING, confidence.as_str())),
    }
}

fn impact(response: &GraphResponse, printer: &Printer) -> io::Result<()> {
    let asked = response.nodes.iter().filter(|node| node.distance == 0);
    for node in asked {
        printer.line(root(node, printer))?;
    }
    if let Some(impact) = &response.impact {
        printer.line(reach(impact))?;
    }
    let mut distance = 0;
    for (at, node) in response.nodes.iter().enumerate().filter(|(_, node)| node.distance > 0) {
        if node.distance > distance {
            distance = node.distance;
            printer.line(painted(DIM, plural(u64::from(distance), "step")))?;
        }
        let away = |edge: &&GraphEdge| edge.from == at && response.nodes[edge.to].distance < node.distance;
        let edge = response.edges.iter().filter(away).min_by_key(|edge| edge.confidence);
        let marks = edge.map_or_else(String::new, |edge| marks(node, edge));
        printer.line(format!(
            "  {}{}{marks}",
            name(node, printer),
            place(node, edge.and_then(|edge| edge.line), printer)
        ))?;
    }
    Ok(())
}

fn reach(impact: &Impact) -> String {
    let Impact { files, symbols, tests } = *impact;
    if files == 0 {
        return "Nothing in the project depends on it.".into();
    }
    let symbols = if symbols > 0 { format!("{} in ", plural(symbols, "symbol")) } else { String::new() };
    let tests = if tests > 0 { format!(", {} of them with tests", grouped(tests)) } else { String::new() };
    format!("A change may reach {symbols}{}{tests}", plural(files, "file"))
}

fn chain(response: &GraphResponse, printer: &Printer) -> io::Result<()> {
    for (at, node) in response.nodes.iter().enumerate() {
        let edge = response.edges.iter().find(|edge| edge.to == at);
        let Some(edge) = edge else {
            printer.line(root(node, printer))?;
            continue;
        };
        let line = edge.line.map_or_else(String::new, |line| format!(" by line {line}"));
        let arrow = painted(DIM, format!("{}→", "  ".repeat(at)));
        printer.line(format!(
            "{arrow} {}{}{}{}",
            name(node, printer),
            place(node, None, printer),
            painted(DIM, line),
            marks(node, edge)
        ))?;
    }
    Ok(())
}

fn cycles(response: &GraphResponse, printer: &Printer) -> io::Result<()> {
    for (number, cycle) in response.cycles.iter().enumerate() {
        printer.line(painted(SYMBOL, format!("Cycle {} of {}", number + 1, response.cycles.len())))?;
        for (step, at) in cycle.iter().enumerate() {
            let next = cycle[(step + 1) % cycle.len()];
            let edge = response.edges.iter().find(|edge| (edge.from, edge.to) == (*at, next));
            let arrow = painted(DIM, "imports");
            let place = link(&response.nodes[*at].name, edge.and_then(|edge| edge.line), printer);
            printer.line(format!("  {place} {arrow} {}", visible_line(&response.nodes[next].name)))?;
        }
        let more = members(response, cycle).saturating_sub(cycle.len());
        if more > 0 {
            printer.line(painted(
                DIM,
                format!("  and {} of the same group", plural(more as u64, "more file")),
            ))?;
        }
    }
    Ok(())
}

/// Number of nodes in the group of a cycle. The groups are stored one after another in `nodes`.
fn members(response: &GraphResponse, cycle: &[usize]) -> usize {
    let Some(first) = cycle.first() else { return 0 };
    let starts = response.cycles.iter().filter_map(|cycle| cycle.first().copied());
    starts.filter(|start| start > first).min().unwrap_or(response.nodes.len()) - first
}

fn figures(stats: &GraphStats, printer: &Printer) -> io::Result<()> {
    printer.line(format!("Files      {}", grouped(stats.files)))?;
    printer.line(format!("Edges      {}{}", grouped(stats.edges), list_of(&stats.edges_by_language)))?;
    printer.line(format!("Average    {} imports a file", stats.average_imports))?;
    printer.line(format!("External   {}", grouped(stats.externals)))?;
    let cycles =
        if stats.cycles == 0 { painted(GOOD, "none") } else { painted(WARNING, grouped(stats.cycles)) };
    printer.line(format!("Cycles     {cycles}"))?;
    if !stats.most_connected.is_empty() {
        printer.line(format!("\n{}", painted(SYMBOL, "Most connected")))?;
    }
    for file in &stats.most_connected {
        let (importers, imports) = (grouped(file.importers), grouped(file.imports));
        let path = link(&file.path, None, printer);
        printer.line(format!("  {path}  imported by {importers}, imports {imports}"))?;
    }
    if !stats.most_imported.is_empty() {
        printer.line(format!("\n{}", painted(SYMBOL, "Most imported external packages")))?;
        for (name, files) in &stats.most_imported {
            printer.line(format!("  {}  {}", visible_line(name), painted(DIM, plural(*files, "file"))))?;
        }
    }
    if !stats.orphans.is_empty() {
        printer.line(format!("\n{}", painted(SYMBOL, "Not connected to other files")))?;
        for path in &stats.orphans {
            printer.line(format!("  {}", painted(PATH, visible_line(path))))?;
        }
    }
    Ok(())
}

fn list_of(counts: &[(String, u64)]) -> String {
    let named: Vec<String> =
        counts.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
    if named.is_empty() { String::new() } else { format!("  ({})", named.join(", ")) }
}

/// Prints every node with outgoing edges, and their targets.
fn edges(response: &GraphResponse, printer: &Printer) -> io::Result<()> {
    for (at, node) in response.nodes.iter().enumerate() {
        let leading: Vec<&GraphEdge> = response.edges.iter().filter(|edge| edge.from == at).collect();
        if leading.is_empty() && response.edges.iter().any(|edge| edge.to == at) {
            continue;
        }
        let files =
            node.files.map_or_else(String::new, |files| format!("  {}", plural(u64::from(files), "file")));
        printer.line(format!(
            "{}{}{}",
            name(node, printer),
            place(node, None, printer),
            painted(DIM, files)
        ))?;
        for edge in leading {
            let target = &response.nodes[edge.to];
            let count = if edge.count > 1 { format!("  {}", edge.count) } else { String::new() };
            let arrow = painted(DIM, "  →");
            printer.line(format!(
                "{arrow} {}{}{}{}",
                name(target, printer),
                place(target, None, printer),
                painted(DIM, count),
                marks(target, edge)
            ))?;
        }
    }
    Ok(())
}

/// Prints notes on the whole response to stderr.
fn footer(query: &GraphQuery, response: &GraphResponse, printer: &Printer) {
    let is_alone = response.nodes.iter().all(|node| node.distance == 0);
    match query {
        GraphQuery::Deps { .. } if is_alone => printer.note("No imports found."),
        GraphQuery::Dependents { .. } if is_alone => printer.note("No file of the project imports it."),
        GraphQuery::Callers { .. } | GraphQuery::Edit { .. } if is_alone => {
            printer.note(no_callers(response));
        }
        GraphQuery::Implementations { .. } if is_alone => {
            printer.note("No implementations found in the project.");
        }
        GraphQuery::Callees { .. } if is_alone => printer.note("No calls to symbols of the project found."),
        GraphQuery::Cycles if response.cycles.is_empty() => printer.note("No cycles found."),
        _ => {}
    }
    if response.truncated && !matches!(query, GraphQuery::Stats) {
        let (shown, total) = (response.nodes.len() as u64, response.total as u64);
        printer.note(format!(
            "Showing {} of {} nodes; raise --limit for more.",
            grouped(shown),
            grouped(total)
        ));
    }
    if response.edges.iter().any(|edge| edge.confidence == Confidence::Guess) {
        printer.note(
            "A guess is one of several definitions with that name, or one that the file does not import.",
        );
    }
    for note in &response.notes {
        printer.note(note);
    }
    if let Some(others) = &response.other_lines {
        other_lines(others, printer);
    }
}

fn no_callers(response: &GraphResponse) -> &'static str {
    match &response.other_lines {
        Some(others) if !others.is_none() => "No certain callers found; these lines contain the name.",
        _ => "No callers found in the project: no other line contains the name.",
    }
}

/// Lists lines with the name that are not among the results.
fn other_lines(others: &OtherLines, printer: &Printer) {
    let name = visible_line(&others.name);
    let lists = [
        (["contain", "contains"], [" but are not resolved", " but is not resolved"], &others.unresolved),
        (["import", "imports"], [""; 2], &others.imports),
        (
            ["of comments, strings or documents contain", "of a comment, a string or a document contains"],
            [""; 2],
            &others.text,
        ),
    ];
    for (before, after, files) in lists.into_iter().filter(|(.., files)| !files.is_empty()) {
        let count: usize = files.iter().map(|file| file.lines.len()).sum();
        let (before, after) = (before[usize::from(count == 1)], after[usize::from(count == 1)]);
        let place = |file: &FileLines| {
            let lines: Vec<String> = file.lines.iter().map(ToString::to_string).collect();
            format!("{}:{}", visible_line(&file.path), lines.join(","))
        };
        let shown: Vec<String> = files.iter().take(MAX_OTHER_FILES).map(place).collect();
        let more = if files.len() > MAX_OTHER_FILES { ", ..." } else { "" };
        printer.note(format!(
            "{} {before} `{name}`{after}: {}{more}",
            plural(count as u64, "line"),
            shown.join(", ")
        ));
    }
}
