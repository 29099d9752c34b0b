//! Looks up definitions by name.

mod known_lists;
mod known_names;
mod names;
mod ranked;

use rusqlite::{Connection, Row};
use vectorcode_core::Definition;

pub(crate) use self::known_names::KnownNames;
use self::ranked::RankedDefinition;
use crate::contract::{ChunkRow, DefinitionMatch, NameMatch, StoredDefinition};
use crate::index::enum_codes::{self, TraitBits};
use crate::index::name_match::Restriction;
use crate::sqlite::chunks;

/// A chunk that contains a matching definition.
#[derive(Debug)]
pub(crate) struct DefiningChunk {
    pub row: ChunkRow,
    /// The defined name, as written.
    pub name: String,
    pub score: f32,
}

macro_rules! select_definition {
    ($condition:literal) => {
        concat!(
            "SELECT f.path, language.name, c.traits, s.chunk_id, n.name, s.qualified, s.kind, s.signature,
                s.start_line, s.end_line, s.byte_start, s.byte_end, s.name_line, s.ordinal
            FROM symbols AS s JOIN names AS n ON n.id = s.name_id JOIN source_files AS f ON f.id = s.file_id
                JOIN labels AS language ON language.id = f.language JOIN chunk_rows AS c ON c.id = s.chunk_id ",
            $condition
        )
    };
}

/// The best `k` definitions, best first.
pub(crate) fn find(
    conn: &Connection,
    known: &KnownNames,
    wanted: &NameMatch,
    restriction: &Restriction<'_>,
    k: usize,
) -> rusqlite::Result<Vec<DefinitionMatch>> {
    let mut select = conn.prepare_cached(select_definition!("WHERE s.file_id = ? AND s.ordinal = ?"))?;
    let load = |place: RankedDefinition| {
        let definition = select.query_row(place.key, stored_definition)?;
        Ok(DefinitionMatch { definition, score: place.score })
    };
    ranked::best(conn, known, wanted, restriction, k)?.into_iter().map(load).collect()
}

/// The chunks that contain the best `k` definitions, best first.
pub(crate) fn find_chunks(
    conn: &Connection,
    known: &KnownNames,
    wanted: &NameMatch,
    restriction: &Restriction<'_>,
    k: usize,
) -> rusqlite::Result<Vec<DefiningChunk>> {
    let chunk =
        |place: RankedDefinition| DefiningChunk { row: place.row, name: place.name, score: place.score };
    Ok(ranked::best(conn, known, wanted, restriction, k)?.into_iter().map(chunk).collect())
}

pub(crate) fn of_file(conn: &Connection, path: &str) -> rusqlite::Result<Vec<StoredDefinition>> {
    let sql = select_definition!("WHERE f.path = ? ORDER BY s.ordinal");
    conn.prepare_cached(sql)?.query_map([path], stored_definition)?.collect()
}

/// The definitions with exactly this bare name, ordered by path and position.
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
        kind: enum_codes::kind_of(row.get(6)?),
        signature: row.get(7)?,
        span: chunks::span(row, 8)?,
        name_line: row.get(12)?,
    };
    Ok(StoredDefinition {
        path: row.get(0)?,
        language: row.get(1)?,
        is_test: TraitBits(row.get(2)?).is_test(),
        definition,
        row: ChunkRow(row.get(3)?),
        ordinal: row.get(13)?,
    })
}
