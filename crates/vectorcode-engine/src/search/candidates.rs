//! The candidates of a search: the best of each list, joined.
//!
//! Full text finds what is named, the static and the provider's vectors find what is meant, definitions find what is
//! called so. A chunk that one list found is compared by every other measure too. The store does all of it in one call.

use std::sync::Arc;

use vectorcode_store::{
    CandidateQuery, ChunkFilter, IndexReader, NameHit, NameMatch, NameQuery, StoredChunk, TextQuery, TextTerm,
};

use super::probe::Probe;
use crate::EngineError;

/// How deep each list is read. The measured loss of recall beyond it is small.
const LIST_DEPTH: usize = 100;
const DEFINITIONS_PER_NAME: usize = 20;
const DEFINITIONS_BY_WORDS: usize = 40;
/// Files that similar commits changed are candidates even where no list reaches them.
const VOTED_FILES: usize = 10;
const CHUNKS_PER_VOTED_FILE: usize = 3;

/// A chunk that some list proposed, with what the lists say of it.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub stored: Arc<StoredChunk>,
    /// BM25; 0 when the full-text list did not reach it.
    pub full_text: f32,
    /// Cosine to the query, by the static model.
    pub static_similarity: Option<f32>,
    /// Cosine to the query, by the provider's model.
    pub provider_similarity: Option<f32>,
    pub definition: DefinitionMatch,
}

/// How well a definition inside a chunk fits a name of the query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DefinitionMatch {
    /// Defines a name that the query writes out: 1, or less when its case differs.
    pub exact: f32,
    /// Defines a name made of words of the query.
    pub words: f32,
}

/// The union of all lists, ordered by path and position.
pub(crate) fn gather(
    reader: &dyn IndexReader,
    probe: &Probe,
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<Candidate>, EngineError> {
    let query = CandidateQuery {
        static_vector: probe.static_vector.clone(),
        provider_vector: probe.provider_vector.clone(),
        filter: filter.clone(),
        depth: LIST_DEPTH.max(limit),
        exclude: probe.itself,
        files: probe.votes.best_files(VOTED_FILES),
        per_file: CHUNKS_PER_VOTED_FILE,
        ..by_words(probe)
    };
    let found = reader.candidates(&query)?;
    Ok(found.into_iter().map(|found| candidate(found, probe)).collect())
}

/// The lists by words and by names: nothing where only meaning is asked for.
fn by_words(probe: &Probe) -> CandidateQuery {
    if !probe.uses.stage_one {
        return CandidateQuery::default();
    }
    let query = &probe.query;
    let words: Vec<String> = query.words.iter().map(|word| word.word.clone()).collect();
    let terms = words.iter().chain(&query.identifiers);
    let terms = terms.map(|word| TextTerm { word: word.clone(), prefix: false }).collect();
    let exact = query
        .identifiers
        .iter()
        .map(|name| NameQuery { name: NameMatch::Exact(name.clone()), limit: DEFINITIONS_PER_NAME });
    let mut names: Vec<NameQuery> = exact.collect();
    if !words.is_empty() {
        names.push(NameQuery { name: NameMatch::Words(words), limit: DEFINITIONS_BY_WORDS });
    }
    CandidateQuery { text: TextQuery { terms }, names, ..CandidateQuery::default() }
}

fn candidate(found: vectorcode_store::Candidate, probe: &Probe) -> Candidate {
    Candidate {
        definition: definition_match(&found.names, probe),
        stored: found.chunk,
        full_text: found.full_text,
        static_similarity: found.static_similarity,
        provider_similarity: found.provider_similarity,
    }
}

/// Names of the query come in the order of its identifiers; after them, the one made of its words.
fn definition_match(hits: &[NameHit], probe: &Probe) -> DefinitionMatch {
    let mut known = DefinitionMatch::default();
    for hit in hits {
        match probe.query.identifiers.get(hit.query) {
            Some(name) => known.exact = known.exact.max(if hit.name == *name { 1.0 } else { 0.6 }),
            None => known.words = known.words.max(hit.score),
        }
    }
    known
}
