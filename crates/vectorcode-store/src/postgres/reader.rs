//! [`PostgresReader`] implements [`IndexReader`] over one manifest.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio_postgres::Row;
use vectorcode_core::api::Coverage;
use vectorcode_core::{CommitId, Import, Reference, SkipReason, lock};

use super::candidates;
use super::commits;
use super::definitions::{self, Lookup};
use super::manifest::{Manifest, ManifestKey};
use super::pool::Pool;
use super::rows::{Hash, clean, file_state, select_chunks, stored_chunk};
use super::session::{Param, Query, Session};
use super::trees;
use super::view::{View, ViewCell};
use super::write_batch::used_term;
use crate::contract::{
    Candidate, CandidateQuery, ChunkFilter, ChunkRow, CommitText, DefinitionMatch, FileState, IndexReader,
    IndexSpaces, IndexStats, NameMatch, PendingChunk, Result, SourceFile, StoredChunk, StoredContent,
    StoredDefinition, StoredHistory, StoredReference, WordFrequencies,
};
use crate::index::chunk_attributes::CompiledFilter;
use crate::index::enum_codes;
use crate::index::fulltext::{self, PostingList, Term};
use crate::index::name_match::Restriction;
use crate::index::packed_facts::{unpack_imports, unpack_uses};
use crate::index::prepared_query::PreparedQuery;
use crate::index::spelling;
use crate::index::stage::Stage;

/// A search reads versions, spaces and properties one by one and expects them to be from the same moment, so the manifest is
/// cached for this long. A write of this process invalidates it at once; those of others are seen with at most this delay.
const MANIFEST_CACHE_TTL: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct PostgresReader {
    pool: Arc<Pool>,
    place: ManifestKey,
    view: ViewCell,
    last: Mutex<Option<LastManifest>>,
    coverage: Mutex<Option<(i64, Coverage)>>,
}

#[derive(Debug)]
struct LastManifest {
    read: Instant,
    written: u64,
    manifest: Arc<Manifest>,
}

impl PostgresReader {
    pub fn open(pool: Arc<Pool>, place: ManifestKey) -> Result<Self> {
        let reader = Self {
            pool,
            place,
            view: ViewCell::default(),
            last: Mutex::default(),
            coverage: Mutex::default(),
        };
        reader.manifest()?;
        Ok(reader)
    }

    /// Runs `work` in one transaction, so that all of its statements see the same state.
    pub(super) fn read<T>(&self, mut work: impl FnMut(&mut Session, &Manifest) -> Result<T>) -> Result<T> {
        self.pool.run(|session| {
            let (read, written) = (Instant::now(), self.pool.written());
            let manifest = Arc::new(Manifest::begin_reading(session, &self.place)?);
            *lock(&self.last) = Some(LastManifest { read, written, manifest: manifest.clone() });
            let result = work(session, &manifest)?;
            session.end_reading();
            Ok(result)
        })
    }

    fn rows(&self, sql: &'static str) -> Result<Vec<Row>> {
        self.read(|session, manifest| session.query(sql, &[&manifest.project, &manifest.id]))
    }

    fn with_view<T>(&self, mut work: impl FnMut(&mut Session, &Manifest, &View) -> Result<T>) -> Result<T> {
        self.read(|session, manifest| {
            let view = self.view.at(session, manifest)?;
            work(session, manifest, &view)
        })
    }

    /// The manifest, at most [`MANIFEST_CACHE_TTL`] old.
    fn manifest(&self) -> Result<Arc<Manifest>> {
        let written = self.pool.written();
        if let Some(last) = &*lock(&self.last)
            && last.written == written
            && last.read.elapsed() < MANIFEST_CACHE_TTL
        {
            return Ok(last.manifest.clone());
        }
        self.read(|_, manifest| Ok(Arc::new(manifest.clone())))
    }

    fn damaged(&self) -> crate::StoreError {
        super::error::damaged(&self.pool.address().to_string())
    }

    fn uses_of_files(
        &self,
        session: &mut Session,
        manifest: &Manifest,
        names: &[&str],
    ) -> Result<Vec<UsesOfFile>> {
        let view = self.view.at(session, manifest)?;
        let terms: Vec<Term> =
            names.iter().map(|name| Term { word: used_term(name), prefix: false }).collect();
        let lists = view.lists(session, &terms)?;
        let dead = &view.full_text(session)?.dead;
        let postings = lists.iter().flat_map(|lists| lists.iter()).flat_map(|list| PostingList::new(list));
        let mut rows: Vec<i32> = postings
            .filter(|posting| !dead.contains(posting.row))
            .map(|posting| posting.row as i32)
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let params: [Param<'_>; 3] = [&manifest.project, &manifest.id, &rows];
        let found = session.query(
            "SELECT f.path, u.uses FROM file_facts AS u
             JOIN files AS f ON f.project = u.project AND f.manifest = u.manifest AND f.file = u.file
             WHERE u.project = $1 AND u.manifest = $2 AND u.file IN
                 (SELECT file FROM chunks WHERE project = $1 AND manifest = $2 AND row = ANY($3))
             ORDER BY f.path",
            &params,
        )?;
        let is_wanted = |name: &str| names.contains(&name);
        let uses =
            |row: &Row| Some(UsesOfFile { path: row.get(0), uses: unpack_uses(row.get(1), is_wanted)? });
        found.iter().map(|row| uses(row).ok_or_else(|| session.damaged())).collect()
    }
}

/// The references in a file, in line order.
struct UsesOfFile {
    path: String,
    uses: Vec<Reference>,
}

impl IndexReader for PostgresReader {
    fn files(&self) -> Result<HashMap<String, FileState>> {
        let rows = self.rows(
            "SELECT path, mtime_ns, size, hash, content_version, blob FROM files WHERE project = $1 AND manifest = $2",
        )?;
        rows.iter().map(|row| Ok((row.get(0), file_state(row).ok_or_else(|| self.damaged())?))).collect()
    }

    fn file(&self, path: &str) -> Result<Option<FileState>> {
        let key = Hash::of(path.as_bytes());
        let rows = self.read(|session, manifest| {
            session.query(
                "SELECT path, mtime_ns, size, hash, content_version, blob FROM files
                 WHERE project = $1 AND manifest = $2 AND path_key = $3",
                &[&manifest.project, &manifest.id, &key],
            )
        })?;
        rows.first().map(|row| file_state(row).ok_or_else(|| self.damaged())).transpose()
    }

    fn stats(&self) -> Result<IndexStats> {
        self.read(read_stats)
    }

    fn coverage(&self) -> Result<Coverage> {
        let seq = self.manifest()?.seq;
        if let Some((known, coverage)) = *lock(&self.coverage)
            && known == seq
        {
            return Ok(coverage);
        }
        let (seq, coverage) =
            self.read(|session, manifest| Ok((manifest.seq, read_coverage(session, manifest)?)))?;
        *lock(&self.coverage) = Some((seq, coverage));
        Ok(coverage)
    }

    fn count(&self, filter: &ChunkFilter) -> Result<u64> {
        let filter = CompiledFilter::new(filter)?;
        let selected = self.with_view(|session, _, view| view.select(session, filter.as_ref()))?;
        match selected {
            Some(rows) => Ok(rows.len() as u64),
            None => Ok(self.coverage()?.total),
        }
    }

    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>> {
        let rows = self.rows(
            "SELECT reason, count FROM skipped WHERE project = $1 AND manifest = $2 ORDER BY count DESC, reason COLLATE \"C\"",
        )?;
        let known = |row: &Row| {
            let reason = enum_codes::reason_of(row.get(0))?;
            Some((reason, row.get::<_, i64>(1).cast_unsigned()))
        };
        Ok(rows.iter().filter_map(known).collect())
    }

    fn meta(&self, key: &str) -> Result<Option<String>> {
        Ok(self.manifest()?.meta.get(key).cloned())
    }

    fn spaces(&self) -> Result<IndexSpaces> {
        self.manifest()?.spaces().ok_or_else(|| self.damaged())
    }

    fn version(&self) -> Result<i64> {
        Ok(self.manifest()?.seq)
    }

    fn files_version(&self) -> Result<i64> {
        Ok(self.manifest()?.files_version)
    }

    /// Checks that every chunk has its text and its file, that every definition has its chunk, and that full text counts as many
    /// chunks as there are.
    fn verify(&self) -> Result<()> {
        let rows = self.rows(
            "SELECT (SELECT count(*) FROM chunks AS c WHERE c.project = $1 AND c.manifest = $2 AND NOT EXISTS
                     (SELECT 1 FROM texts AS t WHERE t.project = c.project AND t.hash = c.content_hash)),
                 (SELECT count(*) FROM chunks AS c WHERE c.project = $1 AND c.manifest = $2 AND NOT EXISTS
                     (SELECT 1 FROM files AS f WHERE f.project = c.project AND f.manifest = c.manifest AND f.file = c.file)),
                 (SELECT count(*) FROM symbols AS s WHERE s.project = $1 AND s.manifest = $2 AND NOT EXISTS
                     (SELECT 1 FROM chunks AS c WHERE c.project = s.project AND c.manifest = s.manifest AND c.row = s.row)),
                 (SELECT count(*) FROM chunks WHERE project = $1 AND manifest = $2)
                     - (SELECT coalesce(sum(documents), 0) FROM segments WHERE project = $1 AND manifest = $2)",
        )?;
        let counts: Vec<i64> =
            rows.iter().flat_map(|row| (0..4).map(move |column| row.get::<_, i64>(column))).collect();
        if counts.iter().all(|count| *count == 0) {
            return Ok(());
        }
        tracing::warn!(?counts, "the index is damaged");
        Err(self.damaged())
    }

    fn memory_bytes(&self) -> usize {
        self.view.bytes()
    }

    fn shrink(&self) {
        self.view.shrink();
    }

    fn candidates(&self, query: &CandidateQuery) -> Result<Vec<Candidate>> {
        let prepared = PreparedQuery::new(query)?;
        self.with_view(|session, manifest, view| candidates::find(&prepared, session, manifest, view))
    }

    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>> {
        self.with_view(|session, _, view| view.load_chunks(session, rows))
    }

    fn word_frequencies(&self, words: &[&str]) -> Result<WordFrequencies> {
        let terms: Vec<Term> =
            words.iter().map(|word| Term { word: clean(word).into_owned(), prefix: false }).collect();
        self.with_view(|session, _, view| {
            let full_text = view.full_text(session)?;
            let Some(stats) = &full_text.stats else {
                return Ok(WordFrequencies { chunks: 0, holding: vec![0; words.len()] });
            };
            let lists = view.lists(session, &terms)?;
            let holding = lists.iter().map(|lists| fulltext::holding(lists, &full_text.dead)).collect();
            Ok(WordFrequencies { chunks: stats.documents(), holding })
        })
    }

    fn paths_named(&self, file_names: &[&str]) -> Result<Vec<String>> {
        let names: Vec<String> = file_names.iter().map(|name| clean(name).to_ascii_lowercase()).collect();
        let rows = self.read(|session, manifest| {
            session.query(
                "SELECT path FROM files WHERE project = $1 AND manifest = $2
                     AND lower(substring(path FROM '[^/]*$')) = ANY($3) ORDER BY path",
                &[&manifest.project, &manifest.id, &names],
            )
        })?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>> {
        let key = Hash::of(path.as_bytes());
        let rows = self.read(|session, manifest| {
            let sql = select_chunks!("f.path_key = $3 ORDER BY c.byte_start, c.byte_end");
            session.query(sql, &[&manifest.project, &manifest.id, &key])
        })?;
        rows.iter().map(|row| stored_chunk(row).ok_or_else(|| self.damaged())).collect()
    }

    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>> {
        // Here the kinds of the filter are those of definitions, not of chunks.
        let kinds = &filter.kinds;
        let filter = CompiledFilter::new(&ChunkFilter { kinds: Vec::new(), ..filter.clone() })?;
        self.with_view(|session, manifest, view| {
            let allowed = view.select(session, filter.as_ref())?;
            let lookup = Lookup::new(session, manifest, name)?;
            let params = lookup.params(manifest);
            let rows = session.pipeline(None, &[lookup.query(&params)])?.swap_remove(0);
            let restriction = Restriction { allowed: allowed.as_ref(), kinds };
            lookup.rank(&rows, &restriction, k).ok_or_else(|| session.damaged())
        })
    }

    fn spellings_of(&self, words: &[&str]) -> Result<Vec<Option<String>>> {
        let words: Vec<String> = words.iter().map(|word| clean(word).to_lowercase()).collect();
        self.read(|session, manifest| {
            let asked: [Param<'_>; 3] = [&manifest.project, &manifest.id, &words];
            let known =
                "SELECT DISTINCT term FROM postings WHERE project = $1 AND manifest = $2 AND term = ANY($3)";
            let known = session.query(known, &asked)?;
            let known: HashSet<&str> = known.iter().map(|row| row.get(0)).collect();
            let is_unknown =
                |word: &&String| spelling::allowed_distance(word).is_some() && !known.contains(word.as_str());
            if !words.iter().any(|word| is_unknown(&word)) {
                return Ok(vec![None; words.len()]);
            }
            let rows = session.query(
                "SELECT word, count(*) FROM name_words WHERE project = $1 AND manifest = $2 GROUP BY word",
                &asked[..2],
            )?;
            let mut names = spelling::NameWords::default();
            for row in &rows {
                names.add(row.get(0), row.get(1));
            }
            let near = |word: &String| Some(word).filter(is_unknown).and_then(|word| names.nearest(word));
            Ok(words.iter().map(near).collect())
        })
    }

    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>> {
        let key = Hash::of(path.as_bytes());
        self.read(|session, manifest| definitions::of_file(session, manifest, key))
    }

    fn definitions_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredDefinition>>> {
        self.read(|session, manifest| definitions::named(session, manifest, names))
    }

    fn references_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredReference>>> {
        let files = self.read(|session, manifest| self.uses_of_files(session, manifest, names))?;
        let of = |name: &&str| {
            let uses = files.iter().flat_map(|file| file.uses.iter().map(move |used| (&file.path, used)));
            uses.filter(|(_, used)| used.name == **name)
                .map(|(path, used)| StoredReference { path: path.clone(), reference: used.clone() })
                .collect()
        };
        Ok(names.iter().map(of).collect())
    }

    fn references_of(&self, path: &str) -> Result<Vec<Reference>> {
        let key = Hash::of(path.as_bytes());
        let rows = self.read(|session, manifest| {
            session.query(
                "SELECT u.uses FROM file_facts AS u
                 JOIN files AS f ON f.project = u.project AND f.manifest = u.manifest AND f.file = u.file
                 WHERE u.project = $1 AND u.manifest = $2 AND f.path_key = $3",
                &[&manifest.project, &manifest.id, &key],
            )
        })?;
        let uses = |row: &Row| unpack_uses(row.get(0), |_| true).ok_or_else(|| self.damaged());
        Ok(rows.first().map(uses).transpose()?.unwrap_or_default())
    }

    fn imports(&self) -> Result<Vec<(String, Import)>> {
        let rows = self.rows(
            "SELECT f.path, u.imports FROM file_facts AS u
             JOIN files AS f ON f.project = u.project AND f.manifest = u.manifest AND f.file = u.file
             WHERE u.project = $1 AND u.manifest = $2 AND length(u.imports) > 0 ORDER BY f.path",
        )?;
        let mut all = Vec::new();
        for row in &rows {
            let imports = unpack_imports(row.get(1)).ok_or_else(|| self.damaged())?;
            all.extend(imports.into_iter().map(|import| (row.get(0), import)));
        }
        Ok(all)
    }

    fn source_files(&self) -> Result<Vec<SourceFile>> {
        let rows = self.rows(
            "SELECT path, language, class, flags FROM files WHERE project = $1 AND manifest = $2 ORDER BY path",
        )?;
        let file = |row: &Row| SourceFile {
            path: row.get(0),
            language: row.get(1),
            class: enum_codes::class_of(row.get::<_, i16>(2).into()),
            is_test: enum_codes::flags_of(row.get::<_, i16>(3).into()).test,
        };
        Ok(rows.iter().map(file).collect())
    }

    fn contents(&self) -> Result<HashMap<String, Vec<StoredContent>>> {
        self.read(trees::contents)
    }

    fn missing_files(&self) -> u64 {
        let missing = self.meta(trees::MISSING_FILES).ok().flatten();
        missing.and_then(|count| count.parse().ok()).unwrap_or_default()
    }

    fn history(&self) -> Result<StoredHistory> {
        self.read(commits::read)
    }

    fn history_version(&self) -> Result<i64> {
        Ok(self.manifest()?.history_version)
    }

    fn commit_texts(&self, ids: &[CommitId]) -> Result<Vec<Option<CommitText>>> {
        self.read(|session, manifest| commits::texts(session, manifest, ids))
    }

    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>> {
        let k = i64::try_from(k).unwrap_or(i64::MAX);
        let rows = self.read(|session, manifest| {
            let sql = select_chunks!("c.pending IS NOT NULL ORDER BY c.pending DESC, c.row LIMIT $3");
            session.query(sql, &[&manifest.project, &manifest.id, &k])
        })?;
        let waiting = |row: &Row| {
            let stored = stored_chunk(row)?;
            let (start_line, text) = (stored.chunk.span.start_line, stored.chunk.embedding_text());
            Some(PendingChunk { row: stored.row, path: stored.chunk.path, start_line, text })
        };
        rows.iter().map(|row| waiting(row).ok_or_else(|| self.damaged())).collect()
    }

    fn provider_vectors(&self, rows: &[ChunkRow]) -> Result<Vec<Option<Vec<f32>>>> {
        let wanted = [(Stage::Provider, rows.to_vec())];
        let found = self.with_view(|session, _, view| view.vectors(session, &wanted))?;
        Ok(rows.iter().map(|row| Some(found.get(&(Stage::Provider, *row))?.unit())).collect())
    }
}

fn read_coverage(session: &mut Session, manifest: &Manifest) -> Result<Coverage> {
    let row = session.query_one(
        "SELECT (SELECT count(*) FROM chunks WHERE project = $1 AND manifest = $2),
             (SELECT count(*) FROM refused WHERE project = $1 AND manifest = $2),
             (SELECT count(*) FROM chunks WHERE project = $1 AND manifest = $2 AND pending IS NOT NULL)",
        &[&manifest.project, &manifest.id],
    )?;
    let [total, refused, waiting] = [0, 1, 2].map(|column| row.get::<_, i64>(column).cast_unsigned());
    Ok(Coverage { embedded: total.saturating_sub(refused + waiting), total })
}

fn read_stats(session: &mut Session, manifest: &Manifest) -> Result<IndexStats> {
    let Coverage { embedded, total: chunks } = read_coverage(session, manifest)?;
    let params: [Param<'_>; 2] = [&manifest.project, &manifest.id];
    let query = |sql: &'static str| Query { sql, params: &params };
    let answers = session.pipeline(
        None,
        &[
            query(
                "SELECT (SELECT count(*) FROM files WHERE project = $1 AND manifest = $2),
                     (SELECT count(*) FROM symbols WHERE project = $1 AND manifest = $2),
                     (SELECT count(*) FROM refused WHERE project = $1 AND manifest = $2),
                     (SELECT count(*) FROM commits WHERE project = $1 AND manifest = $2 AND message IS NOT NULL)",
            ),
            query(
                "SELECT language, count(*) FROM files WHERE project = $1 AND manifest = $2
                 GROUP BY language ORDER BY count(*) DESC, language",
            ),
            query("SELECT flags, count(*) FROM files WHERE project = $1 AND manifest = $2 GROUP BY flags"),
        ],
    )?;
    // The index's share of the database is estimated as its share of all chunks.
    let sizes = session.query_one(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint,
             greatest(max(reltuples) FILTER (WHERE relname = 'chunks'), 1)::float8
         FROM pg_class WHERE relnamespace = 'vectorcode'::regnamespace AND relkind = 'r'",
        &[],
    )?;
    let share = (chunks as f64 / sizes.get::<_, f64>(1)).min(1.0);
    let count = |column: usize| answers[0][0].get::<_, i64>(column).cast_unsigned();
    let counted = |row: &Row| row.get::<_, i64>(1).cast_unsigned();
    let flags = |row: &Row| enum_codes::flags_of(row.get::<_, i16>(0).into());
    Ok(IndexStats {
        files: count(0),
        chunks,
        symbols: count(1),
        embedded,
        refused: count(2),
        commits: count(3),
        languages: answers[1].iter().map(|row| (row.get(0), counted(row))).collect(),
        flags: answers[2].iter().map(|row| (flags(row), counted(row))).collect(),
        database_bytes: (sizes.get::<_, i64>(0) as f64 * share) as u64,
    })
}
