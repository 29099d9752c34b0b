//! Merges adjacent chunks of one item into one hit: a reader wants the whole function, not its halves.

use std::slice;

use rustc_hash::{FxBuildHasher, FxHashMap};
use vectorcode_core::Chunk;
use vectorcode_store::ChunkFacts;

use super::candidates::Candidate;
use super::ranking::Ranked;

/// Merging stops at this many lines. A longer hit would fill a terminal or an agent's context with one result.
const MAX_LINES: u32 = 160;

/// The chunks of one hit: the best one and those merged with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// The best chunk.
    pub best: Ranked,
    /// All chunks, if there are several. Empty otherwise, to save memory: most chunks of a large pool stay alone.
    several: Vec<usize>,
    /// The best chunks of groups with the same code in other files.
    pub copies: Vec<usize>,
}

impl Group {
    pub fn alone(best: Ranked) -> Self {
        Self { best, several: Vec::new(), copies: Vec::new() }
    }

    /// Indexes into the pool, in file order, including the best chunk.
    pub fn members(&self) -> &[usize] {
        if self.several.is_empty() { slice::from_ref(&self.best.index) } else { &self.several }
    }

    /// Adds a chunk at its position in the file.
    fn insert(&mut self, index: usize, pool: &[Candidate]) {
        if self.several.is_empty() {
            self.several.push(self.best.index);
        }
        let start = |index: usize| pool[index].chunk.span.byte_start;
        let place = self.several.iter().take_while(|member| start(**member) < start(index)).count();
        self.several.insert(place, index);
    }
}

/// The groups of one item, by index: nearly always one, which needs no allocation.
#[derive(Default)]
struct Places {
    first: Option<usize>,
    others: Vec<usize>,
}

impl Places {
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.first.iter().chain(&self.others).copied()
    }

    fn add(&mut self, place: usize) {
        match self.first {
            None => self.first = Some(place),
            Some(_) => self.others.push(place),
        }
    }
}

/// Folds each candidate into the first earlier group that it continues; the others keep their order.
pub(crate) fn merge(ordered: &[Ranked], pool: &[Candidate]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(ordered.len());
    // Indexed by item: comparing each of a thousand chunks with all groups would take longer than ranking them.
    let mut of_item: FxHashMap<(&str, &str), Places> =
        FxHashMap::with_capacity_and_hasher(ordered.len(), FxBuildHasher);
    for ranked in ordered {
        let chunk = &pool[ranked.index].chunk;
        let Some(symbol) = &chunk.symbol else {
            groups.push(Group::alone(*ranked));
            continue;
        };
        let places = of_item.entry((&chunk.path, symbol)).or_default();
        let continued = places.iter().find(|place| continues(&groups[*place], chunk, pool));
        if let Some(place) = continued {
            groups[place].insert(ranked.index, pool);
        } else {
            places.add(groups.len());
            groups.push(Group::alone(*ranked));
        }
    }
    groups
}

/// Whether `chunk`, which belongs to the group's item, touches the group.
fn continues(group: &Group, chunk: &ChunkFacts, pool: &[Candidate]) -> bool {
    let (first, last) = ends(group, pool);
    let touches =
        chunk.span.start_line <= last.span.end_line + 1 && first.span.start_line <= chunk.span.end_line + 1;
    let start = first.span.start_line.min(chunk.span.start_line);
    touches && last.span.end_line.max(chunk.span.end_line) - start < MAX_LINES
}

fn ends<'p>(group: &Group, pool: &'p [Candidate]) -> (&'p ChunkFacts, &'p ChunkFacts) {
    let chunk = |index: Option<&usize>| &*pool[*index.unwrap_or(&group.best.index)].chunk;
    (chunk(group.members().first()), chunk(group.members().last()))
}

/// The text of adjacent chunks in file order. Between them the file contains nothing but line breaks.
pub(crate) fn joined_text<'c>(chunks: impl Iterator<Item = &'c Chunk>) -> String {
    let mut text = String::new();
    let mut end: Option<(u32, u32)> = None;
    for chunk in chunks {
        let span = chunk.span;
        let mut content = chunk.content.as_str();
        if let Some((byte_end, line_end)) = end {
            if span.byte_start < byte_end {
                let overlap = (byte_end - span.byte_start) as usize;
                content = content.get(overlap.min(content.len())..).unwrap_or(content);
            } else if span.start_line > line_end && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text.push_str(content);
        end = Some((span.byte_end, span.end_line));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::candidate;

    fn ranked(count: usize) -> Vec<Ranked> {
        (0..count).map(|index| Ranked { index, relevance: 10.0 - index as f32 }).collect()
    }

    #[test]
    fn halves_of_one_function_are_one_hit() {
        let pool = [
            candidate("a.rs", "run", 11..=20, "second\n"),
            candidate("b.rs", "other", 1..=5, "other\n"),
            candidate("a.rs", "run", 1..=10, "first\n"),
        ];
        let groups = merge(&ranked(3), &pool);
        assert_eq!(
            groups.iter().map(|group| group.members().to_vec()).collect::<Vec<_>>(),
            [vec![2, 0], vec![1]]
        );
        let text = |index: &usize| pool[*index].text.as_ref().map(|text| &text.chunk);
        let text = joined_text(groups[0].members().iter().filter_map(text));
        assert_eq!(text, "first\nsecond\n");
    }

    #[test]
    fn neighbours_with_other_names_stay_apart() {
        let pool = [candidate("a.rs", "run", 1..=10, "x"), candidate("a.rs", "stop", 11..=20, "y")];
        assert_eq!(merge(&ranked(2), &pool).len(), 2);
    }
}
