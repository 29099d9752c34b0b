//! A request prepared for the index: its words, and one vector per model.
//!
//! Whatever is missing (no provider, a server that is down, a model other than the one the index was made with)
//! becomes a note and never an error, because the rest of the index can still answer.

use vectorcode_core::api::{Coverage, SearchMode, SearchRequest, SearchTarget};
use vectorcode_core::join;
use vectorcode_embed::{StaticModel, TextKind};
use vectorcode_store::{ChunkRow, IndexReader, StoredChunk};

use super::SearchContext;
use super::query::Query;
use super::{translate, vocabulary};
use crate::error::EngineError;
use crate::history::{HistoryQuestion, Votes};

/// The models read at most this much of a text; embedding more would only cost time.
const MAX_SNIPPET_BYTES: usize = 16_000;

/// Which stages take part in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Full text, definitions and static vectors.
    pub stage_one: bool,
    /// Provider vectors.
    pub stage_two: bool,
}

/// A request that is ready to be compared with the index.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub query: Query,
    pub uses: Uses,
    pub static_vector: Option<Vec<f32>>,
    pub provider_vector: Option<Vec<f32>>,
    /// The parts of a report, embedded separately; empty for a short query.
    pub parts: Vec<PartVectors>,
    /// The chunks of the item that the request points at. They are excluded from the results.
    pub itself: Vec<ChunkRow>,
    /// The query is code, and similar code is wanted.
    pub is_code: bool,
    /// The votes of similar commits for files.
    pub votes: Votes,
    /// The size of the index, and how much of it has provider vectors.
    pub coverage: Coverage,
    pub notes: Vec<String>,
}

/// The vectors of one part of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartVectors {
    pub by_static: Option<Vec<f32>>,
    pub by_provider: Option<Vec<f32>>,
}

/// The indexes of a report's parts in [`Probe::parts`] and in the scores of a candidate.
pub(crate) const TITLE: usize = 0;
pub(crate) const BODY: usize = 1;
/// Code and traces are compared by words only, because their meaning is not that of the question.
pub(crate) const CODE: usize = 2;

impl Probe {
    pub fn new(context: &SearchContext<'_>, request: &SearchRequest) -> Result<Self, EngineError> {
        let TargetText { mut query, kind, itself } = TargetText::of(context.reader, &request.target)?;
        let is_code = kind == TextKind::Document;
        if !is_code {
            vocabulary::adapt(&mut query, context.reader)?;
            translate::keep_words_as_asked(&mut query, context.reader)?;
        }
        let vectors = || provider_vectors(context, kind, &provider_texts(context, &query));
        let (coverage, no_vectors) = provider_coverage(context)?;
        let no_vectors = no_vectors.filter(|_| request.mode == SearchMode::Semantic);
        let mode = match request.mode {
            SearchMode::Semantic if no_vectors.is_none() => SearchMode::Semantic,
            // A semantic search without provider vectors to compare with falls back to everything else.
            SearchMode::Semantic | SearchMode::Auto if is_comparable(coverage) => SearchMode::Auto,
            _ => SearchMode::Fast,
        };
        let votes = || if is_code { Votes::default() } else { votes(context, request, &query.text) };
        let (embedded, votes) = match mode {
            SearchMode::Fast => (Ok(Vec::new()), votes()),
            SearchMode::Auto if context.history.is_empty() => (vectors(), Votes::default()),
            // In parallel, because the model uses one core for a single text.
            SearchMode::Auto => join(vectors, votes),
            SearchMode::Semantic => {
                let embedded = vectors();
                let votes = if embedded.is_ok() { Votes::default() } else { votes() };
                (embedded, votes)
            }
        };
        let mut notes: Vec<String> = no_vectors.into_iter().collect();
        let mut by_provider = embedded.unwrap_or_else(|reason| {
            // If the index has no vectors, the existing note already says so.
            if notes.is_empty() {
                notes.push(format!("Stage two (embeddings of the provider) was skipped: {reason}"));
            }
            Vec::new()
        });
        let uses = Uses {
            // A semantic search without a provider falls back to stage one.
            stage_one: mode != SearchMode::Semantic || by_provider.is_empty(),
            stage_two: !by_provider.is_empty(),
        };
        let of_title = if by_provider.len() > 1 { by_provider.pop() } else { None };
        let by_static = |text: &str| if uses.stage_one { static_vector(context.statics, text) } else { None };
        let parts = query.report.as_ref().map_or_else(Vec::new, |report| {
            let title = PartVectors { by_static: by_static(&report.title), by_provider: of_title };
            let body = PartVectors { by_static: by_static(&report.body), by_provider: None };
            vec![title, body, PartVectors::default()]
        });
        let (static_vector, provider_vector) = (by_static(&query.text), by_provider.pop());
        Ok(Self {
            query,
            uses,
            static_vector,
            provider_vector,
            parts,
            itself,
            is_code,
            votes,
            coverage,
            notes,
        })
    }
}

/// How many of the best candidates get a vector during a search. Two cores embed that many texts in a fifth of a
/// second.
pub(crate) const LAZY: usize = 24;
/// The share of the index that must have provider vectors before they are used.
const USED_FROM: f32 = 0.9;

/// Whether nearly all of the index has provider vectors. With fewer, they would favour whatever happens to be
/// embedded, the result would change with every batch, and it would be worse than that of stage one alone
/// (docs/notes/quality.md). The few chunks that lack a vector after an edit get one during the search, if they are
/// among the best.
fn is_comparable(coverage: Coverage) -> bool {
    coverage.fraction() >= USED_FROM || coverage.total.saturating_sub(coverage.embedded) <= LAZY as u64
}

/// How much of the index has vectors of the current provider, and a note if none has.
fn provider_coverage(context: &SearchContext<'_>) -> Result<(Coverage, Option<String>), EngineError> {
    let mut coverage = context.reader.coverage()?;
    let Ok(embedder) = context.embedder else { return Ok((coverage, None)) };
    // Vectors of another provider say nothing about the progress of this one.
    if context.reader.spaces()?.provider != *embedder.space() {
        coverage.embedded = 0;
    }
    let note = (coverage.embedded == 0).then(|| {
        format!("The index has no vectors of {} yet; words and static vectors were used.", embedder.space())
    });
    Ok((coverage, note))
}

/// The texts that the provider embeds: the query, then the title of a report. The encoder reads a few hundred tokens,
/// while the mean report has 383; its body starts like the whole and is not embedded again.
///
/// A provider over the network probably knows the language of the query, so it gets the original text.
fn provider_texts<'q>(context: &SearchContext<'_>, query: &'q Query) -> Vec<&'q str> {
    if query.asked.is_some() && !knows_english_only(context) {
        return vec![query.as_asked()];
    }
    let title = query.report.as_ref().map(|report| report.title.as_str()).filter(|title| !title.is_empty());
    std::iter::once(query.text.as_str()).chain(title).collect()
}

/// Whether no model takes part that may know other languages.
fn knows_english_only(context: &SearchContext<'_>) -> bool {
    context.embedder.map_or(true, |embedder| embedder.space().provider == "onnx")
}

/// The text of a search target.
struct TargetText {
    query: Query,
    kind: TextKind,
    itself: Vec<ChunkRow>,
}

impl TargetText {
    fn of(reader: &dyn IndexReader, target: &SearchTarget) -> Result<Self, EngineError> {
        match target {
            SearchTarget::Query(text) | SearchTarget::Snippet(text) if text.trim().is_empty() => {
                Err(EngineError::EmptyQuery)
            }
            SearchTarget::Query(text) => {
                Ok(Self { query: translate::parse(text), kind: TextKind::Query, itself: Vec::new() })
            }
            SearchTarget::Snippet(text) => {
                let text = clip(text, MAX_SNIPPET_BYTES);
                Ok(Self { query: Query::from_code(text), kind: TextKind::Document, itself: Vec::new() })
            }
            SearchTarget::Location { path, line } => Self::at(reader, path, *line),
        }
    }

    fn at(reader: &dyn IndexReader, path: &str, line: u32) -> Result<Self, EngineError> {
        let stored = chunk_at(reader, path, line)?;
        let query = Query::from_code(clip(&stored.chunk.embedding_text(), MAX_SNIPPET_BYTES));
        Ok(Self { query, kind: TextKind::Document, itself: chunks_of_item(reader, &stored)? })
    }
}

/// The chunks of the item that a chunk belongs to: the other half of a function is not a useful result for "similar
/// to it".
fn chunks_of_item(reader: &dyn IndexReader, stored: &StoredChunk) -> Result<Vec<ChunkRow>, EngineError> {
    let symbol = &stored.chunk.symbol;
    let is_same =
        |other: &StoredChunk| other.row == stored.row || (symbol.is_some() && other.chunk.symbol == *symbol);
    let others = reader.chunks_of(&stored.chunk.path)?;
    Ok(others.iter().filter(|other| is_same(other)).map(|other| other.row).collect())
}

/// The chunk that contains a line of a file.
pub(crate) fn chunk_at(reader: &dyn IndexReader, path: &str, line: u32) -> Result<StoredChunk, EngineError> {
    let found = reader.chunks_of(path)?.into_iter().find(|stored| stored.chunk.span.holds_line(line));
    found.ok_or_else(|| EngineError::NoSuchLocation { path: path.to_owned(), line })
}

fn votes(context: &SearchContext<'_>, request: &SearchRequest, text: &str) -> Votes {
    if context.history.is_empty() {
        return Votes::default();
    }
    let question = HistoryQuestion::new(text);
    Votes::count(context.history, context.present, &question, request.history_before.as_deref())
}

fn static_vector(model: &StaticModel, text: &str) -> Option<Vec<f32>> {
    let mut vector = [0.0; StaticModel::DIMENSIONS];
    model.embed_into(text, &mut vector).then(|| vector.to_vec())
}

/// One vector per text, or why there is none.
fn provider_vectors(
    context: &SearchContext<'_>,
    kind: TextKind,
    texts: &[&str],
) -> Result<Vec<Vec<f32>>, String> {
    let embedder = context.embedder.map_err(ToString::to_string)?;
    let space = context.reader.spaces().map_err(|error| error.to_string())?.provider;
    if space != *embedder.space() {
        return Err(format!(
            "the index was made with {space}, the configuration names {}.",
            embedder.space()
        ));
    }
    let outcomes = embedder.embed(kind, texts).map_err(|error| error.to_string())?;
    if outcomes.len() != texts.len() {
        return Err("the provider returned no vector.".into());
    }
    outcomes.into_iter().map(|outcome| outcome.map_err(|refused| refused.to_string())).collect()
}

/// At most `limit` bytes of `text`, cut at a character boundary.
fn clip(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
