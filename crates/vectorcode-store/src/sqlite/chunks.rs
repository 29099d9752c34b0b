//! Loads chunks. A search loads some hundreds of them, from far fewer files and of even fewer kinds, so what they share is looked
//! up once.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Params, Row};
use rustc_hash::FxHashMap;
use vectorcode_core::{Chunk, ContentClass, FileFlags, Span, WordHashes};

use crate::contract::{ChunkFacts, ChunkRow, StoredChunk};
use crate::index::enum_codes::{self, TraitBits};
use crate::index::pending_order::pending_order;
use crate::index::row_bitmap::{RowBitmap, checked_row};
use crate::sqlite::error::corrupt;
use crate::sqlite::hidden_rows::HiddenRows;

macro_rules! select_chunk {
    ($condition:literal) => {
        concat!(
            "SELECT c.id, c.file_id, c.start_line, c.end_line, c.byte_start, c.byte_end, c.symbol, c.kind,
                t.content, c.parent_context, c.traits, c.kinds
            FROM chunk_rows AS c JOIN chunk_text AS t ON t.id = c.body ",
            $condition
        )
    };
}

/// A form in which chunks are loaded by their rows.
pub(crate) trait Loaded: Sized {
    const SELECT: &'static str;

    fn read(shared: &mut Shared<'_>, row: &Row<'_>) -> rusqlite::Result<Self>;
}

impl Loaded for StoredChunk {
    const SELECT: &'static str = select_chunk!("WHERE c.id = ?");

    fn read(shared: &mut Shared<'_>, row: &Row<'_>) -> rusqlite::Result<Self> {
        shared.chunk(row)
    }
}

impl Loaded for ChunkFacts {
    const SELECT: &'static str =
        "SELECT c.id, c.file_id, c.start_line, c.end_line, c.byte_start, c.byte_end, c.symbol, c.kind, c.traits, w.prints
         FROM chunk_rows AS c JOIN chunk_words AS w ON w.id = c.body WHERE c.id = ?";

    fn read(shared: &mut Shared<'_>, row: &Row<'_>) -> rusqlite::Result<Self> {
        let FileFacts { path, language, class, flags } = shared.file(row.get(1)?)?;
        Ok(Self {
            row: ChunkRow(row.get(0)?),
            path,
            language,
            kind: shared.label(row.get(7)?)?,
            span: span(row, 2)?,
            symbol: row.get(6)?,
            class,
            is_test: TraitBits(row.get(8)?).is_test(),
            flags,
            words: WordHashes::from_bytes(row.get_ref(9)?.as_blob()?),
        })
    }
}

/// Fills the gaps of `found`, which corresponds to `rows`; deleted rows remain `None`. Returns the chunks that were loaded.
pub(crate) fn load_missing<C: Loaded>(
    conn: &Connection,
    rows: &[ChunkRow],
    found: &mut [Option<Arc<C>>],
) -> rusqlite::Result<Vec<Arc<C>>> {
    let mut select = conn.prepare_cached(C::SELECT)?;
    let mut shared = Shared::new(conn);
    let mut loaded = Vec::new();
    for (row, place) in rows.iter().zip(found).filter(|(_, place)| place.is_none()) {
        *place = select.query_row([row.0], |row| C::read(&mut shared, row)).optional()?.map(Arc::new);
        loaded.extend(place.clone());
    }
    Ok(loaded)
}

/// Sorts rows by path and position, which do not depend on when they were written.
pub(crate) fn sort_by_location(conn: &Connection, rows: &mut Vec<ChunkRow>) -> rusqlite::Result<()> {
    let mut select = conn.prepare_cached(
        "SELECT path, byte_start, byte_end FROM chunk_rows AS c JOIN source_files AS f ON f.id = c.file_id WHERE c.id = ?",
    )?;
    let mut located = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        let location = |found: &Row<'_>| Ok((found.get(0)?, found.get(1)?, found.get(2)?));
        let location: (String, u32, u32) = select.query_row([row.0], location)?;
        located.push((location, row));
    }
    located.sort_unstable();
    rows.extend(located.into_iter().map(|(_, row)| row));
    Ok(())
}

/// Decodes the columns `first` to `first + 3` as a span: lines, then bytes.
pub(crate) fn span(row: &Row<'_>, first: usize) -> rusqlite::Result<Span> {
    let span = Span {
        start_line: row.get(first)?,
        end_line: row.get(first + 1)?,
        byte_start: row.get(first + 2)?,
        byte_end: row.get(first + 3)?,
    };
    let is_sound = span.start_line <= span.end_line && span.byte_start <= span.byte_end;
    if is_sound { Ok(span) } else { Err(corrupt()) }
}

/// The chunks of a file, in file order.
pub(crate) fn of_file(conn: &Connection, path: &str) -> rusqlite::Result<Vec<StoredChunk>> {
    let sql = select_chunk!(
        "WHERE c.file_id = (SELECT id FROM source_files WHERE path = ?) ORDER BY c.byte_start, c.byte_end"
    );
    all(conn, sql, [path])
}

/// The rows of a file, in file order.
pub(crate) fn rows_of_file(conn: &Connection, path: &str) -> rusqlite::Result<Vec<ChunkRow>> {
    let mut rows = conn.prepare_cached(
        "SELECT id FROM chunk_rows WHERE file_id = (SELECT id FROM source_files WHERE path = ?) ORDER BY byte_start, byte_end",
    )?;
    rows.query_map([path], |row| Ok(ChunkRow(row.get(0)?)))?.collect()
}

/// Chunks without a provider vector, those of recently modified files first. If the tree has none, those of other trees.
pub(crate) fn pending(conn: &Connection, k: usize) -> rusqlite::Result<Vec<StoredChunk>> {
    let of_tree = select_chunk!(
        "WHERE c.pending IS NOT NULL AND EXISTS (SELECT 1 FROM source_files AS f WHERE f.id = c.file_id)
         ORDER BY c.pending DESC, c.id LIMIT ?"
    );
    let found = all(conn, of_tree, [k as i64])?;
    if !found.is_empty() {
        return Ok(found);
    }
    all(conn, select_chunk!("WHERE c.pending IS NOT NULL ORDER BY c.pending DESC, c.id LIMIT ?"), [k as i64])
}

/// All pending rows of every tree, without reading their texts.
pub(crate) fn pending_rows(conn: &Connection) -> rusqlite::Result<RowBitmap> {
    let mut rows = conn.prepare_cached("SELECT id FROM chunk_rows WHERE pending IS NOT NULL")?;
    rows.query_map([], |row| Ok(checked_row(row.get(0)?)?))?.collect()
}

/// Re-checks rows that changed.
pub(crate) fn refresh_pending(
    conn: &Connection,
    rows: &[i64],
    pending: &mut RowBitmap,
) -> rusqlite::Result<()> {
    let mut is_pending = conn.prepare_cached("SELECT pending IS NOT NULL FROM chunk_rows WHERE id = ?")?;
    for row in rows {
        if is_pending.query_row([checked_row(*row)?], |row| row.get(0)).optional()?.unwrap_or(false) {
            pending.insert(*row);
        } else {
            pending.remove(*row);
        }
    }
    Ok(())
}

/// Makes every chunk pending.
pub(crate) fn make_all_pending(conn: &Connection) -> rusqlite::Result<()> {
    let mut files = conn.prepare("SELECT id, mtime_ns, flags FROM source_files")?;
    let mut update = conn.prepare("UPDATE chunk_rows SET pending = ? WHERE file_id = ?")?;
    let mut rows = files.query([])?;
    while let Some(row) = rows.next()? {
        let order = pending_order(row.get(1)?, enum_codes::flags_of(row.get(2)?));
        update.execute([order, row.get(0)?])?;
    }
    Ok(())
}

/// The number of chunks that the provider refused.
pub(crate) fn refused_count(conn: &Connection, hidden: &HiddenRows) -> rusqlite::Result<u64> {
    let mut refused = conn.prepare_cached("SELECT id FROM refused")?;
    let rows = refused.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
    Ok(rows.into_iter().filter(|row| hidden.shows(*row)).count() as u64)
}

fn all(conn: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<Vec<StoredChunk>> {
    let mut shared = Shared::new(conn);
    conn.prepare_cached(sql)?.query_map(params, |row| shared.chunk(row))?.collect()
}

/// Cached facts that the chunks of one call have in common.
pub(crate) struct Shared<'c> {
    conn: &'c Connection,
    files: FxHashMap<i64, FileFacts>,
    labels: FxHashMap<i64, Arc<str>>,
}

#[derive(Clone)]
struct FileFacts {
    path: Arc<str>,
    language: Arc<str>,
    class: ContentClass,
    flags: FileFlags,
}

impl<'c> Shared<'c> {
    fn new(conn: &'c Connection) -> Self {
        Self { conn, files: FxHashMap::default(), labels: FxHashMap::default() }
    }

    fn chunk(&mut self, row: &Row<'_>) -> rusqlite::Result<StoredChunk> {
        let FileFacts { path, language, class, flags } = self.file(row.get(1)?)?;
        let chunk = Chunk {
            path: path.to_string(),
            span: span(row, 2)?,
            symbol: row.get(6)?,
            kind: self.label(row.get(7)?)?.to_string(),
            further_kinds: row
                .get::<_, Option<i64>>(11)?
                .map_or(Ok(Vec::new()), |id| self.further_kinds(id))?,
            content: row.get(8)?,
            parent_context: row.get(9)?,
            language: language.to_string(),
            class,
            is_test: TraitBits(row.get(10)?).is_test(),
        };
        Ok(StoredChunk { row: ChunkRow(row.get(0)?), chunk, flags })
    }

    fn file(&mut self, id: i64) -> rusqlite::Result<FileFacts> {
        if let Some(known) = self.files.get(&id) {
            return Ok(known.clone());
        }
        let mut select = self.conn.prepare_cached(
            "SELECT path, name, class, flags FROM main.source_files AS f JOIN labels ON labels.id = language WHERE f.id = ?",
        )?;
        let facts = select.query_row([id], |row| {
            let (class, flags) = (enum_codes::class_of(row.get(2)?), enum_codes::flags_of(row.get(3)?));
            Ok(FileFacts { path: row.get(0)?, language: row.get(1)?, class, flags })
        })?;
        self.files.insert(id, facts.clone());
        Ok(facts)
    }

    /// All of a chunk's kinds except the first.
    fn further_kinds(&mut self, id: i64) -> rusqlite::Result<Vec<String>> {
        Ok(self.label(id)?.split(' ').skip(1).map(str::to_owned).collect())
    }

    fn label(&mut self, id: i64) -> rusqlite::Result<Arc<str>> {
        if let Some(known) = self.labels.get(&id) {
            return Ok(known.clone());
        }
        let mut select = self.conn.prepare_cached("SELECT name FROM labels WHERE id = ?")?;
        let name: Arc<str> = select.query_row([id], |row| row.get(0))?;
        self.labels.insert(id, name.clone());
        Ok(name)
    }
}
