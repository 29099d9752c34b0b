//! Who may be an answer: the best of each list, joined.
//!
//! Full text finds what is named, the static and the provider's vectors find what is meant, definitions find what is
//! called so. A chunk that one list found is compared by every other measure too.

use std::collections::HashMap;
use std::sync::Arc;

use vectorcode_store::{
    ChunkFilter, ChunkRow, IndexReader, NameMatch, Scored, Stage, StoredChunk, TextQuery, TextTerm,
};

use super::probe::Probe;
use crate::EngineError;

/// How deep each list is read. The measured loss of recall beyond it is small.
const LIST_DEPTH: usize = 100;
const DEFINITIONS_PER_NAME: usize = 20;
const DEFINITIONS_BY_WORDS: usize = 40;

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

/// The union of all lists, in the order of their rows.
pub(crate) fn gather(
    reader: &dyn IndexReader,
    probe: &Probe,
    filter: &ChunkFilter,
    limit: usize,
) -> Result<Vec<Candidate>, EngineError> {
    let depth = LIST_DEPTH.max(limit);
    let mut pool = Pool::default();
    if probe.uses.stage_one {
        pool.add_full_text(&full_text(reader, probe, filter, depth)?);
        pool.add_definitions(reader, probe, filter)?;
        if let Some(vector) = &probe.static_vector {
            pool.add_rows(&reader.nearest(Stage::Static, vector, filter, depth)?);
        }
    }
    if let Some(vector) = &probe.provider_vector {
        pool.add_rows(&reader.nearest(Stage::Provider, vector, filter, depth)?);
    }
    if let Some(row) = probe.itself {
        pool.found.remove(&row);
    }
    pool.into_candidates(reader, probe)
}

fn full_text(
    reader: &dyn IndexReader,
    probe: &Probe,
    filter: &ChunkFilter,
    depth: usize,
) -> Result<Vec<Scored>, EngineError> {
    let words = probe.query.words.iter().map(|word| &word.word);
    let terms: Vec<TextTerm> = words
        .chain(&probe.query.identifiers)
        .map(|word| TextTerm { word: word.clone(), prefix: false })
        .collect();
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    Ok(reader.full_text(&TextQuery { terms }, filter, depth)?)
}

/// What the lists said, by row.
#[derive(Default)]
struct Pool {
    found: HashMap<ChunkRow, Found>,
}

#[derive(Clone, Copy, Default)]
struct Found {
    full_text: f32,
    definition: DefinitionMatch,
}

impl Pool {
    fn add_full_text(&mut self, list: &[Scored]) {
        for scored in list {
            self.found.entry(scored.row).or_default().full_text = scored.score;
        }
    }

    fn add_rows(&mut self, list: &[Scored]) {
        for scored in list {
            self.found.entry(scored.row).or_default();
        }
    }

    fn add_definitions(
        &mut self,
        reader: &dyn IndexReader,
        probe: &Probe,
        filter: &ChunkFilter,
    ) -> Result<(), EngineError> {
        for name in &probe.query.identifiers {
            let wanted = NameMatch::Exact(name.clone());
            for found in reader.defining_chunks(&wanted, filter, DEFINITIONS_PER_NAME)? {
                let exact = if found.name == *name { 1.0 } else { 0.6 };
                let known = &mut self.found.entry(found.row).or_default().definition;
                known.exact = known.exact.max(exact);
            }
        }
        let words: Vec<String> = probe.query.words.iter().map(|word| word.word.clone()).collect();
        if words.is_empty() {
            return Ok(());
        }
        for found in reader.defining_chunks(&NameMatch::Words(words), filter, DEFINITIONS_BY_WORDS)? {
            let known = &mut self.found.entry(found.row).or_default().definition;
            known.words = known.words.max(found.score);
        }
        Ok(())
    }

    /// Loads every chunk and compares it by both models, whichever list it came from.
    fn into_candidates(self, reader: &dyn IndexReader, probe: &Probe) -> Result<Vec<Candidate>, EngineError> {
        let mut rows: Vec<ChunkRow> = self.found.keys().copied().collect();
        rows.sort_unstable();
        let stored = reader.chunks(&rows)?;
        let rows: Vec<ChunkRow> = stored.iter().map(|chunk| chunk.row).collect();
        let compare = |stage, vector: &Option<Vec<f32>>| match vector {
            Some(vector) => reader.similarities(stage, vector, &rows),
            None => Ok(vec![None; rows.len()]),
        };
        let by_static = compare(Stage::Static, &probe.static_vector)?;
        let by_provider = compare(Stage::Provider, &probe.provider_vector)?;
        let similarities = by_static.into_iter().zip(by_provider);
        Ok(stored
            .into_iter()
            .zip(similarities)
            .map(|(stored, (static_similarity, provider_similarity))| {
                let Found { full_text, definition } = self.found[&stored.row];
                Candidate { stored, full_text, static_similarity, provider_similarity, definition }
            })
            .collect())
    }
}
