//! What a reader caches of one generation of a manifest: codes, attributes, posting lists, and recently read vectors and chunks.
//!
//! The generation of a view never changes. When the manifest has a newer one, the next view takes over everything that the change
//! log does not list, so that an edit only costs what it touched. Any number of servers may hold views of one manifest; each
//! compares generations within the transaction in which it reads.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

use rustc_hash::FxHashMap;

use super::manifest::{Manifest, space_key};
use super::rows::{SELECT_FACTS, chunk_facts, select_chunks, stored_chunk};
use super::session::{Param, Query, Session};
use crate::StoreError;
use crate::contract::{ChunkFacts, ChunkRow, Result, StoredChunk};
use crate::index::change_log;
use crate::index::chunk_attributes::{ChunkAttributes, CompiledFilter};
use crate::index::chunk_cache::Cached;
use crate::index::enum_codes::{self, TraitBits};
use crate::index::fulltext::{CorpusStats, DocumentCounts, Extent, MAX_COMPLETIONS, Segment, Term};
use crate::index::generations::Generations;
use crate::index::row_bitmap::{MAX_ROW, RowBitmap};
use crate::index::stage::Stage;
use crate::index::vectors::{QueryVector, ResidentCodes, StoredVector};
use vectorcode_core::lock;

/// If more rows than this were touched, everything is read again.
const MAX_ROWS_TO_REFRESH: usize = 1000;
/// Memory for exact vectors. Fetching them over a network costs more than reading a file, so this cache is larger than in the
/// other backend: it holds all vectors of a project of 100,000 chunks.
const MAX_VECTOR_BYTES: usize = 32 * 1024 * 1024;
const VECTOR_BYTES: usize = 88;
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// The posting lists of a term in all segments.
pub(super) type Lists = Arc<Vec<Vec<u8>>>;
type Recent<C> = Mutex<Generations<ChunkRow, Arc<C>>>;
type Vectors = Mutex<Generations<(Stage, ChunkRow), Arc<StoredVector>>>;

#[derive(Debug)]
pub(super) struct View {
    project: i64,
    manifest: i32,
    pub seq: i64,
    spaces: [(i64, usize); 2],
    codes: [OnceLock<Arc<ResidentCodes>>; 2],
    attributes: OnceLock<Arc<ChunkAttributes>>,
    full_text: OnceLock<Arc<FullText>>,
    lists: Mutex<CachedLists>,
    facts: Recent<ChunkFacts>,
    chunks: Recent<StoredChunk>,
    /// A row keeps its vectors as long as it exists, so all views of a manifest share them.
    vectors: Arc<Vectors>,
}

#[derive(Debug, Default)]
struct CachedLists {
    bytes: usize,
    by_term: HashMap<Term, Lists>,
}

/// How to read chunks in one form by their rows.
struct Select<C> {
    sql: &'static str,
    /// `None` if the row is damaged.
    read: fn(&tokio_postgres::Row) -> Option<C>,
}

/// Full-text statistics over all chunks.
#[derive(Debug)]
pub(super) struct FullText {
    pub stats: Option<CorpusStats>,
    pub dead: RowBitmap,
}

/// The last view of a reader.
#[derive(Debug, Default)]
pub(super) struct ViewCell(Mutex<Option<Arc<View>>>);

impl ViewCell {
    /// The view of the generation that the session's transaction sees.
    pub fn at(&self, session: &mut Session, manifest: &Manifest) -> Result<Arc<View>> {
        let mut last = lock(&self.0);
        let next = match last.as_ref() {
            Some(view) if view.manifest == manifest.id && view.seq == manifest.seq => return Ok(view.clone()),
            // This transaction started before the one that made the view: it gets a view of its own.
            Some(view) if view.manifest == manifest.id && view.seq > manifest.seq => {
                return Ok(Arc::new(View::empty(session, manifest)?));
            }
            Some(view) if view.manifest == manifest.id => view.followed_by(session, manifest)?,
            _ => View::empty(session, manifest)?,
        };
        let next = Arc::new(next);
        *last = Some(next.clone());
        Ok(next)
    }

    /// Memory use of the view; 0 if it is locked.
    pub fn bytes(&self) -> usize {
        let Ok(view) = self.0.try_lock() else { return 0 };
        view.as_ref().map_or(0, |view| view.bytes())
    }

    /// Drops what was cached from recent reads.
    pub fn shrink(&self) {
        let view = self.0.try_lock().ok().and_then(|view| view.clone());
        if let Some(view) = view {
            *lock(&view.lists) = CachedLists::default();
            lock(&view.facts).clear();
            lock(&view.chunks).clear();
            lock(&view.vectors).clear();
        }
    }
}

fn place(stage: Stage) -> usize {
    match stage {
        Stage::Static => 0,
        Stage::Provider => 1,
    }
}

pub(super) fn stage_code(stage: Stage) -> i16 {
    place(stage) as i16
}

impl View {
    fn empty(session: &Session, manifest: &Manifest) -> Result<Self> {
        let spaces = manifest.spaces().ok_or_else(|| session.damaged())?;
        if i64::from(manifest.next_row) > MAX_ROW {
            return Err(session.damaged());
        }
        Ok(Self {
            project: manifest.project,
            manifest: manifest.id,
            seq: manifest.seq,
            spaces: [&spaces.statics, &spaces.provider].map(|space| (space_key(space), space.dimensions)),
            codes: Default::default(),
            attributes: OnceLock::new(),
            full_text: OnceLock::new(),
            lists: Mutex::default(),
            facts: Mutex::new(Generations::new(ChunkFacts::MAX_BYTES)),
            chunks: Mutex::new(Generations::new(StoredChunk::MAX_BYTES)),
            vectors: Arc::new(Mutex::new(Generations::new(MAX_VECTOR_BYTES))),
        })
    }

    /// The view of a later generation, with everything of this one that is still valid.
    fn followed_by(&self, session: &mut Session, manifest: &Manifest) -> Result<Self> {
        let mut next = Self::empty(session, manifest)?;
        let touched = self.touched_since(session, manifest.seq)?;
        let Some(touched) = touched.filter(|_| next.spaces == self.spaces) else { return Ok(next) };
        next.vectors = self.vectors.clone();
        for stage in Stage::ALL {
            if let Some(codes) = self.codes[place(stage)].get() {
                let codes = self.refreshed_codes(session, stage, codes, &touched)?;
                next.codes[place(stage)] = OnceLock::from(Arc::new(codes));
            }
        }
        if let Some(attributes) = self.attributes.get() {
            let mut attributes = ChunkAttributes::clone(attributes);
            self.refresh_attributes(session, &mut attributes, &touched)?;
            next.attributes = OnceLock::from(Arc::new(attributes));
        }
        Ok(next)
    }

    /// The rows touched since this view; `None` if the log does not cover that, or if there are too many.
    fn touched_since(&self, session: &mut Session, until: i64) -> Result<Option<BTreeSet<i32>>> {
        let params: [Param<'_>; 4] = [&self.project, &self.manifest, &self.seq, &until];
        let log = session.query(
            "SELECT seq, previous, rows FROM changes
             WHERE project = $1 AND manifest = $2 AND seq > $3 AND seq <= $4 ORDER BY seq",
            &params,
        )?;
        let (mut touched, mut last) = (BTreeSet::new(), self.seq);
        for entry in &log {
            let rows: Option<&[u8]> = entry.get(2);
            match rows {
                // An entry that follows another one than ours was written by a server that lost ours.
                Some(rows) if entry.get::<_, i64>(1) == last => {
                    touched.extend(change_log::from_blob(rows).map(|row| row as i32));
                }
                _ => return Ok(None),
            }
            last = entry.get(0);
        }
        Ok((last == until && touched.len() <= MAX_ROWS_TO_REFRESH).then_some(touched))
    }

    fn bytes(&self) -> usize {
        let codes = self.codes.iter().filter_map(OnceLock::get).map(|codes| codes.bytes()).sum::<usize>();
        let attributes = self.attributes.get().map_or(0, |attributes| attributes.bytes());
        let lists = self.lists.try_lock().map_or(0, |lists| lists.bytes);
        let facts = self.facts.try_lock().map_or(0, |facts| facts.bytes());
        let chunks = self.chunks.try_lock().map_or(0, |chunks| chunks.bytes());
        let vectors = self.vectors.try_lock().map_or(0, |vectors| vectors.bytes());
        codes + attributes + lists + facts + chunks + vectors
    }

    pub fn dimensions(&self, stage: Stage) -> usize {
        self.spaces[place(stage)].1
    }

    /// Rejects a query with the wrong number of dimensions, which could not be compared with anything.
    pub fn check_dimensions(&self, stage: Stage, query: &QueryVector) -> Result<()> {
        let (expected, found) = (self.dimensions(stage), query.dimensions());
        if expected == found { Ok(()) } else { Err(StoreError::wrong_dimensions(expected, found)) }
    }

    pub fn codes(&self, session: &mut Session, stage: Stage) -> Result<Arc<ResidentCodes>> {
        let cell = &self.codes[place(stage)];
        if let Some(codes) = cell.get() {
            return Ok(codes.clone());
        }
        let params: [Param<'_>; 3] = [&self.project, &self.manifest, &stage_code(stage)];
        let rows = session.query(
            "SELECT block, codes FROM codes WHERE project = $1 AND manifest = $2 AND stage = $3 ORDER BY block",
            &params,
        )?;
        let mut codes = ResidentCodes::new(self.dimensions(stage)).map_err(|_| session.damaged())?;
        codes.put(rows.iter().map(block)).map_err(|_| session.damaged())?;
        Ok(cell.get_or_init(|| Arc::new(codes)).clone())
    }

    fn refreshed_codes(
        &self,
        session: &mut Session,
        stage: Stage,
        codes: &ResidentCodes,
        touched: &BTreeSet<i32>,
    ) -> Result<ResidentCodes> {
        let mut codes = codes.clone();
        let blocks = codes.drop_segments_of(touched.iter().map(|row| i64::from(*row)));
        let blocks: Vec<i32> = blocks.into_iter().flatten().map(|block| block as i32).collect();
        let params: [Param<'_>; 4] = [&self.project, &self.manifest, &stage_code(stage), &blocks];
        let rows = session.query(
            "SELECT block, codes FROM codes
             WHERE project = $1 AND manifest = $2 AND stage = $3 AND block = ANY($4) ORDER BY block",
            &params,
        )?;
        codes.put(rows.iter().map(block)).map_err(|_| session.damaged())?;
        Ok(codes)
    }

    /// The rows that pass the filter; `None` for all.
    pub fn select(
        &self,
        session: &mut Session,
        filter: Option<&CompiledFilter>,
    ) -> Result<Option<RowBitmap>> {
        let Some(filter) = filter else { return Ok(None) };
        if let Some(attributes) = self.attributes.get() {
            return Ok(Some(attributes.select(filter)));
        }
        let params: [Param<'_>; 2] = [&self.project, &self.manifest];
        let files = "SELECT file, path, language, class FROM files WHERE project = $1 AND manifest = $2";
        let chunks = "SELECT row, file, kinds, traits FROM chunks WHERE project = $1 AND manifest = $2";
        let queries = [Query { sql: files, params: &params }, Query { sql: chunks, params: &params }];
        let answers = session.pipeline(None, &queries)?;
        let mut attributes = ChunkAttributes::default();
        fill_attributes(session, &mut attributes, &answers)?;
        Ok(Some(self.attributes.get_or_init(|| Arc::new(attributes)).select(filter)))
    }

    fn refresh_attributes(
        &self,
        session: &mut Session,
        attributes: &mut ChunkAttributes,
        touched: &BTreeSet<i32>,
    ) -> Result<()> {
        let rows: Vec<i32> = touched.iter().copied().collect();
        let params: [Param<'_>; 3] = [&self.project, &self.manifest, &rows];
        let files =
            "SELECT file, path, language, class FROM files WHERE project = $1 AND manifest = $2 AND file IN
            (SELECT file FROM chunks WHERE project = $1 AND manifest = $2 AND row = ANY($3))";
        let chunks = "SELECT row, file, kinds, traits FROM chunks WHERE project = $1 AND manifest = $2 AND row = ANY($3)";
        let queries = [Query { sql: files, params: &params }, Query { sql: chunks, params: &params }];
        let answers = session.pipeline(None, &queries)?;
        for row in rows {
            attributes.put_chunk(row.into(), 0, "", TraitBits::default()).map_err(|_| session.damaged())?;
        }
        fill_attributes(session, attributes, &answers)
    }

    pub fn full_text(&self, session: &mut Session) -> Result<Arc<FullText>> {
        if let Some(known) = self.full_text.get() {
            return Ok(known.clone());
        }
        let params: [Param<'_>; 2] = [&self.project, &self.manifest];
        let dead = "SELECT row FROM dead WHERE project = $1 AND manifest = $2";
        let queries = [Query { sql: SELECT_SEGMENTS, params: &params }, Query { sql: dead, params: &params }];
        let answers = session.pipeline(None, &queries)?;
        let segments: Vec<Segment> = answers[0].iter().map(segment).collect();
        let stats = CorpusStats::of(&segments, DocumentCounts::default()).map_err(|_| session.damaged())?;
        let dead = answers[1].iter().map(|row| i64::from(row.get::<_, i32>(0))).collect();
        Ok(self.full_text.get_or_init(|| Arc::new(FullText { stats, dead })).clone())
    }

    /// The posting lists of each of these terms.
    pub fn lists(&self, session: &mut Session, terms: &[Term]) -> Result<Vec<Lists>> {
        let mut found: HashMap<Term, Vec<Vec<u8>>> = {
            let cached = lock(&self.lists);
            let missing = terms.iter().filter(|term| !cached.by_term.contains_key(*term));
            missing.map(|term| (term.clone(), Vec::new())).collect()
        };
        if !found.is_empty() {
            self.read_lists(session, &mut found)?;
        }
        let mut cached = lock(&self.lists);
        for (term, lists) in found {
            cached.bytes += lists.iter().map(Vec::len).sum::<usize>() + term.word.len();
            cached.by_term.insert(term, Arc::new(lists));
        }
        let lists = terms.iter().map(|term| cached.by_term.get(term).cloned().unwrap_or_default()).collect();
        if cached.bytes > MAX_LIST_BYTES {
            *cached = CachedLists::default();
        }
        Ok(lists)
    }

    /// Reads all words with one statement and each prefix with one more, in a single round trip.
    fn read_lists(&self, session: &mut Session, found: &mut HashMap<Term, Vec<Vec<u8>>>) -> Result<()> {
        let words: Vec<&str> =
            found.keys().filter(|term| !term.prefix).map(|term| term.word.as_str()).collect();
        let prefixes: Vec<(String, String)> = found
            .keys()
            .filter(|term| term.prefix)
            .map(|term| (term.word.clone(), format!("{}{}", term.word, char::MAX)))
            .collect();
        let whole: [Param<'_>; 3] = [&self.project, &self.manifest, &words];
        let limit = MAX_COMPLETIONS as i64;
        let begun: Vec<[Param<'_>; 5]> = prefixes
            .iter()
            .map(|(first, end)| [&self.project as Param<'_>, &self.manifest, first as Param<'_>, end, &limit])
            .collect();
        let mut queries = vec![Query {
            sql: "SELECT term, list FROM postings WHERE project = $1 AND manifest = $2 AND term = ANY($3)
                 ORDER BY segment",
            params: &whole,
        }];
        queries.extend(begun.iter().map(|params| Query {
            sql: "SELECT p.list FROM segments AS s CROSS JOIN LATERAL
                 (SELECT list FROM postings AS q WHERE q.project = $1 AND q.manifest = $2 AND q.term >= $3
                      AND q.term < $4 AND q.segment = s.segment ORDER BY q.term LIMIT $5) AS p
                 WHERE s.project = $1 AND s.manifest = $2",
            params,
        }));
        let answers = session.pipeline(None, &queries)?;
        for row in &answers[0] {
            let term = Term { word: row.get(0), prefix: false };
            found.entry(term).or_default().push(row.get(1));
        }
        for ((word, _), rows) in prefixes.into_iter().zip(&answers[1..]) {
            found.entry(Term { word, prefix: true }).or_default().extend(rows.iter().map(|row| row.get(0)));
        }
        Ok(())
    }

    /// The vectors of these rows, for both stages in one round trip. Rows without a vector are left out.
    pub fn vectors(&self, session: &mut Session, wanted: &[(Stage, Vec<ChunkRow>)]) -> Result<RowVectors> {
        let mut found = RowVectors::default();
        let mut missing: Vec<(Stage, Vec<i32>)> = Vec::new();
        {
            let mut cache = lock(&self.vectors);
            for (stage, rows) in wanted {
                let mut unknown = Vec::new();
                for row in rows {
                    match cache.get((*stage, *row)) {
                        Some(vector) => drop(found.insert((*stage, *row), vector.clone())),
                        None => unknown.push(row.0 as i32),
                    }
                }
                unknown.sort_unstable();
                unknown.dedup();
                missing.push((*stage, unknown));
            }
        }
        missing.retain(|(_, rows)| !rows.is_empty());
        let params: Vec<[Param<'_>; 4]> = missing
            .iter()
            .map(|(stage, rows)| {
                [&self.project as Param<'_>, &self.manifest, &self.spaces[place(*stage)].0, rows as Param<'_>]
            })
            .collect();
        let queries: Vec<Query<'_>> = missing
            .iter()
            .zip(&params)
            .map(|((stage, _), params)| Query { sql: select_vectors(*stage), params })
            .collect();
        if queries.is_empty() {
            return Ok(found);
        }
        let answers = session.pipeline(None, &queries)?;
        let mut cache = lock(&self.vectors);
        for ((stage, _), rows) in missing.iter().zip(answers) {
            for row in rows {
                let vector = Arc::new(StoredVector::new(row.get(1)));
                if vector.dimensions() != self.dimensions(*stage) {
                    return Err(session.damaged());
                }
                let key = (*stage, ChunkRow(row.get::<_, i32>(0).into()));
                cache.insert(key, vector.clone(), VECTOR_BYTES + vector.dimensions());
                found.insert(key, vector);
            }
        }
        Ok(found)
    }

    /// In the order of `rows`; deleted rows are left out.
    pub fn load_facts(&self, session: &mut Session, rows: &[ChunkRow]) -> Result<Vec<Arc<ChunkFacts>>> {
        self.load(session, rows, &self.facts, &Select { sql: SELECT_FACTS, read: chunk_facts })
    }

    /// Like [`Self::load_facts`], with texts.
    pub fn load_chunks(&self, session: &mut Session, rows: &[ChunkRow]) -> Result<Vec<Arc<StoredChunk>>> {
        let sql = select_chunks!("c.row = ANY($3)");
        self.load(session, rows, &self.chunks, &Select { sql, read: stored_chunk })
    }

    fn load<C: Cached>(
        &self,
        session: &mut Session,
        rows: &[ChunkRow],
        recent: &Recent<C>,
        select: &Select<C>,
    ) -> Result<Vec<Arc<C>>> {
        let mut found: FxHashMap<ChunkRow, Arc<C>> = FxHashMap::default();
        let mut missing: Vec<i32> = Vec::new();
        {
            let mut recent = lock(recent);
            for row in rows {
                match recent.get(*row) {
                    Some(chunk) => drop(found.insert(*row, chunk.clone())),
                    None => missing.push(row.0 as i32),
                }
            }
        }
        if !missing.is_empty() {
            let params: [Param<'_>; 3] = [&self.project, &self.manifest, &missing];
            let loaded = session.query(select.sql, &params)?;
            let mut recent = lock(recent);
            for row in &loaded {
                let chunk = Arc::new((select.read)(row).ok_or_else(|| session.damaged())?);
                recent.insert(chunk.row(), chunk.clone(), chunk.bytes());
                found.insert(chunk.row(), chunk);
            }
        }
        Ok(rows.iter().filter_map(|row| found.get(row).cloned()).collect())
    }
}

/// Decodes the number and the codes of a block.
fn block(row: &tokio_postgres::Row) -> (i64, &[u8]) {
    (row.get::<_, i32>(0).into(), row.get(1))
}

/// Vectors by stage and row.
pub(super) type RowVectors = FxHashMap<(Stage, ChunkRow), Arc<StoredVector>>;

/// A provider vector may already exist for another checkout before this one has adopted it; pending chunks are therefore left
/// out.
fn select_vectors(stage: Stage) -> &'static str {
    match stage {
        Stage::Static => {
            "SELECT c.row, v.vector FROM chunks AS c
             JOIN vectors AS v ON v.project = c.project AND v.space = $3 AND v.hash = c.text_hash
             WHERE c.project = $1 AND c.manifest = $2 AND c.row = ANY($4)"
        }
        Stage::Provider => {
            "SELECT c.row, v.vector FROM chunks AS c
             JOIN vectors AS v ON v.project = c.project AND v.space = $3 AND v.hash = c.text_hash
             WHERE c.project = $1 AND c.manifest = $2 AND c.row = ANY($4) AND c.pending IS NULL"
        }
    }
}

pub(super) const SELECT_SEGMENTS: &str = "SELECT segment, first_row, last_row, documents, words FROM segments
    WHERE project = $1 AND manifest = $2 ORDER BY first_row";

/// Decodes a row of [`SELECT_SEGMENTS`].
pub(super) fn segment(row: &tokio_postgres::Row) -> Segment {
    let number = |column: usize| i64::from(row.get::<_, i32>(column));
    let (first_row, last_row, documents) = (number(1), number(2), number(3));
    Segment { id: number(0), extent: Extent { first_row, last_row, documents, words: row.get(4) } }
}

fn fill_attributes(
    session: &Session,
    attributes: &mut ChunkAttributes,
    answers: &[Vec<tokio_postgres::Row>],
) -> Result<()> {
    for row in &answers[0] {
        let class = enum_codes::class_of(row.get::<_, i16>(3).into());
        attributes.put_file(row.get::<_, i32>(0).cast_unsigned(), row.get(1), row.get(2), class);
    }
    for row in &answers[1] {
        let traits = TraitBits(row.get::<_, i32>(3).cast_unsigned());
        let file = row.get::<_, i32>(1).cast_unsigned();
        attributes
            .put_chunk(row.get::<_, i32>(0).into(), file, row.get(2), traits)
            .map_err(|_| session.damaged())?;
    }
    Ok(())
}
