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
use super::top_k::Scored;
use super::vectors::QueryVector;
use crate::contract::{Candidate, CandidateQuery, ChunkFilter, ChunkRow, NameHit, StoredChunk};

type Result<T> = std::result::Result<T, ReadFailure>;

/// A query whose filters, words and vectors are ready to be compared with the index.
pub(super) struct PreparedQuery<'q> {
    query: &'q CandidateQuery,
    filter: Option<CompiledFilter>,
    /// The same without its kind: for names it is the kind of the definition, not that of the chunk.
    filter_of_names: Option<CompiledFilter>,
    text: fulltext::Query,
    vectors: Vec<(Stage, QueryVector)>,
}

impl<'q> PreparedQuery<'q> {
    pub(super) fn new(query: &'q CandidateQuery) -> crate::contract::Result<Self> {
        let vectors = [(Stage::Static, &query.static_vector), (Stage::Provider, &query.provider_vector)];
        let vectors = vectors.into_iter().filter_map(|(stage, vector)| Some((stage, vector.as_deref()?)));
        Ok(Self {
            query,
            filter: CompiledFilter::new(&query.filter)?,
            filter_of_names: CompiledFilter::new(&ChunkFilter { kind: None, ..query.filter.clone() })?,
            text: fulltext::Query::new(&query.text),
            vectors: vectors.map(|(stage, vector)| (stage, QueryVector::new(vector))).collect(),
        })
    }
}

/// What the lists said, by row.
#[derive(Default)]
struct Pool {
    found: FxHashMap<ChunkRow, Found>,
}

#[derive(Default)]
struct Found {
    full_text: f32,
    names: Vec<NameHit>,
}

impl Pool {
    fn entry(&mut self, row: ChunkRow) -> &mut Found {
        self.found.entry(row).or_default()
    }
}

/// By which candidates are ordered. Row ids would not do: they depend on the order of edits, and so would the ranking of
/// equals.
fn location(stored: &StoredChunk) -> (&str, u32, u32) {
    (&stored.chunk.path, stored.chunk.span.byte_start, stored.chunk.span.byte_end)
}

impl PreparedQuery<'_> {
    pub(super) fn find(&self, conn: &Connection, cache: &ReaderCache) -> Result<Vec<Candidate>> {
        let (query, depth) = (self.query, self.query.depth);
        let allowed = cache.select(conn, self.filter.as_ref())?;
        let mut pool = Pool::default();
        if !query.text.terms.is_empty() {
            let best = fulltext::rank(conn, &self.text, allowed.as_ref(), depth)?;
            for Scored { row, score } in best.into_sorted(|rows| chunks::sort_by_location(conn, rows))? {
                pool.entry(row).full_text = score;
            }
        }
        self.add_names(conn, cache, allowed.as_ref(), &mut pool)?;
        for (stage, vector) in &self.vectors {
            let near = cache
                .compare(conn, *stage, vector, |matrix| matrix.nearest(vector, allowed.as_ref(), depth))?;
            for near in near.into_sorted(|rows| chunks::sort_by_location(conn, rows))? {
                pool.entry(near.row);
            }
        }
        self.add_files(conn, cache, allowed.as_ref(), &mut pool)?;
        if let Some(row) = query.exclude {
            pool.found.remove(&row);
        }
        self.complete(conn, cache, pool)
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
        let own = match query.filter.kind {
            Some(_) => cache.select(conn, self.filter_of_names.as_ref())?,
            None => None,
        };
        let kind = query.filter.kind.as_deref();
        let allowed = if kind.is_some() { own.as_ref() } else { allowed };
        let restriction = Restriction { allowed, kind };
        for (place, wanted) in query.names.iter().enumerate() {
            for hit in definitions::find_chunks(conn, &wanted.name, &restriction, wanted.limit)? {
                pool.entry(hit.row).names.push(NameHit { query: place, name: hit.name, score: hit.score });
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
            if let Some((stage, vector)) = self.vectors.first() {
                let near =
                    cache.compare(conn, *stage, vector, |matrix| matrix.similarities(vector, &rows))?;
                let mut best: Vec<(ChunkRow, Option<f32>)> = rows.into_iter().zip(near).collect();
                // Stable: chunks that are equally near stay in the order of the file.
                best.sort_by(|one, other| other.1.unwrap_or(-1.0).total_cmp(&one.1.unwrap_or(-1.0)));
                rows = best.into_iter().map(|(row, _)| row).collect();
            }
            for row in rows.into_iter().take(self.query.per_file) {
                pool.entry(row);
            }
        }
        Ok(())
    }

    /// Loads every chunk and compares it with both vectors, whichever list it came from.
    fn complete(&self, conn: &Connection, cache: &ReaderCache, mut pool: Pool) -> Result<Vec<Candidate>> {
        let mut rows: Vec<ChunkRow> = pool.found.keys().copied().collect();
        rows.sort_unstable();
        let mut chunks = cache.load_chunks(conn, &rows)?;
        chunks.sort_by(|a, b| location(a).cmp(&location(b)));
        let rows: Vec<ChunkRow> = chunks.iter().map(|chunk| chunk.row).collect();
        let mut similarities = [vec![None; rows.len()], vec![None; rows.len()]];
        for (stage, vector) in &self.vectors {
            let compared =
                cache.compare(conn, *stage, vector, |matrix| matrix.similarities(vector, &rows))?;
            similarities[usize::from(*stage == Stage::Provider)] = compared;
        }
        let [by_static, by_provider] = similarities;
        let both = by_static.into_iter().zip(by_provider);
        Ok(chunks
            .into_iter()
            .zip(both)
            .map(|(chunk, (static_similarity, provider_similarity))| {
                let Found { full_text, names } = pool.found.remove(&chunk.row).unwrap_or_default();
                Candidate { chunk, full_text, static_similarity, provider_similarity, names }
            })
            .collect())
    }
}
