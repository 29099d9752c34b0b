//! A request as the index can be asked: its words, and one vector for each model.
//!
//! Whatever is missing (no provider, a server that is down, another model than the index was made with) becomes a note and
//! never an error, because the rest of the index can still answer.

use vectorcode_core::api::{SearchMode, SearchRequest, SearchTarget};
use vectorcode_embed::{StaticModel, TextKind};
use vectorcode_store::{ChunkRow, IndexReader, StoredChunk};

use super::SearchContext;
use super::history::{HistoryQuestion, Votes};
use super::query::Query;
use crate::EngineError;

/// The models read at most this much of a text, so longer code would only cost time.
const MAX_SNIPPET_BYTES: usize = 16_000;

/// Which stages take part in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uses {
    /// Full text, definitions and static vectors.
    pub stage_one: bool,
    /// Vectors of the provider.
    pub stage_two: bool,
}

/// A request that is ready to be compared with the index.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    pub query: Query,
    pub uses: Uses,
    pub static_vector: Option<Vec<f32>>,
    pub provider_vector: Option<Vec<f32>>,
    /// The chunk that the request points at. It is left out of the results.
    pub itself: Option<ChunkRow>,
    /// The query is code, to which similar code is to be found.
    pub is_code: bool,
    /// What the repository's past says about files.
    pub votes: Votes,
    pub notes: Vec<String>,
}

impl Probe {
    pub fn new(context: &SearchContext<'_>, request: &SearchRequest) -> Result<Self, EngineError> {
        let TargetText { query, kind, itself } = TargetText::of(context.reader, &request.target)?;
        let mut notes = Vec::new();
        let provider_vector = match request.mode {
            SearchMode::Fast => None,
            SearchMode::Auto | SearchMode::Semantic => match provider_vector(context, kind, &query.text) {
                Ok(vector) => Some(vector),
                Err(reason) => {
                    notes.push(format!("Stage two (embeddings of the provider) was skipped: {reason}"));
                    None
                }
            },
        };
        let uses = Uses {
            // A semantic search without a provider falls back to stage one.
            stage_one: request.mode != SearchMode::Semantic || provider_vector.is_none(),
            stage_two: provider_vector.is_some(),
        };
        let static_vector = if uses.stage_one { static_vector(context.statics, &query.text) } else { None };
        let is_code = kind == TextKind::Document;
        let votes =
            if uses.stage_one && !is_code { votes(context, request, &query.text) } else { Votes::default() };
        Ok(Self { query, uses, static_vector, provider_vector, itself, is_code, votes, notes })
    }
}

/// The text of a search target.
struct TargetText {
    query: Query,
    kind: TextKind,
    itself: Option<ChunkRow>,
}

impl TargetText {
    fn of(reader: &dyn IndexReader, target: &SearchTarget) -> Result<Self, EngineError> {
        match target {
            SearchTarget::Query(text) | SearchTarget::Snippet(text) if text.trim().is_empty() => {
                Err(EngineError::EmptyQuery)
            }
            SearchTarget::Query(text) => {
                Ok(Self { query: Query::parse(text), kind: TextKind::Query, itself: None })
            }
            SearchTarget::Snippet(text) => {
                let text = clip(text, MAX_SNIPPET_BYTES);
                Ok(Self { query: Query::from_code(text), kind: TextKind::Document, itself: None })
            }
            SearchTarget::Location { path, line } => Self::at(reader, path, *line),
        }
    }

    fn at(reader: &dyn IndexReader, path: &str, line: u32) -> Result<Self, EngineError> {
        let stored = chunk_at(reader, path, line)?;
        let query = Query::from_code(clip(&stored.chunk.embedding_text(), MAX_SNIPPET_BYTES));
        Ok(Self { query, kind: TextKind::Document, itself: Some(stored.row) })
    }
}

/// The chunk that holds a line of a file.
pub(crate) fn chunk_at(reader: &dyn IndexReader, path: &str, line: u32) -> Result<StoredChunk, EngineError> {
    let holds = |span: &vectorcode_core::Span| (span.start_line..=span.end_line).contains(&line);
    let found = reader.chunks_of(path)?.into_iter().find(|stored| holds(&stored.chunk.span));
    found.ok_or_else(|| EngineError::NoSuchLocation { path: path.to_owned(), line })
}

fn votes(context: &SearchContext<'_>, request: &SearchRequest, text: &str) -> Votes {
    if context.history.is_empty() {
        return Votes::default();
    }
    Votes::count(context.history, &HistoryQuestion::new(text), request.history_before.as_deref())
}

fn static_vector(model: &StaticModel, text: &str) -> Option<Vec<f32>> {
    let mut vector = [0.0; StaticModel::DIMENSIONS];
    model.embed_into(text, &mut vector).then(|| vector.to_vec())
}

fn provider_vector(context: &SearchContext<'_>, kind: TextKind, text: &str) -> Result<Vec<f32>, String> {
    let embedder = context.embedder.map_err(ToString::to_string)?;
    let space = context.reader.spaces().map_err(|error| error.to_string())?.provider;
    if space != *embedder.space() {
        return Err(format!(
            "the index was made with {space}, the configuration names {}.",
            embedder.space()
        ));
    }
    let mut outcomes = embedder.embed(kind, &[text]).map_err(|error| error.to_string())?;
    match outcomes.pop() {
        Some(outcome) => outcome.map_err(|refused| refused.to_string()),
        None => Err("the provider returned no vector.".into()),
    }
}

/// At most `limit` bytes of `text`, cut between characters.
fn clip(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
