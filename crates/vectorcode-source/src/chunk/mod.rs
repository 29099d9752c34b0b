//! Cuts a file into chunks along its outline.
//!
//! **Invariant**: every non-blank line is in a chunk, and in one chunk only, except where a large piece without
//! structure is split (its parts overlap a little) or where a single line is larger than a chunk.
//! **Invariant**: no chunk is larger than [`MAX_BYTES`], and all begin and end on character boundaries.

mod cut;
mod pack;
mod piece;
mod split;
mod windows;

use vectorcode_core::{Chunk, ContentClass, Definition, FileFlags, chunk_id, content_hash};

use crate::extract::{Entry, signature};
use crate::lines::Lines;
pub(crate) use piece::Piece;

pub(crate) use windows::windows;

/// No chunk is larger.
pub(crate) const MAX_BYTES: usize = 2000;
/// A smaller piece joins a neighbour.
const MIN_BYTES: usize = 100;
/// Small pieces of one sort are gathered up to this size.
const RUN_BYTES: usize = 1000;
/// A top-level statement of this size is worth a chunk of its own.
const OWN_STATEMENT_BYTES: usize = 300;
/// What a large piece without structure is split into.
const SPLIT_BYTES: usize = 1500;
/// How much of one part the next repeats.
const OVERLAP_BYTES: usize = 100;

/// What every chunk of a file has in common.
pub(crate) struct FileFacts<'f> {
    pub path: &'f str,
    pub language: &'static str,
    pub class: ContentClass,
    pub flags: FileFlags,
}

/// The pieces of a file with an outline.
pub(crate) fn along_outline<'t>(lines: &Lines<'t>, outline: &[Entry<'t>]) -> Vec<Piece> {
    pack::pack(lines, outline)
}

/// The pieces of a file whose lines mean nothing.
pub(crate) fn by_characters(lines: &Lines<'_>) -> Vec<Piece> {
    cut::cut(lines.text, 0..lines.text.len()).into_iter().map(|bytes| Piece::of_bytes(lines, bytes)).collect()
}

/// Turns pieces into the chunks that are stored.
pub(crate) fn finish(
    pieces: Vec<Piece>,
    lines: &Lines<'_>,
    outline: &[Entry<'_>],
    definitions: &[Definition],
    facts: &FileFacts<'_>,
) -> Vec<Chunk> {
    let context = |index: usize| {
        let entry = &outline[index];
        signature(lines.text, entry.head..entry.bytes.end, entry.body)
    };
    let mut chunks: Vec<Chunk> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let bytes = piece.bytes(lines);
        let content = &lines.text[bytes.clone()];
        let owner = piece.owner.map(|index| &outline[index]);
        let definition = owner.and_then(|owner| definitions.get(owner.definition? as usize));
        chunks.push(Chunk {
            id: chunk_id(facts.path, bytes.clone()),
            path: facts.path.to_owned(),
            span: lines.span(&bytes),
            symbol: definition
                .map(|definition| definition.qualified.clone())
                .or_else(|| owner.and_then(|owner| owner.label).map(str::to_owned)),
            kind: owner.map_or(piece.fallback_kind, |owner| owner.kind).to_owned(),
            content: content.to_owned(),
            parent_context: piece.context.map(context).filter(|context| !context.is_empty()),
            language: facts.language.to_owned(),
            class: facts.class,
            is_test: facts.flags.test || owner.is_some_and(|owner| owner.is_test),
            content_hash: content_hash(content.as_bytes()),
        });
    }
    chunks
}
