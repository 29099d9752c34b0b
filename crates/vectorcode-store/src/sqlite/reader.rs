//! [`SqliteReader`] implements [`IndexReader`] over one database file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use vectorcode_core::api::Coverage;
use vectorcode_core::{CommitId, Import, Reference, SkipReason};

use super::checkouts::{self, Checkout, MAIN};
use super::connection::{ConnectionPool, ReadFailure};
use super::hidden_rows::HiddenRows;
use super::meta::{self, HISTORY_HEAD};
use super::reader_cache::ReaderCache;
use super::tree_scope::TreeScope;
use super::{
    change_log, chunks, commits, database_file, definitions, files, fulltext, references, spelling, trees,
    vectors,
};
use crate::StoreError;
use crate::contract::{
    Candidate, CandidateQuery, ChunkFilter, ChunkRow, CommitText, DefinitionMatch, FileState, IndexReader,
    IndexSize, IndexSpaces, IndexStats, NameMatch, PendingChunk, Result, SourceFile, StoredChunk,
    StoredContent, StoredDefinition, StoredHistory, StoredReference, TreeKey, WordFrequencies,
};
use crate::index::chunk_attributes::CompiledFilter;
use crate::index::enum_codes;
use crate::index::name_match::Restriction;
use crate::index::prepared_query::PreparedQuery;
use crate::index::stage::Stage;

/// Reads an index. Threads share it by reference.
#[derive(Debug)]
pub(super) struct SqliteReader {
    scope: TreeScope,
    pool: ConnectionPool,
    cache: ReaderCache,
}

impl SqliteReader {
    /// Opens the index file at `path`, which must exist.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Self::open_scoped(path, TreeScope::default())
    }

    /// A reader of a commit; `None` if the index does not have its tree.
    pub(super) fn open_tree(path: &Path, key: &TreeKey) -> Result<Option<Self>> {
        let tree = Self::open(path)?.read(|conn| trees::find(conn, key))?;
        tree.map(|tree| Self::open_scoped(path, TreeScope::Commit(Arc::new(tree)))).transpose()
    }

    /// A reader of a worktree: the linked one that git calls `linked`, or the main one.
    pub(super) fn open_checkout(path: &Path, linked: Option<&str>) -> Result<Self> {
        let scope = linked.map_or(TreeScope::Working, |name| TreeScope::Linked(name.into()));
        let reader = Self::open_scoped(path, scope)?;
        reader.read(|_| Ok(()))?;
        Ok(reader)
    }

    fn open_scoped(path: &Path, scope: TreeScope) -> Result<Self> {
        let pool = ConnectionPool::open(path, scope.clone())?;
        Ok(Self { scope, pool, cache: ReaderCache::default() })
    }

    pub(super) fn path(&self) -> &Path {
        self.pool.path()
    }

    pub(super) fn meta_key<'k>(&self, key: &'k str) -> Cow<'k, str> {
        self.scope.meta_key(key)
    }

    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.read_checked(|conn| Ok(work(conn)?))
    }

    fn read_checked<T>(
        &self,
        work: impl FnOnce(&Connection) -> std::result::Result<T, ReadFailure>,
    ) -> Result<T> {
        self.follow_replacement()?;
        self.pool.read(|conn| {
            self.check_tree(conn)?;
            work(conn)
        })
    }

    fn check_tree(&self, conn: &Connection) -> std::result::Result<(), ReadFailure> {
        self.scope.why_gone(conn)?.map_or(Ok(()), |error| Err(ReadFailure::Refused(error)))
    }

    fn follow_replacement(&self) -> Result<()> {
        if self.pool.check_replaced()? {
            self.cache.forget();
        }
        Ok(())
    }
}

impl IndexReader for SqliteReader {
    fn files(&self) -> Result<HashMap<String, FileState>> {
        self.read(files::states)
    }

    fn file(&self, path: &str) -> Result<Option<FileState>> {
        self.read(|conn| files::state(conn, path))
    }

    fn files_within(&self, places: &[String]) -> Result<HashMap<String, FileState>> {
        self.read(|conn| files::states_within(conn, places))
    }

    fn size(&self) -> Result<IndexSize> {
        self.read(|conn| {
            let hidden = self.cache.hidden_rows(conn)?;
            Ok(IndexSize { files: files::count(conn)?, chunks: fulltext::documents(conn, &hidden)? })
        })
    }

    fn pending_count(&self) -> Result<u64> {
        self.read(|conn| self.cache.pending_count(conn))
    }

    fn stats(&self) -> Result<IndexStats> {
        let mut stats = self.read(|conn| {
            let hidden = self.cache.hidden_rows(conn)?;
            self.cache.read_stats(conn, |conn| read_stats(conn, &hidden))
        })?;
        stats.database_bytes = database_file::bytes(self.path());
        Ok(stats)
    }

    fn coverage(&self) -> Result<Coverage> {
        self.read(|conn| self.cache.coverage(conn))
    }

    fn count(&self, filter: &ChunkFilter) -> Result<u64> {
        let filter = CompiledFilter::new(filter)?;
        if filter.is_none() {
            return Ok(self.coverage()?.total);
        }
        let selected = self.read(|conn| self.cache.select(conn, filter.as_ref()))?;
        Ok(selected.map_or(0, |rows| rows.len() as u64))
    }

    fn skipped(&self) -> Result<Vec<(SkipReason, u64)>> {
        self.read(|conn| {
            let checkout = Checkout::find(conn, self.scope.linked())?.map_or(MAIN, Checkout::number);
            let mut skipped = conn
                .prepare_cached("SELECT reason, count FROM skipped WHERE checkout = ? ORDER BY count DESC")?;
            let rows = skipped.query_map([checkout], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
            let known = rows.filter_map(|row| {
                row.map(|(reason, count)| Some((enum_codes::reason_of(&reason)?, count))).transpose()
            });
            known.collect()
        })
    }

    fn meta(&self, key: &str) -> Result<Option<String>> {
        self.read(|conn| meta::get(conn, &self.scope.meta_key(key)))
    }

    fn spaces(&self) -> Result<IndexSpaces> {
        self.read(meta::spaces)
    }

    fn version(&self) -> Result<i64> {
        self.read(change_log::last)
    }

    fn files_version(&self) -> Result<i64> {
        self.read(meta::files_version)
    }

    fn verify(&self) -> Result<()> {
        let report: String =
            self.read(|conn| conn.pragma_query_value(None, "quick_check", |row| row.get(0)))?;
        if report == "ok" {
            return Ok(());
        }
        tracing::warn!(%report, "the index is damaged");
        Err(StoreError::damaged(self.path()))
    }

    fn memory_bytes(&self) -> usize {
        self.cache.bytes() + self.pool.cache_bytes()
    }

    fn shrink(&self) {
        self.cache.shrink();
        self.pool.shrink();
    }

    fn candidates(&self, query: &CandidateQuery) -> Result<Vec<Candidate>> {
        let prepared = PreparedQuery::new(query)?;
        if !self.cache.is_large() {
            return self.read_checked(|conn| prepared.find(conn, None, &self.cache));
        }
        self.follow_replacement()?;
        self.pool.read_by_two(|conn, second| {
            self.check_tree(conn)?;
            prepared.find(conn, second, &self.cache)
        })
    }

    fn chunks(&self, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>> {
        self.read(|conn| self.cache.load_chunks(conn, rows))
    }

    fn word_frequencies(&self, words: &[&str]) -> Result<WordFrequencies> {
        self.read(|conn| fulltext::word_frequencies(conn, &*self.cache.hidden_rows(conn)?, words))
    }

    fn paths_named(&self, file_names: &[&str]) -> Result<Vec<String>> {
        self.read(|conn| files::named(conn, file_names))
    }

    fn chunks_of(&self, path: &str) -> Result<Vec<StoredChunk>> {
        self.read(|conn| chunks::of_file(conn, path))
    }

    fn definitions(&self, name: &NameMatch, filter: &ChunkFilter, k: usize) -> Result<Vec<DefinitionMatch>> {
        // Here the kinds of the filter are those of definitions, not of chunks.
        let kinds = &filter.kinds;
        let filter = CompiledFilter::new(&ChunkFilter { kinds: Vec::new(), ..filter.clone() })?;
        self.read(|conn| {
            let allowed = self.cache.select(conn, filter.as_ref())?;
            let restriction = Restriction { allowed: allowed.as_ref(), kinds };
            definitions::find(conn, self.cache.names(), name, &restriction, k)
        })
    }

    fn spellings_of(&self, words: &[&str]) -> Result<Vec<Option<String>>> {
        self.read(|conn| spelling::of(conn, || self.cache.name_words(conn), words))
    }

    fn definitions_of(&self, path: &str) -> Result<Vec<StoredDefinition>> {
        self.read(|conn| definitions::of_file(conn, path))
    }

    fn definitions_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredDefinition>>> {
        self.read(|conn| names.iter().map(|name| definitions::named(conn, name)).collect())
    }

    fn references_named(&self, names: &[&str]) -> Result<Vec<Vec<StoredReference>>> {
        self.read(|conn| {
            let hidden = self.cache.hidden_rows(conn)?;
            names.iter().map(|name| references::named(conn, &hidden, name)).collect()
        })
    }

    fn references_of(&self, path: &str) -> Result<Vec<Reference>> {
        self.read(|conn| references::of_file(conn, path))
    }

    fn imports(&self) -> Result<Vec<(String, Import)>> {
        self.read(references::imports)
    }

    fn source_files(&self) -> Result<Vec<SourceFile>> {
        self.read(files::source_files)
    }

    fn contents(&self) -> Result<HashMap<String, Vec<StoredContent>>> {
        self.read(trees::contents)
    }

    fn contents_at(&self, paths: &[&str]) -> Result<HashMap<String, Vec<StoredContent>>> {
        self.read(|conn| trees::contents_at(conn, paths))
    }

    fn checkouts(&self) -> Result<Vec<String>> {
        self.read(checkouts::names)
    }

    fn tree_commits(&self) -> Result<Vec<CommitId>> {
        self.read(|conn| {
            let mut commits = trees::commits(conn)?;
            commits.extend(meta::other_history_heads(conn, &self.meta_key(HISTORY_HEAD))?);
            Ok(commits)
        })
    }

    fn history(&self) -> Result<StoredHistory> {
        self.read(|conn| commits::read(conn, &self.meta_key(HISTORY_HEAD)))
    }

    fn history_version(&self) -> Result<i64> {
        self.read(meta::history_version)
    }

    fn commit_texts(&self, ids: &[CommitId]) -> Result<Vec<Option<CommitText>>> {
        self.read(|conn| commits::texts(conn, ids))
    }

    fn missing_files(&self) -> u64 {
        self.scope.missing_files()
    }

    fn pending(&self, k: usize) -> Result<Vec<PendingChunk>> {
        let waiting = self.read(|conn| chunks::pending(conn, k))?;
        Ok(waiting.into_iter().map(pending_chunk).collect())
    }

    fn provider_vectors(&self, rows: &[ChunkRow]) -> Result<Vec<Option<Vec<f32>>>> {
        self.read(|conn| vectors::read_vectors(conn, Stage::Provider, rows))
    }
}

fn read_stats(conn: &Connection, hidden: &HiddenRows) -> rusqlite::Result<IndexStats> {
    let count = |sql: &str| conn.prepare_cached(sql)?.query_row([], |row| row.get::<_, u64>(0));
    let (chunks, refused) = (fulltext::documents(conn, hidden)?, chunks::refused_count(conn, hidden)?);
    let waiting = chunks::pending_rows(conn)?.iter().filter(|row| hidden.shows(*row)).count() as u64;
    let symbols_outside =
        count("SELECT count(*) FROM outside_files AS f CROSS JOIN symbols AS s ON s.file_id = f.id")?;
    let mut languages = conn.prepare_cached(
        "SELECT name, files FROM (SELECT language, count(*) AS files FROM source_files GROUP BY language)
             JOIN labels ON labels.id = language
         ORDER BY files DESC, name",
    )?;
    let languages = languages.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut flags = conn.prepare_cached("SELECT flags, count(*) FROM source_files GROUP BY flags")?;
    let flags = flags.query_map([], |row| Ok((enum_codes::flags_of(row.get(0)?), row.get(1)?)))?;
    Ok(IndexStats {
        files: files::count(conn)?,
        chunks,
        symbols: count("SELECT count(*) FROM symbols")?.saturating_sub(symbols_outside),
        embedded: chunks.saturating_sub(refused + waiting),
        refused,
        commits: count("SELECT count(*) FROM commit_text")?,
        languages: languages.collect::<Result<_, _>>()?,
        flags: flags.collect::<Result<_, _>>()?,
        database_bytes: 0,
    })
}

fn pending_chunk(stored: StoredChunk) -> PendingChunk {
    PendingChunk {
        row: stored.row,
        start_line: stored.chunk.span.start_line,
        text: stored.chunk.embedding_text(),
        path: stored.chunk.path,
    }
}
