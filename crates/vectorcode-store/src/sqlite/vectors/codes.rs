//! The tables of codes, `vec_static_codes` and `vec_chunks_codes`, one row a block: read through once, or kept in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};

use rusqlite::{Connection, OptionalExtension};

use super::QueryVector;
use super::block::{Block, block_of};
use super::code::CodeLayout;
use super::scan::{Scan, Shortlist, Wanted};
use super::scan_segment::{ScanSegment, SegmentBuilder};
use crate::sqlite::error::corrupt;
use crate::sqlite::meta;
use crate::sqlite::stage::Stage;

/// No model has as many; more is damage.
const MAX_DIMENSIONS: usize = 1 << 16;
/// The codes of so many chunks are scanned in less than a millisecond; to start a thread takes a twentieth of that.
const ROWS_A_THREAD: usize = 131_072;
const ROWS_OF_A_LARGE_INDEX: usize = 32_768;
/// A scan reads a segment through, and an edit of one of its rows reads all of it again.
const BLOCKS_A_SEGMENT: i64 = 8;

/// The layout of a stage's codes.
pub(crate) fn layout(conn: &Connection, stage: Stage) -> rusqlite::Result<CodeLayout> {
    let dimensions = meta::dimensions(conn, stage)?;
    if dimensions > MAX_DIMENSIONS { Err(corrupt()) } else { Ok(CodeLayout::of(dimensions)) }
}

/// Scans the table itself. It is read in the form in which it is scanned, and nothing of it is kept.
pub(crate) fn scan_table<'s>(
    conn: &Connection,
    stage: Stage,
    queries: &[&'s QueryVector],
    wanted: Wanted<'s>,
) -> rusqlite::Result<Vec<Shortlist<'s>>> {
    let mut scan = Scan::new(queries, wanted);
    for_each_segment(conn, (stage, layout(conn, stage)?), ALL, |_, segment| scan.add(&segment))?;
    Ok(scan.into_shortlists())
}

const ALL: Range<i64> = i64::MIN..i64::MAX;

/// Segments of some blocks, in their order.
fn for_each_segment(
    conn: &Connection,
    (stage, layout): (Stage, CodeLayout),
    blocks: Range<i64>,
    mut each: impl FnMut(i64, ScanSegment),
) -> rusqlite::Result<()> {
    let table = stage.code_table();
    let sql = format!("SELECT block, codes FROM {table} WHERE block >= ? AND block < ? ORDER BY block");
    let mut select = conn.prepare_cached(&sql)?;
    let mut rows = select.query([blocks.start, blocks.end])?;
    let mut segments = Segments::new(layout);
    while let Some(row) = rows.next()? {
        if let Some((id, segment)) = segments.push(row.get(0)?, row.get_ref(1)?.as_blob()?)? {
            each(id, segment);
        }
    }
    if let Some((id, segment)) = segments.last() {
        each(id, segment);
    }
    Ok(())
}

/// Puts blocks, which come in their order, together to segments.
struct Segments {
    layout: CodeLayout,
    begun: Option<(i64, SegmentBuilder)>,
}

impl Segments {
    fn new(layout: CodeLayout) -> Self {
        Self { layout, begun: None }
    }

    /// Adds a block. Returns the segment before, when this block begins another one.
    fn push(&mut self, id: i64, bytes: &[u8]) -> rusqlite::Result<Option<(i64, ScanSegment)>> {
        let block = Block::parse(&self.layout, id, bytes)?;
        let segment = segment_of(block.id);
        let whole = self.begun.take_if(|(before, _)| *before != segment);
        self.begun.get_or_insert_with(|| (segment, SegmentBuilder::new(self.layout))).1.push(&block);
        Ok(whole.map(|(before, builder)| (before, builder.finish())))
    }

    fn last(self) -> Option<(i64, ScanSegment)> {
        self.begun.map(|(last, builder)| (last, builder.finish()))
    }
}

fn segment_of(block: i64) -> i64 {
    block / BLOCKS_A_SEGMENT
}

/// All codes of a stage in memory.
#[derive(Clone, Debug)]
pub(crate) struct ResidentCodes {
    layout: CodeLayout,
    /// Shared, so that a copy of all of them costs little.
    segments: BTreeMap<i64, Arc<ScanSegment>>,
}

impl ResidentCodes {
    pub fn load(conn: &Connection, stage: Stage) -> rusqlite::Result<Self> {
        let mut codes = Self { layout: layout(conn, stage)?, segments: BTreeMap::new() };
        codes.read(conn, stage, ALL)?;
        Ok(codes)
    }

    fn read(&mut self, conn: &Connection, stage: Stage, blocks: Range<i64>) -> rusqlite::Result<()> {
        for_each_segment(conn, (stage, self.layout), blocks, |id, segment| {
            self.segments.insert(id, Arc::new(segment));
        })
    }

    /// No codes yet, of vectors of this many dimensions.
    #[cfg(feature = "postgres")]
    pub fn new(dimensions: usize) -> rusqlite::Result<Self> {
        if dimensions > MAX_DIMENSIONS {
            return Err(corrupt());
        }
        Ok(Self { layout: CodeLayout::of(dimensions), segments: BTreeMap::new() })
    }

    /// Adds blocks, which come in their order, each segment as a whole.
    #[cfg(feature = "postgres")]
    pub fn put<'b>(&mut self, blocks: impl Iterator<Item = (i64, &'b [u8])>) -> rusqlite::Result<()> {
        let mut segments = Segments::new(self.layout);
        for (id, bytes) in blocks {
            let whole = segments.push(id, bytes)?;
            self.segments.extend(whole.map(|(id, segment)| (id, Arc::new(segment))));
        }
        self.segments.extend(segments.last().map(|(id, segment)| (id, Arc::new(segment))));
        Ok(())
    }

    /// Drops the segments of these rows and returns the blocks to put in their place, as far as there are any.
    #[cfg(feature = "postgres")]
    pub fn drop_segments_of(&mut self, rows: impl Iterator<Item = i64>) -> Vec<i64> {
        let dropped: BTreeSet<i64> = rows.map(|row| segment_of(block_of(row))).collect();
        for id in &dropped {
            self.segments.remove(id);
        }
        dropped.into_iter().flat_map(|id| id * BLOCKS_A_SEGMENT..(id + 1) * BLOCKS_A_SEGMENT).collect()
    }

    /// Reads the segments of these rows again.
    pub fn refresh(&mut self, conn: &Connection, stage: Stage, rows: &[i64]) -> rusqlite::Result<()> {
        let segments: BTreeSet<i64> = rows.iter().map(|row| segment_of(block_of(*row))).collect();
        for id in segments {
            // There may be none left of it.
            self.segments.remove(&id);
            self.read(conn, stage, id * BLOCKS_A_SEGMENT..(id + 1) * BLOCKS_A_SEGMENT)?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.segments.values().map(|segment| segment.len()).sum()
    }

    /// The memory that they take.
    pub fn bytes(&self) -> usize {
        self.len() * (self.layout.sign_bytes() + self.layout.rest_bytes() + size_of::<u32>())
    }

    /// Below that, what a question reads is mostly in memory, and it is answered before a thread would have helped.
    pub fn is_large(&self) -> bool {
        self.len() >= ROWS_OF_A_LARGE_INDEX
    }

    /// Scans all of it, on several threads where it is large.
    pub fn scan<'s>(&self, queries: &[&'s QueryVector], wanted: Wanted<'s>) -> Vec<Shortlist<'s>> {
        let segments: Vec<&ScanSegment> = self.segments.values().map(Arc::as_ref).collect();
        let threads = (self.len() / ROWS_A_THREAD).clamp(1, max_threads());
        let (first, others) = segments.split_at(segments.len().div_ceil(threads));
        std::thread::scope(|scope| {
            let parts = others.chunks(first.len().max(1));
            let start = |part| {
                let scan = move || scan_part(part, queries, wanted);
                (part, std::thread::Builder::new().spawn_scoped(scope, scan))
            };
            let others: Vec<_> = parts.map(start).collect();
            let mut shortlists = scan_part(first, queries, wanted);
            for (part, other) in others {
                let other = match other {
                    Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    // The system has no thread left.
                    Err(_) => scan_part(part, queries, wanted),
                };
                shortlists.iter_mut().zip(other).for_each(|(one, other)| one.merge(other));
            }
            shortlists
        })
    }
}

fn scan_part<'s>(
    segments: &[&ScanSegment],
    queries: &[&'s QueryVector],
    wanted: Wanted<'s>,
) -> Vec<Shortlist<'s>> {
    let mut scan = Scan::new(queries, wanted);
    for segment in segments {
        scan.add(segment);
    }
    scan.into_shortlists()
}

/// A server answers several questions at a time, so one of them does not get the whole machine.
fn max_threads() -> usize {
    static THREADS: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4)));
    *THREADS
}

pub(super) fn read(conn: &Connection, stage: Stage, block: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    let sql = format!("SELECT codes FROM {} WHERE block = ?", stage.code_table());
    conn.prepare_cached(&sql)?.query_row([block], |row| row.get(0)).optional()
}

/// Replaces a block; `None` deletes it.
pub(super) fn write(
    conn: &Connection,
    stage: Stage,
    block: i64,
    codes: Option<&[u8]>,
) -> rusqlite::Result<()> {
    let table = stage.code_table();
    match codes {
        Some(codes) => conn
            .prepare_cached(&format!("INSERT OR REPLACE INTO {table} (block, codes) VALUES (?, ?)"))?
            .execute((block, codes)),
        None => conn.prepare_cached(&format!("DELETE FROM {table} WHERE block = ?"))?.execute([block]),
    }
    .map(drop)
}
