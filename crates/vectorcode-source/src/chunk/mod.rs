//! Splits a file into chunks along its outline.
//!
//! **Invariant**: every non-blank line is in exactly one chunk. There are two exceptions: the parts of a large piece
//! without structure overlap slightly, and a line that is larger than a chunk is cut into several.
//! **Invariant**: no chunk is larger than [`MAX_BYTES`], and all chunks start and end on character boundaries.

mod cut;
mod pack;
mod piece;
mod split;
mod windows;

use std::collections::BTreeSet;
use std::ops::Range;

use vectorcode_core::{Chunk, ContentClass, Definition, FileFlags};

use crate::extract::{Entry, signature};
use crate::lines::Lines;
pub(crate) use piece::Piece;

pub(crate) use windows::windows;

/// Maximum size of a chunk.
pub(crate) const MAX_BYTES: usize = 2000;
/// Minimum size of a piece. A smaller piece is merged with a neighbour.
const MIN_BYTES: usize = 100;
/// Maximum size of a run of small pieces of the same sort.
const RUN_BYTES: usize = 1000;
/// Minimum size of a top-level statement that gets its own chunk.
const OWN_STATEMENT_BYTES: usize = 300;
/// Target size of the parts that a large piece without structure is split into.
const SPLIT_BYTES: usize = 1500;
/// Maximum overlap of two consecutive parts.
const OVERLAP_BYTES: usize = 100;

/// The properties that all chunks of a file share.
pub(crate) struct FileFacts<'f> {
    pub path: &'f str,
    pub language: &'static str,
    pub class: ContentClass,
    pub flags: FileFlags,
}

/// Splits a file that has an outline.
pub(crate) fn along_outline(lines: &Lines<'_>, outline: &[Entry]) -> Vec<Piece> {
    pack::pack(lines, outline)
}

/// Splits a file whose lines are not meaningful, such as minified code.
pub(crate) fn by_characters(lines: &Lines<'_>) -> Vec<Piece> {
    by_characters_of(lines, std::iter::once(0..lines.text.len()))
}

/// Splits each range on its own.
pub(crate) fn by_characters_of(lines: &Lines<'_>, ranges: impl Iterator<Item = Range<usize>>) -> Vec<Piece> {
    ranges.flat_map(|range| cut::cut(lines.text, range)).map(|bytes| Piece::of_bytes(lines, bytes)).collect()
}

/// Converts pieces to the chunks that the index stores.
pub(crate) struct Finisher<'f, 't> {
    pub lines: &'f Lines<'t>,
    pub outline: &'f [Entry],
    pub definitions: &'f [Definition],
    pub facts: &'f FileFacts<'f>,
}

impl Finisher<'_, '_> {
    pub fn chunk(&self, piece: &Piece) -> Chunk {
        let bytes = piece.bytes(self.lines);
        let content = &self.lines.text[bytes.clone()];
        let owner = piece.owner.map(|index| &self.outline[index]);
        let kind = owner.map_or(piece.fallback_kind, |owner| owner.kind);
        Chunk {
            path: self.facts.path.to_owned(),
            span: self.lines.span(&bytes),
            symbol: owner.and_then(|owner| self.symbol(owner)),
            kind: kind.to_owned(),
            further_kinds: self.further_kinds(&bytes, kind),
            content: content.to_owned(),
            parent_context: piece.context.and_then(|index| self.signature(&self.outline[index])),
            language: self.facts.language.to_owned(),
            class: self.facts.class,
            is_test: self.facts.flags.test || owner.is_some_and(|owner| owner.is_test),
        }
    }

    /// The kinds of all named items that start in this range, and of the nodes that wrap them.
    fn further_kinds(&self, bytes: &Range<usize>, kind: &str) -> Vec<String> {
        let first = self.outline.partition_point(|entry| entry.bytes.start < bytes.start);
        let inside = self.outline[first..].iter().take_while(|entry| entry.bytes.start < bytes.end);
        let named = inside.filter(|entry| entry.is_named());
        let kinds = named.flat_map(|entry| entry.wrappers.into_iter().flatten().chain([entry.kind]));
        let kinds: BTreeSet<&str> = kinds.filter(|other| *other != kind).collect();
        kinds.into_iter().map(str::to_owned).collect()
    }

    fn symbol(&self, owner: &Entry) -> Option<String> {
        let definition = owner.definition.and_then(|index| self.definitions.get(index as usize));
        let label = || self.lines.text.get(owner.label.clone()?).map(str::to_owned);
        definition.map(|definition| definition.qualified.clone()).or_else(label)
    }

    fn signature(&self, entry: &Entry) -> Option<String> {
        let line = signature(self.lines.text, entry.head..entry.bytes.end, entry.body);
        (!line.is_empty()).then_some(line)
    }
}
