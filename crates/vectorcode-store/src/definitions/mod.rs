//! Looking definitions up by name.

mod names;
mod places;

use rusqlite::{Connection, Row};
use vectorcode_core::{Definition, Span};

use self::places::Place;
use crate::codes::{self, ChunkTraits};
use crate::contract::{ChunkRow, DefiningChunk, DefinitionMatch, NameMatch, StoredDefinition};
use crate::rowset::RowSet;

/// Where a look-up may find something.
#[derive(Debug)]
pub(crate) struct Restriction {
    /// Chunks that may hold the definition; `None` for all.
    pub allowed: Option<RowSet>,
    /// The definition's own kind, or the syntax kind of its chunk.
    pub kind: Option<String>,
}

macro_rules! select_definition {
    ($condition:literal) => {
        concat!(
            "SELECT f.path, language.name, c.traits, s.chunk_id, n.name, s.qualified, s.kind, s.signature,
                s.start_line, s.end_line, s.byte_start, s.byte_end, s.name_line, s.ordinal
            FROM symbols AS s JOIN names AS n ON n.id = s.name_id JOIN files AS f ON f.id = s.file_id
                JOIN labels AS language ON language.id = f.language JOIN chunks AS c ON c.id = s.chunk_id ",
            $condition
        )
    };
}

/// The best `k` definitions, best first.
pub(crate) fn find(
    conn: &Connection,
    wanted: &NameMatch,
    restriction: &Restriction,
    k: usize,
) -> rusqlite::Result<Vec<DefinitionMatch>> {
    let mut select = conn.prepare_cached(select_definition!("WHERE s.file_id = ? AND s.ordinal = ?"))?;
    let load = |place: Place| {
        let definition = select.query_row(place.key, stored_definition)?;
        Ok(DefinitionMatch { definition, score: place.score })
    };
    places::best(conn, wanted, restriction, k)?.into_iter().map(load).collect()
}

/// The chunks that hold the best `k` definitions, best first.
pub(crate) fn find_chunks(
    conn: &Connection,
    wanted: &NameMatch,
    restriction: &Restriction,
    k: usize,
) -> rusqlite::Result<Vec<DefiningChunk>> {
    let chunk =
        |place: Place| DefiningChunk { row: place.row, name: (*place.name).into(), score: place.score };
    Ok(places::best(conn, wanted, restriction, k)?.into_iter().map(chunk).collect())
}

pub(crate) fn of_file(conn: &Connection, path: &str) -> rusqlite::Result<Vec<StoredDefinition>> {
    let sql = select_definition!("WHERE f.path = ? ORDER BY s.ordinal");
    conn.prepare_cached(sql)?.query_map([path], stored_definition)?.collect()
}

/// The definitions of exactly this bare name, in the order of their places.
pub(crate) fn named(conn: &Connection, name: &str) -> rusqlite::Result<Vec<StoredDefinition>> {
    let sql =
        select_definition!("WHERE n.name = ?1 COLLATE NOCASE AND n.name = ?1 ORDER BY f.path, s.ordinal");
    conn.prepare_cached(sql)?.query_map([name], stored_definition)?.collect()
}

fn stored_definition(row: &Row<'_>) -> rusqlite::Result<StoredDefinition> {
    let name: String = row.get(4)?;
    let qualified: Option<String> = row.get(5)?;
    let definition = Definition {
        qualified: qualified.unwrap_or_else(|| name.clone()),
        name,
        kind: codes::kind_of(row.get(6)?),
        signature: row.get(7)?,
        span: Span {
            start_line: row.get(8)?,
            end_line: row.get(9)?,
            byte_start: row.get(10)?,
            byte_end: row.get(11)?,
        },
        name_line: row.get(12)?,
    };
    Ok(StoredDefinition {
        path: row.get(0)?,
        language: row.get(1)?,
        is_test: ChunkTraits(row.get(2)?).is_test(),
        definition,
        row: ChunkRow(row.get(3)?),
        ordinal: row.get(13)?,
    })
}
