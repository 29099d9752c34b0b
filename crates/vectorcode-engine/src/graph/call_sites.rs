//! Every line on which code uses the requested symbols, and other lines with their name that may be uses.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use vectorcode_core::api::{Confidence, FileLines, GraphEdge, GraphNode, GraphResponse, OtherLines, UseSite};
use vectorcode_core::{DefinitionKind, ReferenceKind, bare_name};
use vectorcode_graph::{FileId, Node, SymbolEdge, SymbolId, Symbols};

use super::GraphContext;
use super::facts::IndexFacts;
use super::uses::Scan;
use crate::error::EngineError;

/// The lines that contain the name of some symbols but are not uses of them.
pub(super) fn other_lines(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    asked: &[SymbolId],
    scan: &Scan,
) -> Result<OtherLines, EngineError> {
    let (mut resolved, mut own) = (LinesByFile::default(), LinesByFile::default());
    for target in asked {
        symbols.uses(*target)?.iter().for_each(|used| resolved.add(used.from.file(), used.line));
        if let Some(defined) = symbols.defined(*target)? {
            own.add(target.file, defined.definition.name_line);
        }
    }
    Sites { context, symbols, scan }.others(&resolved, &own)
}

/// Adds all uses to the edges that lead to `asked`, and lists the other lines with the name.
pub(super) fn add_uses(
    context: &GraphContext<'_>,
    symbols: &Symbols<'_, IndexFacts<'_>>,
    asked: &[SymbolId],
    scan: &Scan,
    response: &mut GraphResponse,
) -> Result<(), EngineError> {
    let sites = Sites { context, symbols, scan };
    let mut found: HashMap<(CallSiteNode, CallSiteNode), BTreeSet<UseSite>> = HashMap::new();
    for target in asked {
        let Some(to) = sites.place(Node::Symbol(*target))? else { continue };
        let is_data = symbols.defined(*target)?.is_some_and(|defined| is_data(defined.definition.kind));
        for used in symbols.uses(*target)? {
            let Some(from) = sites.place(used.from)? else { continue };
            if used.used != ReferenceKind::Import {
                found.entry((from, to.clone())).or_default().insert(site(&used, is_data));
            }
        }
    }
    let GraphResponse { nodes, edges, .. } = &mut *response;
    for edge in edges {
        let ends = (CallSiteNode::of_node(&nodes[edge.from]), CallSiteNode::of_node(&nodes[edge.to]));
        edge.uses = found.remove(&ends).into_iter().flatten().collect();
    }
    response.notes.extend(note_on_recursion(&found));
    list_asked_users(response);
    response.other_lines = Some(other_lines(context, symbols, asked, scan)?);
    Ok(())
}

/// If several symbols were requested, such as methods that override each other, one may use another. Such a user is
/// listed a second time, at distance 1.
fn list_asked_users(response: &mut GraphResponse) {
    let asked = response.nodes.iter().take_while(|node| node.distance == 0).count();
    let is_between = |edge: &GraphEdge| edge.from < asked && edge.to < asked;
    let users: BTreeSet<usize> =
        response.edges.iter().filter(|edge| is_between(edge)).map(|edge| edge.from).collect();
    let moved = |place: usize| if place < asked { place } else { place + users.len() };
    for edge in &mut response.edges {
        let user = users.iter().position(|user| *user == edge.from).filter(|_| is_between(edge));
        edge.from = user.map_or_else(|| moved(edge.from), |at| asked + at);
        edge.to = moved(edge.to);
    }
    let listed: Vec<GraphNode> =
        users.iter().map(|user| GraphNode { distance: 1, ..response.nodes[*user].clone() }).collect();
    response.total += listed.len();
    response.nodes.splice(asked..asked, listed);
}

fn site(used: &SymbolEdge, is_data: bool) -> UseSite {
    let kind = if is_data && used.used == ReferenceKind::Value { ReferenceKind::Read } else { used.used };
    UseSite { line: used.line, kind, confidence: used.confidence }
}

fn is_data(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant | DefinitionKind::Field)
}

/// Edges from a definition to itself are not shown, so a note lists them.
fn note_on_recursion(found: &HashMap<(CallSiteNode, CallSiteNode), BTreeSet<UseSite>>) -> Option<String> {
    let own = found.iter().filter(|((from, to), _)| from == to);
    let mut places: Vec<String> = own
        .flat_map(|((from, _), sites)| sites.iter().map(move |site| format!("{}:{}", from.path, site.line)))
        .collect();
    places.sort();
    (!places.is_empty()).then(|| format!("It uses itself: {}", places.join(", ")))
}

struct Sites<'a> {
    context: &'a GraphContext<'a>,
    symbols: &'a Symbols<'a, IndexFacts<'a>>,
    scan: &'a Scan,
}

impl Sites<'_> {
    fn place(&self, node: Node) -> Result<Option<CallSiteNode>, EngineError> {
        let path = self.context.snapshot.files.tree().path(node.file()).to_owned();
        let Node::Symbol(id) = node else {
            return Ok(Some(CallSiteNode { path, name: String::new(), line: None }));
        };
        Ok(self.symbols.defined(id)?.map(|defined| CallSiteNode {
            path,
            name: bare_name(&defined.definition.qualified).to_owned(),
            line: Some(defined.definition.name_line),
        }))
    }

    /// The lines with the name that are not uses of the requested symbols. `own` are the lines on which those are
    /// defined.
    fn others(&self, resolved: &LinesByFile, own: &LinesByFile) -> Result<OtherLines, EngineError> {
        let (mut imports, mut unresolved, mut text) =
            (LinesByFile::default(), LinesByFile::default(), LinesByFile::default());
        let mut elsewhere = 0;
        for (file, lines) in &self.scan.lines {
            let in_code = self.lines_in_code(*file)?;
            let defined: BTreeSet<u32> = self.scan.definitions(*file).collect();
            for line in lines {
                let is_known = resolved.has(*file, *line) && in_code.get(line) != Some(&Meaning::Import);
                match in_code.get(line) {
                    _ if is_known || own.has(*file, *line) => {}
                    _ if defined.contains(line) => elsewhere += 1,
                    Some(Meaning::Import) => imports.add(*file, *line),
                    Some(Meaning::Unresolved) => unresolved.add(*file, *line),
                    Some(Meaning::Other) => elsewhere += 1,
                    None => text.add(*file, *line),
                }
            }
        }
        Ok(OtherLines {
            name: self.scan.names.first().cloned().unwrap_or_default(),
            imports: self.listed(imports),
            unresolved: self.listed(unresolved),
            text: self.listed(text),
            elsewhere,
            complete: self.scan.complete,
        })
    }

    /// What the name stands for on each line of code in a file; the least certain meaning if there are several.
    fn lines_in_code(&self, file: FileId) -> Result<BTreeMap<u32, Meaning>, EngineError> {
        let mut lines = BTreeMap::new();
        for used in self.scan.uses(file) {
            let meaning = if used.kind == ReferenceKind::Import {
                Meaning::Import
            } else {
                let (targets, confidence) = self.symbols.targets_of(file, used)?;
                let is_sure = !targets.is_empty() && confidence <= Confidence::Likely;
                if is_sure { Meaning::Other } else { Meaning::Unresolved }
            };
            let known = lines.entry(used.line).or_insert(meaning);
            *known = (*known).max(meaning);
        }
        Ok(lines)
    }

    fn listed(&self, lines: LinesByFile) -> Vec<FileLines> {
        let tree = self.context.snapshot.files.tree();
        let list = |(file, lines): (FileId, BTreeSet<u32>)| FileLines {
            path: tree.path(file).to_owned(),
            lines: lines.into_iter().collect(),
        };
        lines.0.into_iter().map(list).collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meaning {
    /// Certainly another definition.
    Other,
    Import,
    Unresolved,
}

#[derive(Default)]
struct LinesByFile(BTreeMap<FileId, BTreeSet<u32>>);

impl LinesByFile {
    fn add(&mut self, file: FileId, line: u32) {
        self.0.entry(file).or_default().insert(line);
    }

    fn has(&self, file: FileId, line: u32) -> bool {
        self.0.get(&file).is_some_and(|lines| lines.contains(&line))
    }
}

/// A definition or a file, as nodes of a response name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CallSiteNode {
    path: String,
    /// The name without its scopes; empty for a file.
    name: String,
    line: Option<u32>,
}

impl CallSiteNode {
    fn of_node(node: &GraphNode) -> Self {
        match &node.path {
            Some(path) => {
                Self { path: path.clone(), name: bare_name(&node.name).to_owned(), line: node.line }
            }
            None => Self { path: node.name.clone(), name: String::new(), line: None },
        }
    }
}
