//! The tables of codes, `vec_static_codes` and `vec_chunks_codes`, one row a block: read through once, or kept in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension};

use super::QueryVector;
use super::block::{Block, block_of};
use super::code::CodeLayout;
use super::scan::{SIGN_DEVIATIONS, Scan, Shortlist, Wanted};
use super::scan_block::ScanBlock;
use crate::sqlite::error::corrupt;
use crate::sqlite::meta;
use crate::sqlite::stage::Stage;

/// No model has as many; more is damage.
const MAX_DIMENSIONS: usize = 1 << 16;
/// The codes of 131,072 chunks are scanned in less than a millisecond; to start a thread takes a twentieth of that.
const BLOCKS_A_THREAD: usize = 2048;

/// Of 32,768 chunks.
const BLOCKS_OF_A_LARGE_INDEX: usize = 512;

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
    let layout = layout(conn, stage)?;
    let mut scan = Scan::new(layout, queries, wanted);
    for_each(conn, stage, |id, bytes| {
        scan.add(&scan_block(&layout, id, bytes)?);
        Ok(())
    })?;
    Ok(scan.into_shortlists())
}

fn scan_block(layout: &CodeLayout, id: i64, bytes: &[u8]) -> rusqlite::Result<ScanBlock> {
    Ok(ScanBlock::new(layout, &Block::parse(layout, id, bytes)?, SIGN_DEVIATIONS))
}

fn for_each(
    conn: &Connection,
    stage: Stage,
    mut each: impl FnMut(i64, &[u8]) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let sql = format!("SELECT block, codes FROM {} ORDER BY block", stage.code_table());
    let mut select = conn.prepare_cached(&sql)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        each(row.get(0)?, row.get_ref(1)?.as_blob()?)?;
    }
    Ok(())
}

/// All codes of a stage in memory.
#[derive(Debug)]
pub(crate) struct ResidentCodes {
    layout: CodeLayout,
    blocks: BTreeMap<i64, ScanBlock>,
}

impl ResidentCodes {
    pub fn load(conn: &Connection, stage: Stage) -> rusqlite::Result<Self> {
        let mut codes = Self { layout: layout(conn, stage)?, blocks: BTreeMap::new() };
        for_each(conn, stage, |id, bytes| {
            codes.blocks.insert(id, scan_block(&codes.layout, id, bytes)?);
            Ok(())
        })?;
        Ok(codes)
    }

    /// Reads the blocks of these rows again.
    pub fn refresh(&mut self, conn: &Connection, stage: Stage, rows: &[i64]) -> rusqlite::Result<()> {
        let blocks: BTreeSet<i64> = rows.iter().map(|row| block_of(*row)).collect();
        for id in blocks {
            match read(conn, stage, id)? {
                Some(bytes) => self.blocks.insert(id, scan_block(&self.layout, id, &bytes)?),
                None => self.blocks.remove(&id),
            };
        }
        Ok(())
    }

    /// Below that, what a question reads is mostly in memory, and it is answered before a thread would have helped.
    pub fn is_large(&self) -> bool {
        self.blocks.len() >= BLOCKS_OF_A_LARGE_INDEX
    }

    /// Scans all of it, on several threads where it is large.
    pub fn scan<'s>(&self, queries: &[&'s QueryVector], wanted: Wanted<'s>) -> Vec<Shortlist<'s>> {
        let blocks: Vec<&ScanBlock> = self.blocks.values().collect();
        let threads = (blocks.len() / BLOCKS_A_THREAD).clamp(1, max_threads());
        let (first, others) = blocks.split_at(blocks.len().div_ceil(threads));
        std::thread::scope(|scope| {
            let parts = others.chunks(first.len().max(1));
            let others: Vec<_> =
                parts.map(|part| scope.spawn(move || self.scan_part(part, queries, wanted))).collect();
            let mut shortlists = self.scan_part(first, queries, wanted);
            for other in others {
                let other = other.join().unwrap_or_else(|panic| resume_unwind(panic));
                shortlists.iter_mut().zip(other).for_each(|(one, other)| one.merge(other));
            }
            shortlists
        })
    }

    fn scan_part<'s>(
        &self,
        blocks: &[&ScanBlock],
        queries: &[&'s QueryVector],
        wanted: Wanted<'s>,
    ) -> Vec<Shortlist<'s>> {
        let mut scan = Scan::new(self.layout, queries, wanted);
        for block in blocks {
            scan.add(block);
        }
        scan.into_shortlists()
    }
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
