//! Candidates and queries for unit tests.

use std::ops::RangeInclusive;
use std::sync::Arc;

use vectorcode_core::api::Coverage;
use vectorcode_core::{Chunk, ContentClass, FileFlags, Span};
use vectorcode_store::{ChunkFacts, ChunkRow, StoredChunk};

use super::candidates::{Candidate, DefinitionMatch};
use super::probe::{Probe, Uses};
use super::query::Query;
use crate::history::Votes;

/// A query for stage one, without vectors.
pub(crate) fn probe(text: &str) -> Probe {
    Probe {
        query: Query::parse(text),
        uses: Uses { stage_one: true, stage_two: false },
        static_vector: None,
        provider_vector: None,
        parts: Vec::new(),
        itself: Vec::new(),
        is_code: false,
        votes: Votes::default(),
        coverage: Coverage::default(),
        notes: Vec::new(),
    }
}

pub(crate) fn candidate(path: &str, symbol: &str, lines: RangeInclusive<u32>, content: &str) -> Candidate {
    let byte_start = lines.start() * 100;
    let byte_end = byte_start + content.len() as u32;
    let span = Span { start_line: *lines.start(), end_line: *lines.end(), byte_start, byte_end };
    let chunk = Chunk {
        path: path.into(),
        span,
        symbol: Some(symbol.into()),
        kind: "function_item".into(),
        further_kinds: Vec::new(),
        content: content.into(),
        parent_context: None,
        language: "rust".into(),
        class: ContentClass::Code,
        is_test: false,
    };
    let stored = StoredChunk { row: ChunkRow(0), chunk, flags: FileFlags::default() };
    Candidate {
        chunk: Arc::new(ChunkFacts::of(&stored)),
        text: Some(Arc::new(stored)),
        full_text: 0.0,
        static_similarity: None,
        provider_similarity: None,
        parts: Vec::new(),
        definition: DefinitionMatch::default(),
        pointed_at: None,
    }
}
