//! Finds the candidates of a search: combines the lists by words, names and vectors in one read transaction.

use std::sync::Arc;

use rusqlite::Connection;
use vectorcode_core::join;

use super::chunks;
use super::connection::ReadFailure;
use super::definitions;
use super::fulltext;
use super::reader_cache::ReaderCache;
use crate::contract::{Candidate, ChunkFacts, ChunkRow, NameHit, PartScores};
use crate::index::name_match::Restriction;
use crate::index::prepared_query::{PreparedQuery, ProposedChunks, candidate, location, nearest_first};
use crate::index::row_bitmap::RowBitmap;
use crate::index::stage::Stage;
use crate::index::top_k::TopK;
use crate::index::vectors::Wanted;

type Result<T> = std::result::Result<T, ReadFailure>;

impl PreparedQuery<'_> {
    /// With a second connection, which sees the same state as the first, a second thread does half of the work: a search of a
    /// large index spends most of its time reading vectors and chunks.
    pub(super) fn find(
        &self,
        conn: &Connection,
        mut second: Option<&mut Connection>,
        cache: &ReaderCache,
    ) -> Result<Vec<Candidate>> {
        let allowed = cache.select(conn, self.filter.as_ref())?;
        let allowed = allowed.as_ref();
        let (proposed, others) = on_two_threads(
            (conn, second.as_deref_mut()),
            |conn| self.propose_by_stage_one(conn, cache, allowed),
            |conn| self.propose_by_names_and_provider(conn, cache, allowed),
        );
        let mut proposed = proposed?;
        for (row, names) in others?.found {
            proposed.propose(row).extend(names);
        }
        for row in &self.query.exclude {
            proposed.found.remove(row);
        }
        self.complete(conn, second, cache, &proposed)
    }

    /// The lists by words, static vectors and files.
    fn propose_by_stage_one(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
    ) -> Result<ProposedChunks> {
        let mut proposed = ProposedChunks::default();
        self.add_by_words(conn, cache, allowed, &mut proposed)?;
        proposed.add(self.nearest(conn, cache, Stage::Static, allowed)?);
        self.add_files(conn, cache, allowed, &mut proposed)?;
        Ok(proposed)
    }

    /// The lists by names and provider vectors, which take about as long as the others.
    fn propose_by_names_and_provider(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
    ) -> Result<ProposedChunks> {
        let mut proposed = ProposedChunks::default();
        self.add_names(conn, cache, allowed, &mut proposed)?;
        proposed.add(self.nearest(conn, cache, Stage::Provider, allowed)?);
        Ok(proposed)
    }

    /// Adds the best chunks by words, for the question and each part.
    fn add_by_words(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
        proposed: &mut ProposedChunks,
    ) -> rusqlite::Result<()> {
        let hidden = cache.hidden_rows(conn)?;
        for part in &self.parts {
            let (best, scores) = fulltext::rank(conn, &hidden, &part.text, allowed, self.query.depth)?;
            proposed.full_text.push(scores);
            proposed.add(sorted(conn, best)?);
        }
        Ok(())
    }

    /// The nearest chunks by each vector of a stage. Codes are scanned once for all parts.
    fn nearest(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        stage: Stage,
        allowed: Option<&RowBitmap>,
    ) -> Result<Vec<ChunkRow>> {
        let vectors = self.vectors(stage);
        if vectors.is_empty() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for best in cache.nearest(conn, stage, &vectors, Wanted { allowed, k: self.query.depth })? {
            found.extend(sorted(conn, best)?);
        }
        Ok(found)
    }

    fn add_names(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
        proposed: &mut ProposedChunks,
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
            for hit in
                definitions::find_chunks(conn, cache.names(), &wanted.name, &restriction, wanted.limit)?
            {
                proposed.propose(hit.row).push(NameHit { query: place, name: hit.name, score: hit.score });
            }
        }
        Ok(())
    }

    /// Adds the best chunks of each file (without a query vector, the first ones), and the rows that are always wanted.
    fn add_files(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        allowed: Option<&RowBitmap>,
        proposed: &mut ProposedChunks,
    ) -> Result<()> {
        let is_allowed = |row: &ChunkRow| allowed.is_none_or(|allowed| allowed.contains(row.0));
        for path in &self.query.files {
            let mut rows = chunks::rows_of_file(conn, path)?;
            rows.retain(is_allowed);
            if let Some((stage, vector)) = self.first_vector() {
                let near = cache.similarities(conn, *stage, vector, &rows)?;
                rows = nearest_first(rows, near);
            }
            proposed.add(rows.into_iter().take(self.query.per_file));
        }
        proposed.add(self.query.rows.iter().copied().filter(is_allowed));
        Ok(())
    }

    /// Loads every chunk and scores it by every measure, whichever list proposed it.
    fn complete(
        &self,
        conn: &Connection,
        second: Option<&mut Connection>,
        cache: &ReaderCache,
        proposed: &ProposedChunks,
    ) -> Result<Vec<Candidate>> {
        let mut rows: Vec<ChunkRow> = proposed.found.keys().copied().collect();
        // Neighbouring rows share pages of the database.
        rows.sort_unstable();
        let half = if second.is_some() { rows.len() / 2 } else { rows.len() };
        let (rows, others) = rows.split_at(half);
        let (found, others) = on_two_threads(
            (conn, second),
            |conn| self.compare(conn, cache, proposed, rows),
            |conn| self.compare(conn, cache, proposed, others),
        );
        let mut found = found?;
        found.extend(others?);
        found.sort_by_cached_key(|candidate| location(&candidate.chunk));
        Ok(found)
    }

    fn compare(
        &self,
        conn: &Connection,
        cache: &ReaderCache,
        proposed: &ProposedChunks,
        rows: &[ChunkRow],
    ) -> Result<Vec<Candidate>> {
        let chunks = cache.load_facts(conn, rows)?;
        let rows: Vec<ChunkRow> = chunks.iter().map(|chunk| chunk.row).collect();
        // One row of scores per chunk.
        let parts = self.parts.len();
        let mut scores = vec![PartScores::default(); rows.len() * parts];
        for (place, part) in self.parts.iter().enumerate() {
            for (row, scores) in rows.iter().zip(scores.chunks_exact_mut(parts)) {
                scores[place].full_text = proposed.full_text[place].of(*row);
            }
            for (stage, vector) in &part.vectors {
                let compared = cache.similarities(conn, *stage, vector, &rows)?;
                for (similarity, scores) in compared.into_iter().zip(scores.chunks_exact_mut(parts)) {
                    *similarity_of(&mut scores[place], *stage) = similarity;
                }
            }
        }
        let with_names = |(chunk, scores): (Arc<ChunkFacts>, &[PartScores])| {
            let names = proposed.found.get(&chunk.row).cloned().unwrap_or_default();
            candidate(chunk, scores, names)
        };
        Ok(chunks.into_iter().zip(scores.chunks_exact(parts)).map(with_names).collect())
    }
}

/// Runs `here` on this thread and `there` on another one if there is a second connection.
fn on_two_threads<A, B: Send>(
    (conn, second): (&Connection, Option<&mut Connection>),
    here: impl FnOnce(&Connection) -> A,
    there: impl FnOnce(&Connection) -> B + Send,
) -> (A, B) {
    let Some(second) = second else { return (here(conn), there(conn)) };
    let (there, here) = join(move || there(second), || here(conn));
    (here, there)
}

/// Best first. Rows that tie for the last places are taken in order of path and position.
fn sorted(conn: &Connection, best: TopK) -> rusqlite::Result<impl Iterator<Item = ChunkRow>> {
    let best = best.into_sorted(|rows| chunks::sort_by_location(conn, rows))?;
    Ok(best.into_iter().map(|found| found.row))
}

fn similarity_of(scores: &mut PartScores, stage: Stage) -> &mut Option<f32> {
    match stage {
        Stage::Static => &mut scores.static_similarity,
        Stage::Provider => &mut scores.provider_similarity,
    }
}

#[cfg(test)]
mod tests {
    use vectorcode_core::{Chunk, ContentClass, FileFlags, ParsedFile, Span, VectorSpace};
    use vectorcode_testkit::small_index;

    use super::*;
    use crate::contract::{
        CandidateQuery, ContentVersion, FileState, FileUpdate, IndexSpaces, Store, TextQuery, TextTerm,
    };
    use crate::sqlite::SqliteStore;
    use crate::sqlite::connection::ConnectionPool;
    use crate::sqlite::tree_scope::TreeScope;

    fn vector(number: i64) -> Vec<f32> {
        (0..8).map(|place| ((number * 7 + place) % 11) as f32 - 5.0).collect()
    }

    fn file(number: u8) -> FileUpdate {
        let path = format!("src/{number}.rs");
        let content = format!("fn run_{number}() {{ retry(); }}");
        let span = Span { start_line: 1, end_line: 1, byte_start: 0, byte_end: content.len() as u32 };
        let chunk = Chunk { symbol: None, ..small_index::chunk(&path, "", &content, span) };
        let parsed = ParsedFile {
            path,
            language: "rust".into(),
            class: ContentClass::Code,
            flags: FileFlags::default(),
            chunks: vec![chunk],
            definitions: Vec::new(),
            references: Vec::new(),
            imports: Vec::new(),
        };
        let state = FileState {
            mtime_ns: 1,
            size: u64::from(span.byte_end),
            hash: [number; 32],
            blob: None,
            content_version: ContentVersion(1),
        };
        let static_vectors = vec![Some(vector(number.into()))];
        FileUpdate { state, parsed, static_vectors, known_vectors: Vec::new() }
    }

    #[test]
    fn two_threads_find_what_one_finds() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open_in(directory.path());
        let space = |name| VectorSpace::new(name, "test", 8);
        let spaces = IndexSpaces { statics: space("static"), provider: space("onnx") };
        let mut writer = store.create(&spaces).unwrap();
        writer.write_files(&(0..40).map(file).collect::<Vec<_>>()).unwrap();
        let pending = writer.reader().pending(30).unwrap();
        let vectors: Vec<_> = pending.iter().map(|chunk| (chunk.row, vector(3 * chunk.row.0))).collect();
        writer.write_vectors(&vectors).unwrap();
        let query = CandidateQuery {
            text: TextQuery { terms: vec![TextTerm { word: "run".into(), prefix: false }] },
            static_vector: Some(vector(5)),
            provider_vector: Some(vector(8)),
            files: vec!["src/7.rs".into()],
            per_file: 1,
            depth: 7,
            ..CandidateQuery::default()
        };
        let prepared = PreparedQuery::new(&query).unwrap();
        let (pool, cache) = (
            ConnectionPool::open(&directory.path().join("index.db"), TreeScope::default()).unwrap(),
            ReaderCache::default(),
        );
        let alone = pool.read(|conn| prepared.find(conn, None, &cache)).unwrap();
        let by_two = pool.read_by_two(|conn, second| {
            assert!(second.is_some());
            prepared.find(conn, second, &cache)
        });
        assert!(alone.len() > 7, "{}", alone.len());
        assert_eq!(by_two.unwrap(), alone);
    }
}
