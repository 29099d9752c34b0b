//! The uses of a symbol or a file, and what it uses, with the source lines.

use std::collections::HashMap;

use vectorcode_core::DefinitionKind;
use vectorcode_core::api::{
    GraphEdge, GraphNode, GraphResponse, NodeKind, ReferenceSite, ReferencesRequest, ReferencesResponse,
    SymbolHit,
};
use vectorcode_graph::queries::Direction;
use vectorcode_graph::{SymbolDefinition, SymbolId};
use vectorcode_store::{IndexReader, StoredChunk};

use super::target::Subject;
use super::{GraphContext, GraphQueries, with_graph_queries};
use crate::error::EngineError;

/// A source line is truncated to this many characters, so that it fits on one line of a list.
const MAX_TEXT: usize = 200;
/// The graph response also contains the requested symbols themselves, which are not part of the lists. More
/// definitions rarely share a name.
const ASKED_NODES: usize = 100;

pub(crate) fn references(
    context: &GraphContext<'_>,
    request: &ReferencesRequest,
) -> Result<ReferencesResponse, EngineError> {
    let limit = request.limit.saturating_add(ASKED_NODES);
    let mut response = with_graph_queries(context, limit, |queries| queries.references(request))?;
    response.incoming.truncate(request.limit);
    response.outgoing.truncate(request.limit);
    Ok(response)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Incoming,
    Outgoing,
}

impl GraphQueries<'_> {
    fn references(&self, request: &ReferencesRequest) -> Result<ReferencesResponse, EngineError> {
        let target = match request.line {
            Some(line) => self.symbol_at(&request.target, line)?,
            None => request.target.clone(),
        };
        let mut lines = SourceLines { reader: self.context.reader, chunks: HashMap::new() };
        match self.targets.any(&target)? {
            Subject::File(file) => {
                let path = self.context.snapshot.files.tree().path(file).to_owned();
                let incoming = self.files_around(&path, Direction::Backward, 1)?;
                let outgoing = self.files_around(&path, Direction::Forward, 1)?;
                response(path, Vec::new(), &incoming, &outgoing, &mut lines)
            }
            Subject::Symbols(found) => {
                let incoming = self.symbols_around(&target, Direction::Backward, 1)?;
                let outgoing = self.symbols_around(&target, Direction::Forward, 1)?;
                let definitions = self.definitions(&found.ids)?;
                let target = match definitions.as_slice() {
                    [only] => format!("{}#{}", only.path, only.qualified),
                    _ => target,
                };
                response(target, definitions, &incoming, &outgoing, &mut lines)
            }
        }
    }

    /// The innermost definition around a line as `path#name`, or the file itself if there is none.
    fn symbol_at(&self, path: &str, line: u32) -> Result<String, EngineError> {
        let file = self.targets.file(path)?;
        let path = self.context.snapshot.files.tree().path(file).to_owned();
        let is_around = |span: &vectorcode_core::Span| span.start_line <= line && line <= span.end_line;
        let can_be_used =
            |kind: DefinitionKind| !matches!(kind, DefinitionKind::Field | DefinitionKind::Section);
        let definitions = self.context.reader.definitions_of(&path)?;
        let around = definitions
            .iter()
            .map(|stored| &stored.definition)
            .filter(|definition| is_around(&definition.span) && can_be_used(definition.kind))
            .min_by_key(|definition| definition.span.byte_end - definition.span.byte_start);
        Ok(around.map_or_else(|| path.clone(), |definition| format!("{path}#{}", definition.qualified)))
    }

    fn definitions(&self, ids: &[SymbolId]) -> Result<Vec<SymbolHit>, EngineError> {
        let mut hits = Vec::new();
        for id in ids.iter().take(self.limit) {
            hits.extend(self.symbols.defined(*id)?.map(|defined| self.symbol_hit(defined)));
        }
        Ok(hits)
    }

    fn symbol_hit(&self, defined: SymbolDefinition) -> SymbolHit {
        let file = self.context.snapshot.files.tree().file(defined.id.file);
        let definition = defined.definition;
        SymbolHit {
            name: definition.name,
            qualified: definition.qualified,
            kind: definition.kind,
            signature: definition.signature,
            path: file.path.clone(),
            language: file.language.clone(),
            start_line: definition.span.start_line,
            end_line: definition.span.end_line,
            is_test: defined.is_test || file.is_test,
        }
    }
}

fn response(
    target: String,
    definitions: Vec<SymbolHit>,
    incoming: &GraphResponse,
    outgoing: &GraphResponse,
    lines: &mut SourceLines<'_>,
) -> Result<ReferencesResponse, EngineError> {
    // Notes that both directions have, such as that several symbols have the name, are shown once.
    let mut notes = incoming.notes.clone();
    notes.extend(outgoing.notes.iter().filter(|note| !incoming.notes.contains(note)).cloned());
    Ok(ReferencesResponse {
        target,
        definitions,
        incoming: sites(incoming, Side::Incoming, lines)?,
        incoming_total: others(incoming),
        outgoing: sites(outgoing, Side::Outgoing, lines)?,
        outgoing_total: others(outgoing),
        notes,
    })
}

/// The number of nodes other than the requested ones.
fn others(response: &GraphResponse) -> usize {
    response.total - response.nodes.iter().filter(|node| node.distance == 0).count()
}

/// The sites of one direction: external ones and tests last, certain ones first, then by place.
fn sites(
    response: &GraphResponse,
    side: Side,
    lines: &mut SourceLines<'_>,
) -> Result<Vec<ReferenceSite>, EngineError> {
    let mut sites = Vec::new();
    for edge in &response.edges {
        let (asked, other) = match side {
            Side::Incoming => (&response.nodes[edge.to], &response.nodes[edge.from]),
            Side::Outgoing => (&response.nodes[edge.from], &response.nodes[edge.to]),
        };
        if asked.distance == 0 && other.distance > 0 {
            sites.push(site(asked, other, edge, side, lines)?);
        }
    }
    sites.sort_by(|left, right| {
        let key = |site: &ReferenceSite| (site.node == NodeKind::External, site.is_test, site.confidence);
        key(left).cmp(&key(right)).then_with(|| (&left.path, left.line).cmp(&(&right.path, right.line)))
    });
    Ok(sites)
}

fn site(
    asked: &GraphNode,
    other: &GraphNode,
    edge: &GraphEdge,
    side: Side,
    lines: &mut SourceLines<'_>,
) -> Result<ReferenceSite, EngineError> {
    let use_line = edge.line.unwrap_or(1);
    let path = match other.kind {
        NodeKind::External => "",
        _ => other.path.as_deref().unwrap_or(&other.name),
    };
    let (line, text) = match (side, other.kind) {
        (Side::Incoming, _) => (use_line, lines.text(path, use_line)?),
        (Side::Outgoing, NodeKind::Symbol) => {
            let line = other.line.unwrap_or(1);
            (line, lines.text(path, line)?)
        }
        // The import statement says more than the first line of the imported file.
        (Side::Outgoing, _) => (1, lines.text(asked.path.as_deref().unwrap_or(&asked.name), use_line)?),
    };
    Ok(ReferenceSite {
        name: other.name.clone(),
        node: other.kind,
        kind: edge.kind,
        confidence: edge.confidence,
        path: path.to_owned(),
        line,
        text,
        is_test: other.is_test,
    })
}

/// Reads single lines of indexed files, each file once.
struct SourceLines<'a> {
    reader: &'a dyn IndexReader,
    chunks: HashMap<String, Vec<StoredChunk>>,
}

impl SourceLines<'_> {
    fn text(&mut self, path: &str, line: u32) -> Result<String, EngineError> {
        if !self.chunks.contains_key(path) {
            self.chunks.insert(path.to_owned(), self.reader.chunks_of(path)?);
        }
        let chunks = self.chunks.get(path).map_or(&[][..], Vec::as_slice);
        let text = chunks.iter().find_map(|stored| {
            let nth = line.checked_sub(stored.chunk.span.start_line)? as usize;
            stored.chunk.content.lines().nth(nth)
        });
        Ok(text.unwrap_or_default().trim().chars().take(MAX_TEXT).collect())
    }
}
