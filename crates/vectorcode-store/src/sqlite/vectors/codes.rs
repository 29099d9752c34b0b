//! Reads and writes the code tables `vec_static_codes` and `vec_chunks_codes`, one row per block.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension};

use super::code_table;
use crate::index::stage::Stage;
use crate::index::vectors::{
    CodeLayout, QueryVector, ResidentCodes, Scan, ScanSegment, Segments, Shortlist, Wanted, checked_layout,
};
use crate::sqlite::meta;

/// The code layout of a stage.
pub(super) fn layout(conn: &Connection, stage: Stage) -> rusqlite::Result<CodeLayout> {
    Ok(checked_layout(meta::dimensions(conn, stage)?)?)
}

/// Scans the table directly, without keeping any of it in memory.
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

/// Calls `each` with the segments of a range of blocks, in order.
fn for_each_segment(
    conn: &Connection,
    (stage, layout): (Stage, CodeLayout),
    blocks: Range<i64>,
    mut each: impl FnMut(i64, ScanSegment),
) -> rusqlite::Result<()> {
    let table = code_table(stage);
    let sql = format!("SELECT block, codes FROM {table} WHERE block >= ? AND block < ? ORDER BY block");
    let mut select = conn.prepare_cached(&sql)?;
    let mut rows = select.query([blocks.start, blocks.end])?;
    let mut segments = Segments::new(layout);
    while let Some(row) = rows.next()? {
        if let Some((id, segment)) = segments.push(row.get(0)?, row.get_ref(1)?.as_blob()?)? {
            each(id, segment);
        }
    }
    if let Some((id, segment)) = segments.finish() {
        each(id, segment);
    }
    Ok(())
}

/// All codes of a stage.
pub(crate) fn load(conn: &Connection, stage: Stage) -> rusqlite::Result<ResidentCodes> {
    let mut codes = ResidentCodes::new(meta::dimensions(conn, stage)?)?;
    put_blocks(&mut codes, conn, stage, ALL)?;
    Ok(codes)
}

/// Reloads the segments that contain these rows.
pub(crate) fn refresh(
    codes: &mut ResidentCodes,
    conn: &Connection,
    stage: Stage,
    rows: &[i64],
) -> rusqlite::Result<()> {
    let dropped = codes.drop_segments_of(rows.iter().copied());
    dropped.into_iter().try_for_each(|blocks| put_blocks(codes, conn, stage, blocks))
}

fn put_blocks(
    codes: &mut ResidentCodes,
    conn: &Connection,
    stage: Stage,
    blocks: Range<i64>,
) -> rusqlite::Result<()> {
    for_each_segment(conn, (stage, codes.layout()), blocks, |id, segment| codes.put_segment(id, segment))
}

pub(super) fn read(conn: &Connection, stage: Stage, block: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    let sql = format!("SELECT codes FROM {} WHERE block = ?", code_table(stage));
    conn.prepare_cached(&sql)?.query_row([block], |row| row.get(0)).optional()
}

/// Replaces a block; `None` deletes it.
pub(super) fn write(
    conn: &Connection,
    stage: Stage,
    block: i64,
    codes: Option<&[u8]>,
) -> rusqlite::Result<()> {
    let table = code_table(stage);
    match codes {
        Some(codes) => conn
            .prepare_cached(&format!("INSERT OR REPLACE INTO {table} (block, codes) VALUES (?, ?)"))?
            .execute((block, codes)),
        None => conn.prepare_cached(&format!("DELETE FROM {table} WHERE block = ?"))?.execute([block]),
    }
    .map(drop)
}
