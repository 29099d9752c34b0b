//! Folds nodes of a graph result into a list of files and lines: nodes found only by name (of 168 callers of a method with a
//! common name, eleven were real), and tests that a change reaches (most of an `impact` result).

use std::collections::{BTreeMap, BTreeSet};

use vectorcode_core::api::{Confidence, FileLines, GraphEdge, GraphResponse};

use super::other_lines::first_places;

/// Up to this many are not folded.
const FEW: usize = 3;

/// Folded nodes: a title, their number, and their lines by file.
#[derive(Debug)]
pub(super) struct FoldedNodes {
    title: &'static str,
    count: usize,
    places: BTreeMap<String, BTreeSet<u32>>,
}

impl FoldedNodes {
    /// Removes nodes that are only guesses from the response, unless there are few.
    pub(super) fn guesses(response: &mut GraphResponse) -> Option<Self> {
        Self::fold(response, "Guesses by name alone", is_guess)
    }

    /// Removes the tests from the response, unless there are few.
    pub(super) fn tests(response: &mut GraphResponse) -> Option<Self> {
        let is_test = |response: &GraphResponse, at: usize| {
            let node = &response.nodes[at];
            node.is_test && node.distance > 0
        };
        Self::fold(response, "Tests that reach it", is_test)
    }

    fn fold(
        response: &mut GraphResponse,
        title: &'static str,
        is_folded: impl Fn(&GraphResponse, usize) -> bool,
    ) -> Option<Self> {
        let is_folded: Vec<bool> = (0..response.nodes.len()).map(|at| is_folded(response, at)).collect();
        let count = is_folded.iter().filter(|folded| **folded).count();
        if count <= FEW {
            return None;
        }
        let mut folded = Self { title, count, places: BTreeMap::new() };
        folded.add_places(response, &is_folded);
        let mut places = Vec::with_capacity(is_folded.len());
        let mut kept = Vec::new();
        for (node, is_folded) in response.nodes.drain(..).zip(&is_folded) {
            places.push((!is_folded).then_some(kept.len()));
            if !is_folded {
                kept.push(node);
            }
        }
        response.nodes = kept;
        let edges = std::mem::take(&mut response.edges).into_iter();
        response.edges = edges
            .filter_map(|edge| Some(GraphEdge { from: places[edge.from]?, to: places[edge.to]?, ..edge }))
            .collect();
        Some(folded)
    }

    /// One line of text, with at most `max_lines` line numbers for each file.
    pub(super) fn line(&self, max_lines: usize, max_tokens: usize) -> String {
        let files = self.places.iter();
        let files: Vec<FileLines> = files
            .map(|(path, lines)| FileLines { path: path.clone(), lines: lines.iter().copied().collect() })
            .collect();
        let shown = first_places(&files, max_lines, max_tokens);
        format!("\n\n{}, {} in {} files: {shown}", self.title, self.count, files.len())
    }

    /// Adds the lines of the uses, or the line of the definition if the edge leads to it.
    fn add_places(&mut self, response: &GraphResponse, is_folded: &[bool]) {
        for edge in &response.edges {
            let Some(at) = [edge.from, edge.to].into_iter().find(|end| is_folded[*end]) else { continue };
            let node = &response.nodes[at];
            let lines =
                self.places.entry(node.path.clone().unwrap_or_else(|| node.name.clone())).or_default();
            if edge.from != at {
                lines.extend(node.line);
            } else if edge.uses.is_empty() {
                lines.extend(edge.line);
            } else {
                lines.extend(edge.uses.iter().map(|site| site.line));
            }
        }
    }
}

fn is_guess(response: &GraphResponse, at: usize) -> bool {
    let mut edges = response.edges.iter().filter(|edge| edge.from == at || edge.to == at).peekable();
    response.nodes[at].distance > 0
        && edges.peek().is_some()
        && edges.all(|edge| edge.confidence == Confidence::Guess)
}
