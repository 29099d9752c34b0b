//! Finds the candidates of a search. One round trip reads posting lists, names and files, one the vectors that have to be
//! compared exactly, and one the texts. What the reader has cached is not read again.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::definitions::Lookup;
use super::manifest::Manifest;
use super::rows::Hash;
use super::session::{Param, Query, Session};
use super::view::{RowVectors, View};
use crate::contract::{Candidate, ChunkFacts, ChunkRow, NameHit, PartScores, Result};
use crate::index::fulltext::{Scores, Term};
use crate::index::name_match::Restriction;
use crate::index::prepared_query::{
    PreparedPart, PreparedQuery, ProposedChunks, candidate, location, nearest_first,
};
use crate::index::row_bitmap::RowBitmap;
use crate::index::stage::Stage;
use crate::index::top_k::TopK;
use crate::index::vectors::{QueryVector, Shortlist, Wanted};

/// The candidates of a query, as of the session's transaction.
pub(super) fn find(
    prepared: &PreparedQuery<'_>,
    session: &mut Session,
    manifest: &Manifest,
    view: &View,
) -> Result<Vec<Candidate>> {
    for (stage, vector) in prepared.parts.iter().flat_map(|part| &part.vectors) {
        view.check_dimensions(*stage, vector)?;
    }
    let allowed = view.select(session, prepared.filter.as_ref())?;
    let mut search = Search { prepared, manifest, view, allowed, proposed: ProposedChunks::default() };
    search.add_by_words(session)?;
    let of_files = search.add_names(session)?;
    let vectors = search.add_by_vectors(session, &of_files)?;
    search.add_files(of_files, &vectors);
    for row in &prepared.query.exclude {
        search.proposed.found.remove(row);
    }
    search.complete(session, vectors)
}

/// A search in progress.
struct Search<'s> {
    prepared: &'s PreparedQuery<'s>,
    manifest: &'s Manifest,
    view: &'s View,
    allowed: Option<RowBitmap>,
    proposed: ProposedChunks,
}

impl Search<'_> {
    fn is_allowed(&self, row: ChunkRow) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(row.0))
    }

    fn propose_all(&mut self, session: &mut Session, best: TopK) -> Result<()> {
        let manifest = self.manifest;
        let best = best.into_sorted(|rows| sort_by_location(session, manifest, rows))?;
        self.proposed.add(best.into_iter().map(|found| found.row));
        Ok(())
    }

    /// Adds the best chunks by words, for the question and each part. The posting lists of all parts are read at once.
    fn add_by_words(&mut self, session: &mut Session) -> Result<()> {
        let parts = &self.prepared.parts;
        let terms: Vec<Term> = parts.iter().flat_map(|part| part.text.terms().iter().cloned()).collect();
        if terms.is_empty() {
            self.proposed.full_text.resize_with(parts.len(), Scores::default);
            return Ok(());
        }
        let full_text = self.view.full_text(session)?;
        let Some(stats) = &full_text.stats else {
            self.proposed.full_text.resize_with(parts.len(), Scores::default);
            return Ok(());
        };
        let mut lists = self.view.lists(session, &terms)?.into_iter();
        for part in parts {
            let lists: Vec<_> = lists.by_ref().take(part.text.terms().len()).collect();
            if lists.is_empty() {
                self.proposed.full_text.push(Scores::default());
                continue;
            }
            let ranked = stats.rank(
                lists.iter().map(|lists| lists.as_slice()),
                &full_text.dead,
                self.allowed.as_ref(),
                self.prepared.query.depth,
            );
            let (best, scores) = ranked.map_err(|_| session.damaged())?;
            self.proposed.full_text.push(scores);
            self.propose_all(session, best)?;
        }
        Ok(())
    }

    /// Adds the chunks that define the names, and returns the rows of the query's files. Both take one round trip.
    fn add_names(&mut self, session: &mut Session) -> Result<Vec<Vec<ChunkRow>>> {
        let (query, manifest) = (self.prepared.query, self.manifest);
        if query.names.is_empty() && query.files.is_empty() {
            return Ok(Vec::new());
        }
        let kinds = &query.filter.kinds;
        let own = if kinds.is_empty() {
            None
        } else {
            self.view.select(session, self.prepared.filter_of_names.as_ref())?
        };
        let lookups: Vec<Lookup<'_>> = query
            .names
            .iter()
            .map(|wanted| Lookup::new(session, manifest, &wanted.name))
            .collect::<Result<_>>()?;
        let params: Vec<Vec<Param<'_>>> = lookups.iter().map(|lookup| lookup.params(manifest)).collect();
        let mut queries: Vec<Query<'_>> =
            lookups.iter().zip(&params).map(|(lookup, params)| lookup.query(params)).collect();
        let paths: Vec<Hash> = query.files.iter().map(|path| Hash::of(path.as_bytes())).collect();
        let of_files: [Param<'_>; 3] = [&manifest.project, &manifest.id, &paths];
        if !paths.is_empty() {
            queries.push(Query { sql: ROWS_OF_FILES, params: &of_files });
        }
        let mut answers = session.pipeline(None, &queries)?;
        let rows_of_files = if paths.is_empty() { Vec::new() } else { answers.pop().unwrap_or_default() };
        let allowed = if kinds.is_empty() { self.allowed.as_ref() } else { own.as_ref() };
        let restriction = Restriction { allowed, kinds };
        for (place, ((lookup, wanted), rows)) in lookups.iter().zip(&query.names).zip(&answers).enumerate() {
            let found = lookup.rank(rows, &restriction, wanted.limit).ok_or_else(|| session.damaged())?;
            for hit in found {
                let (row, name) = (hit.definition.row, hit.definition.definition.name);
                self.proposed.found.entry(row).or_default().push(NameHit {
                    query: place,
                    name,
                    score: hit.score,
                });
            }
        }
        let mut by_path: FxHashMap<Hash, Vec<ChunkRow>> = FxHashMap::default();
        for row in &rows_of_files {
            by_path.entry(row.get(0)).or_default().push(ChunkRow(row.get::<_, i32>(1).into()));
        }
        Ok(paths.iter().map(|path| by_path.remove(path).unwrap_or_default()).collect())
    }

    /// Adds the best chunks by each vector. The codes of a stage are scanned once for all parts. Then all vectors that may have
    /// to be compared are read, including those of the chunks that other lists found.
    fn add_by_vectors(&mut self, session: &mut Session, of_files: &[Vec<ChunkRow>]) -> Result<RowVectors> {
        let prepared = self.prepared;
        let wanted = Wanted { allowed: self.allowed.as_ref(), k: prepared.query.depth };
        let mut scanned = Vec::new();
        for stage in Stage::ALL {
            let queries = prepared.vectors(stage);
            if !queries.is_empty() {
                let codes = self.view.codes(session, stage)?;
                scanned.push((stage, codes.scan(&queries, wanted)));
            }
        }
        let mut needed = Vec::new();
        for (stage, shortlists) in &mut scanned {
            let mut rows: Vec<ChunkRow> = shortlists.iter_mut().flat_map(Shortlist::rows).collect();
            rows.extend(self.proposed.found.keys());
            rows.extend(of_files.iter().flatten());
            rows.sort_unstable();
            rows.dedup();
            needed.push((*stage, rows));
        }
        let vectors = self.view.vectors(session, &needed)?;
        let mut best = Vec::new();
        for (stage, shortlists) in scanned {
            for shortlist in shortlists {
                let query = shortlist.query;
                let compare = |rows: &[ChunkRow]| {
                    Ok::<_, crate::StoreError>(similarities(&vectors, stage, query, rows))
                };
                best.push(shortlist.best(prepared.query.depth, compare)?);
            }
        }
        for best in best {
            self.propose_all(session, best)?;
        }
        Ok(vectors)
    }

    /// Adds the best chunks of each file (without a query vector, the first ones), and the rows that are always wanted.
    fn add_files(&mut self, of_files: Vec<Vec<ChunkRow>>, vectors: &RowVectors) {
        let first = self.prepared.first_vector();
        for mut rows in of_files {
            rows.retain(|row| self.is_allowed(*row));
            if let Some((stage, vector)) = first {
                let near = similarities(vectors, *stage, vector, &rows);
                rows = nearest_first(rows, near);
            }
            self.proposed.add(rows.into_iter().take(self.prepared.query.per_file));
        }
        let mut rows = self.prepared.query.rows.clone();
        rows.retain(|row| self.is_allowed(*row));
        self.proposed.add(rows);
    }

    /// Loads every chunk and scores it by every measure, whichever list proposed it.
    fn complete(mut self, session: &mut Session, mut vectors: RowVectors) -> Result<Vec<Candidate>> {
        let mut rows: Vec<ChunkRow> = self.proposed.found.keys().copied().collect();
        rows.sort_unstable();
        let stages: Vec<Stage> =
            Stage::ALL.into_iter().filter(|stage| !self.prepared.vectors(*stage).is_empty()).collect();
        // The proposals of one stage are also compared by the other stage.
        let missing: Vec<(Stage, Vec<ChunkRow>)> = stages
            .into_iter()
            .map(|stage| {
                (stage, rows.iter().copied().filter(|row| !vectors.contains_key(&(stage, *row))).collect())
            })
            .collect();
        vectors.extend(self.view.vectors(session, &missing)?);
        let mut chunks = self.view.load_facts(session, &rows)?;
        chunks.sort_by_cached_key(|chunk| location(chunk));
        let compared = |chunk: Arc<ChunkFacts>| {
            let parts = self.prepared.parts.iter().enumerate();
            let scores: Vec<PartScores> =
                parts.map(|(place, part)| self.scores(place, part, &vectors, chunk.row)).collect();
            let names = self.proposed.found.remove(&chunk.row).unwrap_or_default();
            candidate(chunk, &scores, names)
        };
        Ok(chunks.into_iter().map(compared).collect())
    }

    fn scores(&self, place: usize, part: &PreparedPart, vectors: &RowVectors, row: ChunkRow) -> PartScores {
        let similarity = |stage: Stage| {
            let query = part.vector(stage)?;
            vectors.get(&(stage, row)).map(|vector| vector.similarity_to(query))
        };
        PartScores {
            full_text: self.proposed.full_text[place].of(row),
            static_similarity: similarity(Stage::Static),
            provider_similarity: similarity(Stage::Provider),
        }
    }
}

const ROWS_OF_FILES: &str = "SELECT f.path_key, c.row FROM files AS f
    JOIN chunks AS c ON c.project = f.project AND c.manifest = f.manifest AND c.file = f.file
    WHERE f.project = $1 AND f.manifest = $2 AND f.path_key = ANY($3) ORDER BY c.byte_start, c.byte_end";

fn similarities(
    vectors: &RowVectors,
    stage: Stage,
    query: &QueryVector,
    rows: &[ChunkRow],
) -> Vec<Option<f32>> {
    rows.iter().map(|row| vectors.get(&(stage, *row)).map(|vector| vector.similarity_to(query))).collect()
}

fn sort_by_location(session: &mut Session, manifest: &Manifest, rows: &mut Vec<ChunkRow>) -> Result<()> {
    let wanted: Vec<i32> = rows.iter().map(|row| row.0 as i32).collect();
    let params: [Param<'_>; 3] = [&manifest.project, &manifest.id, &wanted];
    let found = session.query(
        "SELECT c.row FROM chunks AS c
         JOIN files AS f ON f.project = c.project AND f.manifest = c.manifest AND f.file = c.file
         WHERE c.project = $1 AND c.manifest = $2 AND c.row = ANY($3) ORDER BY f.path, c.byte_start, c.byte_end",
        &params,
    )?;
    *rows = found.iter().map(|row| ChunkRow(row.get::<_, i32>(0).into())).collect();
    Ok(())
}
