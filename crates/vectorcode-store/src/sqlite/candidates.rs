//! The candidates of a search: the lists by words, by names and by vectors, joined, in one read transaction.

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use super::chunk_attributes::CompiledFilter;
use super::chunks;
use super::connection::ReadFailure;
use super::definitions::{self, Restriction};
use super::fulltext;
use super::reader_cache::ReaderCache;
use super::row_bitmap::RowBitmap;
use super::stage::Stage;
use super::top_k::TopK;
use super::vectors::{QueryVector, Wanted};
use crate::contract::{
    Candidate, CandidateQuery, ChunkFilter, ChunkRow, NameHit, PartScores, StoredChunk, TextQuery,
};

type Result<T> = std::result::Result<T, ReadFailure>;

/// A query whose filters, words and vectors are ready to be compared with the index.
pub(super) struct PreparedQuery<'q> {
    query: &'q CandidateQuery,
    filter: Option<CompiledFilter>,
    /// The same without its kind: for names it is the kind of the definition, not that of the chunk.
    filter_of_names: Option<CompiledFilter>,
    /// The whole question, then its parts.
    parts: Vec<PreparedPart>,
}

/// The words and vectors of the question or of a part of it.
struct PreparedPart {
    text: fulltext::Query,
    vectors: Vec<(Stage, QueryVector)>,
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

    fn vector(&self, wanted: Stage) -> Option<&QueryVector> {
        self.vectors.iter().find(|(stage, _)| *stage == wanted).map(|(_, vector)| vector)
    }
}

impl<'q> PreparedQuery<'q> {
    pub(super) fn new(query: &'q CandidateQuery) -> crate::contract::Result<Self> {
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
}

/// What the lists said.
#[derive(Default)]
struct Pool {
    /// The names that each row defines.
    found: FxHashMap<ChunkRow, Vec<NameHit>>,
    /// The full-text scores of the question and of its parts.
    full_text: Vec<fulltext::Scores>,
}

impl Pool {
    fn propose(&mut self, row: ChunkRow) -> &mut Vec<NameHit> {
        self.found.entry(row).or_default()
    }

    fn propose_all(&mut self, conn: &Connection, best: TopK) -> rusqlite::Result<()> {
        for found in best.into_sorted(|rows| chunks::sort_by_location(conn, rows))? {
            self.propose(found.row);
        }
        Ok(())
    }
}

/// By which candidates are ordered. Row ids would not do: they depend on the order of edits, and so would the ranking of
/// equals.
fn location(stored: &StoredChunk) -> (&str, u32, u32) {
    (&stored.chunk.path, stored.chunk.span.byte_start, stored.chunk.span.byte_end)
}

impl PreparedQuery<'_> {
    pub(super) fn find(&self, conn: &Connection, cache: &ReaderCache) -> Result<Vec<Candidate>> {
        let allowed = cache.select(conn, self.filter.as_ref())?;
        let mut pool = Pool::default();
        self.add_by_words(conn, allowed.as_ref(), &mut pool)?;
        self.add_by_vectors(conn, cache, allowed.as_ref(), &mut pool)?;
        self.add_names(conn, cache, allowed.as_ref(), &mut pool)?;
        self.add_files(conn, cache, allowed.as_ref(), &mut pool)?;
        for row in &self.query.exclude {
            pool.found.remove(row);
        }
        self.complete(conn, cache, pool)
    }

    /// Adds the best by words, of the question and of each part.
    fn add_by_words(
        &self,
        conn: &Connection,
        allowed: Option<&RowBitmap>,
        pool: &mut Pool,
    ) -> rusqlite::Result<()> {
        for part in &self.parts {
            let (best, scores) = fulltext::rank(conn, &part.text, allowed, self.query.depth)?;
            pool.full_text.push(scores);
            pool.propose_all(conn, best)?;
        }
        Ok(())
    }

    /// Adds the best by each vector. The vectors of a stage are scanned once for all parts.
    fn add_by_vectors(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
        pool: &mut Pool,
    ) -> Result<()> {
        let wanted = Wanted { allowed, k: self.query.depth };
        for stage in Stage::ALL {
            let vectors: Vec<&QueryVector> =
                self.parts.iter().filter_map(|part| part.vector(stage)).collect();
            if vectors.is_empty() {
                continue;
            }
            for best in cache.nearest(conn, stage, &vectors, wanted)? {
                pool.propose_all(conn, best)?;
            }
        }
        Ok(())
    }

    fn add_names(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
        pool: &mut Pool,
    ) -> Result<()> {
        let query = self.query;
        if query.names.is_empty() {
            return Ok(());
        }
        let kinds = &query.filter.kinds;
        let own = if kinds.is_empty() { None } else { cache.select(conn, self.filter_of_names.as_ref())? };
        let allowed = if kinds.is_empty() { allowed } else { own.as_ref() };
        let restriction = Restriction { allowed, kinds };
        for (place, wanted) in query.names.iter().enumerate() {
            for hit in definitions::find_chunks(conn, &wanted.name, &restriction, wanted.limit)? {
                pool.propose(hit.row).push(NameHit { query: place, name: hit.name, score: hit.score });
            }
        }
        Ok(())
    }

    /// Without a vector, the first chunks of each file.
    fn add_files(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
        pool: &mut Pool,
    ) -> Result<()> {
        for path in &self.query.files {
            let mut rows = chunks::rows_of_file(conn, path)?;
            rows.retain(|row| allowed.is_none_or(|allowed| allowed.contains(row.0)));
            if let Some((stage, vector)) = self.parts.first().and_then(|whole| whole.vectors.first()) {
                let near = cache.similarities(conn, *stage, vector, &rows)?;
                let mut best: Vec<(ChunkRow, Option<f32>)> = rows.into_iter().zip(near).collect();
                // Stable: chunks that are equally near stay in the order of the file.
                best.sort_by(|one, other| other.1.unwrap_or(-1.0).total_cmp(&one.1.unwrap_or(-1.0)));
                rows = best.into_iter().map(|(row, _)| row).collect();
            }
            for row in rows.into_iter().take(self.query.per_file) {
                pool.propose(row);
            }
        }
        Ok(())
    }

    /// Loads every chunk and compares it by every measure, whichever list it came from.
    fn complete(&self, conn: &Connection, cache: &ReaderCache, mut pool: Pool) -> Result<Vec<Candidate>> {
        let mut rows: Vec<ChunkRow> = pool.found.keys().copied().collect();
        rows.sort_unstable();
        let mut chunks = cache.load_chunks(conn, &rows)?;
        chunks.sort_by(|a, b| location(a).cmp(&location(b)));
        let rows: Vec<ChunkRow> = chunks.iter().map(|chunk| chunk.row).collect();
        let mut scores = vec![vec![PartScores::default(); self.parts.len()]; rows.len()];
        for (place, part) in self.parts.iter().enumerate() {
            for (row, scores) in rows.iter().zip(&mut scores) {
                scores[place].full_text = pool.full_text[place].of(*row);
            }
            for (stage, vector) in &part.vectors {
                let compared = cache.similarities(conn, *stage, vector, &rows)?;
                for (similarity, scores) in compared.into_iter().zip(&mut scores) {
                    *similarity_of(&mut scores[place], *stage) = similarity;
                }
            }
        }
        let both = chunks.into_iter().zip(scores);
        Ok(both
            .map(|(chunk, mut parts)| {
                let names = pool.found.remove(&chunk.row).unwrap_or_default();
                let PartScores { full_text, static_similarity, provider_similarity } = parts.remove(0);
                Candidate { chunk, full_text, static_similarity, provider_similarity, parts, names }
            })
            .collect())
    }
}

fn similarity_of(scores: &mut PartScores, stage: Stage) -> &mut Option<f32> {
    match stage {
        Stage::Static => &mut scores.static_similarity,
        Stage::Provider => &mut scores.provider_similarity,
    }
}
