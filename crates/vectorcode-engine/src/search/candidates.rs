//! Collects the candidates of a search: the top of each list, merged.
//!
//! Full text finds words, the static and the provider vectors find meaning, definitions find names. A chunk found by
//! one list is also scored by all the others. The store does all of this in one call.

use std::collections::HashMap;
use std::sync::Arc;

use vectorcode_store::{
    CandidateQuery, ChunkFacts, ChunkFilter, ChunkRow, IndexReader, NameHit, NameMatch, NameQuery, PartQuery,
    PartScores, StoredChunk, TextQuery, TextTerm,
};

use super::probe::{CODE, Probe, TITLE};
use super::query::{Query, WrittenName};
use super::question::{Mention, MentionKind, PathParts};
use super::{Depth, SearchContext, pointed};
use crate::error::EngineError;

/// How many entries of each list are read. It does not depend on the requested number of hits, so that the ranking
/// does not change with it.
const LIST_DEPTH: usize = 300;
/// The same for [`Depth::Glance`].
const GLANCE_DEPTH: usize = 40;
const DEFINITIONS_PER_NAME: usize = 20;
const DEFINITIONS_BY_WORDS: usize = 40;
/// How many files that the query names by path, or that similar commits changed, become candidates even if no list
/// contains them.
const NAMED_FILES: usize = 8;
const VOTED_FILES: usize = 10;
const CHUNKS_PER_FILE: usize = 3;
/// How many texts are read and compared with a query that contains no quotes.
const COMPARED_TEXTS: usize = 150;

/// A chunk from at least one list, with its score in each of them.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub chunk: Arc<ChunkFacts>,
    /// Its text, where the query is compared with the literal text.
    pub text: Option<Arc<StoredChunk>>,
    /// BM25; 0 if it has none of the words.
    pub full_text: f32,
    /// Cosine similarity to the query, by the static model.
    pub static_similarity: Option<f32>,
    /// Cosine similarity to the query, by the provider's model.
    pub provider_similarity: Option<f32>,
    /// The same scores for each part of a report; empty for a short query.
    pub parts: Vec<PartScores>,
    pub definition: DefinitionMatch,
    /// Set if the query names its line, or the function in it: the rank among such places in the file, 0 for the
    /// first.
    pub pointed_at: Option<usize>,
}

impl Candidate {
    /// Whether its text contains exactly these characters.
    pub fn holds(&self, literal: &str) -> bool {
        self.text.as_ref().is_some_and(|text| text.chunk.content.contains(literal))
    }
}

/// Which names in the query a chunk defines.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DefinitionMatch {
    /// The names written out in the query, each as an index into [`Query::names`] with how well the definition
    /// matches: 1, or less if only the case differs.
    pub names: Vec<(usize, f32)>,
    /// The same for [`Query::qualified`].
    pub qualified: Vec<(usize, f32)>,
    /// How well it defines a name made of words of the query.
    pub words: f32,
}

/// The match for a name in other case: `Session` is the class and not `session()`.
const OTHER_CASE: f32 = 0.3;

/// The union of all lists, ordered by path and position.
pub(crate) fn gather(
    context: &SearchContext<'_>,
    probe: &Probe,
    filter: &ChunkFilter,
) -> Result<Vec<Candidate>, EngineError> {
    let reader = context.reader;
    let named = named_files(reader, &probe.query)?;
    let pointed_at = match context.depth {
        Depth::Whole => {
            let files: Vec<&str> = named.iter().map(|(_, path)| path.as_str()).collect();
            pointed::rows(reader, &probe.query, &files)?
        }
        Depth::Glance => HashMap::new(),
    };
    let meant = named.into_iter().filter(|(likeness, _)| *likeness > 0.5).map(|(_, path)| path);
    let query = CandidateQuery {
        static_vector: probe.static_vector.clone(),
        provider_vector: probe.provider_vector.clone(),
        parts: parts(probe),
        filter: filter.clone(),
        depth: match context.depth {
            Depth::Whole => LIST_DEPTH,
            Depth::Glance => GLANCE_DEPTH,
        },
        exclude: probe.itself.clone(),
        files: meant.chain(probe.votes.best_files(VOTED_FILES)).collect(),
        rows: pointed_at
            .keys()
            .chain(context.matched.iter().flat_map(|matched| &matched.rows))
            .copied()
            .collect(),
        per_file: CHUNKS_PER_FILE,
        ..by_words(probe)
    };
    let mut found = reader.candidates(&query)?;
    if let Some(matched) = context.matched {
        found.retain(|candidate| matched.rows.contains(&candidate.chunk.row));
    }
    let mut pool: Vec<Candidate> = found.into_iter().map(|found| candidate(found, probe)).collect();
    for candidate in &mut pool {
        candidate.pointed_at = pointed_at.get(&candidate.chunk.row).copied();
    }
    if context.depth == Depth::Whole && probe.uses.stage_one && !probe.is_code {
        load_texts(reader, &mut pool, &probe.query)?;
    }
    Ok(pool)
}

/// Loads the texts to be compared with the query literally: those of all candidates if the query quotes something,
/// otherwise those that share most words with it. If a chunk no longer exists, its text stays `None`.
fn load_texts(reader: &dyn IndexReader, pool: &mut [Candidate], query: &Query) -> Result<(), EngineError> {
    let mut wanted: Vec<usize> = (0..pool.len()).collect();
    if !query.quotes() && pool.len() > COMPARED_TEXTS {
        let shared = |index: &usize| pool[*index].full_text;
        let most_first =
            |one: &usize, other: &usize| shared(other).total_cmp(&shared(one)).then(one.cmp(other));
        wanted.select_nth_unstable_by(COMPARED_TEXTS, most_first);
        wanted.truncate(COMPARED_TEXTS);
    }
    let texts = texts_of(reader, wanted.iter().map(|index| &pool[*index]))?;
    wanted.into_iter().zip(texts).for_each(|(index, text)| pool[index].text = text);
    Ok(())
}

/// The texts that models read for some candidates; empty for chunks that no longer exist.
pub(crate) fn embedding_texts(
    reader: &dyn IndexReader,
    pool: &[Candidate],
    wanted: &[usize],
) -> Result<Vec<String>, EngineError> {
    let texts = texts_of(reader, wanted.iter().map(|index| &pool[*index]))?;
    let read = |text: Option<Arc<StoredChunk>>| text.map(|text| text.chunk.embedding_text());
    Ok(texts.into_iter().map(|text| read(text).unwrap_or_default()).collect())
}

/// One entry per candidate; `None` for one that no longer exists.
fn texts_of<'c>(
    reader: &dyn IndexReader,
    candidates: impl Iterator<Item = &'c Candidate>,
) -> Result<Vec<Option<Arc<StoredChunk>>>, EngineError> {
    let rows: Vec<ChunkRow> = candidates.map(|candidate| candidate.chunk.row).collect();
    let mut found = reader.chunks(&rows)?.into_iter().peekable();
    Ok(rows.iter().map(|row| found.next_if(|text| text.row == *row)).collect())
}

/// Files whose names match those in the query, the surest match first; ties in the order of the query.
fn named_files(reader: &dyn IndexReader, query: &Query) -> Result<Vec<(f32, String)>, EngineError> {
    let files: Vec<&Mention> =
        query.mentions.iter().filter(|mention| mention.kind != MentionKind::Module).collect();
    let last: Vec<&str> = files.iter().filter_map(|file| file.segments.last()).map(String::as_str).collect();
    let paths = if last.is_empty() { Vec::new() } else { reader.paths_named(&last)? };
    let likest = |path: &str| {
        let parts = PathParts::of(path);
        let likeness = files.iter().map(|file| file.likeness(&parts)).enumerate();
        likeness.rev().max_by(|left, right| left.1.total_cmp(&right.1)).unwrap_or_default()
    };
    let mut named: Vec<((usize, f32), String)> =
        paths.into_iter().map(|path| (likest(&path), path)).collect();
    named.sort_by(|(left, _), (right, _)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    named.truncate(NAMED_FILES);
    Ok(named.into_iter().map(|((_, likeness), path)| (likeness, path)).collect())
}

/// The word and name lists; empty for a purely semantic search.
fn by_words(probe: &Probe) -> CandidateQuery {
    if !probe.uses.stage_one {
        return CandidateQuery::default();
    }
    let query = &probe.query;
    let words: Vec<String> = query.words.iter().map(|word| word.word.clone()).collect();
    let compounds = query.joined.iter().map(|joined| &joined.word).chain(&query.halves);
    let text = text_query(words.iter().chain(texts(&query.names)).chain(compounds));
    let exact = texts(&query.names)
        .chain(texts(&query.qualified))
        .map(|name| NameQuery { name: NameMatch::Exact(name.clone()), limit: DEFINITIONS_PER_NAME });
    let mut names: Vec<NameQuery> = exact.collect();
    if !words.is_empty() {
        names.push(NameQuery { name: NameMatch::Words(words), limit: DEFINITIONS_BY_WORDS });
    }
    CandidateQuery { text, names, ..CandidateQuery::default() }
}

fn texts(names: &[WrittenName]) -> impl Iterator<Item = &String> {
    names.iter().map(|name| &name.text)
}

fn text_query<'w>(words: impl Iterator<Item = &'w String>) -> TextQuery {
    TextQuery { terms: words.map(|word| TextTerm { word: word.clone(), prefix: false }).collect() }
}

/// One query for each part of a report.
fn parts(probe: &Probe) -> Vec<PartQuery> {
    let mut parts: Vec<PartQuery> = probe
        .parts
        .iter()
        .map(|part| PartQuery {
            text: TextQuery::default(),
            static_vector: part.by_static.clone(),
            provider_vector: part.by_provider.clone(),
        })
        .collect();
    if let (true, Some(report), [_, _, _]) = (probe.uses.stage_one, &probe.query.report, &parts[..]) {
        let Query { joined, halves, .. } = &probe.query;
        let title = probe.query.title_words().iter().map(|word| &word.word);
        let compounds = joined.iter().map(|joined| &joined.word).chain(halves);
        parts[TITLE].text = text_query(title.chain(texts(probe.query.title_names())).chain(compounds));
        parts[CODE].text = text_query(report.code_words.iter());
    }
    parts
}

fn candidate(found: vectorcode_store::Candidate, probe: &Probe) -> Candidate {
    let mut definition = definition_match(&found.names, &probe.query);
    if !found.names.is_empty() && found.chunk.symbol.as_deref().is_some_and(is_constructor) {
        definition = DefinitionMatch { qualified: definition.qualified, ..DefinitionMatch::default() };
    }
    Candidate {
        definition,
        chunk: found.chunk,
        text: None,
        full_text: found.full_text,
        static_similarity: found.static_similarity,
        provider_similarity: found.provider_similarity,
        parts: found.parts,
        pointed_at: None,
    }
}

/// A constructor has the name of its type, and there may be many of them: the name refers to the type itself.
fn is_constructor(symbol: &str) -> bool {
    let mut segments = symbol.rsplit(['.', ':']).filter(|segment| !segment.is_empty());
    matches!((segments.next(), segments.next()), (Some(name), Some(scope)) if name == scope)
}

/// Hits refer to the names in the order of the queries: first plain names, then qualified ones, then the one made of
/// the query's words.
fn definition_match(hits: &[NameHit], query: &Query) -> DefinitionMatch {
    let mut known = DefinitionMatch::default();
    for hit in hits {
        let place = hit.query;
        if let Some(name) = query.names.get(place) {
            known.names.push((place, if hit.name == name.text { 1.0 } else { OTHER_CASE }));
        } else if place < query.names.len() + query.qualified.len() {
            known.qualified.push((place - query.names.len(), hit.score));
        } else {
            known.words = known.words.max(hit.score);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_known_by_their_scope() {
        for constructor in ["Gson.Gson", "a.b.Reader.Reader", "net::Socket::Socket"] {
            assert!(is_constructor(constructor), "{constructor}");
        }
        for other in ["Gson", "Gson.toJson", "Reader.ReaderImpl", "", "::", "a..b"] {
            assert!(!is_constructor(other), "{other}");
        }
    }
}
