//! The parts of a search that both backends share: preparing the query, collecting proposals, and building candidates.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::chunk_attributes::CompiledFilter;
use super::fulltext::{self, Scores};
use super::stage::Stage;
use super::vectors::QueryVector;
use crate::contract::{
    Candidate, CandidateQuery, ChunkFacts, ChunkFilter, ChunkRow, NameHit, PartScores, Result, TextQuery,
};

/// A query whose filters, words and vectors are ready to be compared with the index.
pub(crate) struct PreparedQuery<'q> {
    pub query: &'q CandidateQuery,
    pub filter: Option<CompiledFilter>,
    /// The same filter without kinds: for names, the kind is that of the definition, not that of the chunk.
    pub filter_of_names: Option<CompiledFilter>,
    /// The whole question first, then its parts.
    pub parts: Vec<PreparedPart>,
}

/// The words and vectors of the question, or of one part of it.
pub(crate) struct PreparedPart {
    pub text: fulltext::Query,
    pub vectors: Vec<(Stage, QueryVector)>,
}

impl PreparedPart {
    fn new(text: &TextQuery, by_static: Option<&[f32]>, by_provider: Option<&[f32]>) -> Self {
        let vectors = [(Stage::Static, by_static), (Stage::Provider, by_provider)];
        let vectors = vectors.into_iter().filter_map(|(stage, vector)| Some((stage, vector?)));
        Self {
            text: fulltext::Query::new(text),
            vectors: vectors.map(|(stage, vector)| (stage, QueryVector::new(vector))).collect(),
        }
    }

    pub fn vector(&self, wanted: Stage) -> Option<&QueryVector> {
        self.vectors.iter().find(|(stage, _)| *stage == wanted).map(|(_, vector)| vector)
    }
}

impl<'q> PreparedQuery<'q> {
    pub fn new(query: &'q CandidateQuery) -> Result<Self> {
        let whole =
            PreparedPart::new(&query.text, query.static_vector.as_deref(), query.provider_vector.as_deref());
        let parts = query.parts.iter().map(|part| {
            PreparedPart::new(&part.text, part.static_vector.as_deref(), part.provider_vector.as_deref())
        });
        Ok(Self {
            query,
            filter: CompiledFilter::new(&query.filter)?,
            filter_of_names: CompiledFilter::new(&ChunkFilter { kinds: Vec::new(), ..query.filter.clone() })?,
            parts: std::iter::once(whole).chain(parts).collect(),
        })
    }

    /// The vectors of a stage, for the question and its parts.
    pub fn vectors(&self, stage: Stage) -> Vec<&QueryVector> {
        self.parts.iter().filter_map(|part| part.vector(stage)).collect()
    }

    /// The vector by which the chunks of a file are ordered.
    pub fn first_vector(&self) -> Option<&(Stage, QueryVector)> {
        self.parts.first().and_then(|whole| whole.vectors.first())
    }
}

/// The chunks that the lists propose.
#[derive(Default)]
pub(crate) struct ProposedChunks {
    /// For each proposed row, the queried names that it defines.
    pub found: FxHashMap<ChunkRow, Vec<NameHit>>,
    /// The full-text scores of the question and its parts.
    pub full_text: Vec<Scores>,
}

impl ProposedChunks {
    pub fn propose(&mut self, row: ChunkRow) -> &mut Vec<NameHit> {
        self.found.entry(row).or_default()
    }

    pub fn add(&mut self, rows: impl IntoIterator<Item = ChunkRow>) {
        for row in rows {
            self.propose(row);
        }
    }
}

/// Rows by descending similarity, those without a vector last. The sort is stable: ties stay in file order.
pub(crate) fn nearest_first(rows: Vec<ChunkRow>, similarities: Vec<Option<f32>>) -> Vec<ChunkRow> {
    let mut best: Vec<(ChunkRow, Option<f32>)> = rows.into_iter().zip(similarities).collect();
    best.sort_by(|one, other| other.1.unwrap_or(-1.0).total_cmp(&one.1.unwrap_or(-1.0)));
    best.into_iter().map(|(row, _)| row).collect()
}

/// Builds a candidate. `scores` has those of the question first, then those of its parts.
pub(crate) fn candidate(chunk: Arc<ChunkFacts>, scores: &[PartScores], names: Vec<NameHit>) -> Candidate {
    let PartScores { full_text, static_similarity, provider_similarity } = scores[0];
    Candidate { chunk, full_text, static_similarity, provider_similarity, parts: scores[1..].to_vec(), names }
}

/// The sort key of candidates. Row ids would not do: they depend on the order of edits, and so would the ranking of ties.
pub(crate) fn location(chunk: &ChunkFacts) -> (Arc<str>, u32, u32) {
    (Arc::clone(&chunk.path), chunk.span.byte_start, chunk.span.byte_end)
}
