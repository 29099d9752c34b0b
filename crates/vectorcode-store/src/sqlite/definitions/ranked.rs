//! Ranking the definitions of matching names. A common name has thousands of definitions and a lookup returns a few, so
//! only what ranking needs is read.

use std::cmp::Ordering;
use std::rc::Rc;

use rusqlite::{Connection, OptionalExtension, Row};
use rustc_hash::FxHashMap;
use vectorcode_core::DefinitionKind;

use super::Restriction;
use super::name_match::{self, Candidate};
use super::word_names::WordNames;
use crate::contract::{ChunkRow, NameMatch};
use crate::sqlite::enum_codes::{self, TraitBits};

/// A definition that matches, with what ranking needs of it.
#[derive(Debug)]
pub(super) struct RankedDefinition {
    pub name: Rc<str>,
    pub score: f32,
    pub row: ChunkRow,
    /// Of its row in `symbols`: file and ordinal.
    pub key: (i64, u32),
    is_test: bool,
    path: Rc<str>,
    byte_start: u32,
}

impl RankedDefinition {
    /// Best first. Ties are ordered by what does not change between runs: code before tests, then path and position.
    fn order(&self, other: &Self) -> Ordering {
        fn rest(place: &RankedDefinition) -> (bool, &str, u32) {
            (place.is_test, &place.path, place.byte_start)
        }
        other.score.total_cmp(&self.score).then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// The best `k`. Names that score alike are read together; once there are enough, lesser names are not read at all.
pub(super) fn best(
    conn: &Connection,
    known: &WordNames,
    wanted: &NameMatch,
    restriction: &Restriction<'_>,
    k: usize,
) -> rusqlite::Result<Vec<RankedDefinition>> {
    let mut search = Search::new(conn, wanted, restriction)?;
    let names = name_match::candidates(conn, known, wanted)?;
    for alike in names.chunk_by(|left, right| left.score.total_cmp(&right.score).is_eq()) {
        alike.iter().try_for_each(|name| search.add(name))?;
        if search.places.len() >= k {
            break;
        }
    }
    let mut places = search.places;
    places.sort_by(RankedDefinition::order);
    places.truncate(k);
    Ok(places)
}

/// The state of one lookup.
struct Search<'s> {
    conn: &'s Connection,
    wanted: &'s NameMatch,
    restriction: &'s Restriction<'s>,
    kinds: Vec<KindFilter>,
    paths: FxHashMap<i64, Rc<str>>,
    places: Vec<RankedDefinition>,
}

impl<'s> Search<'s> {
    fn new(
        conn: &'s Connection,
        wanted: &'s NameMatch,
        restriction: &'s Restriction<'s>,
    ) -> rusqlite::Result<Self> {
        let kinds = restriction.kinds.iter().map(|kind| KindFilter::new(conn, kind));
        let kinds = kinds.collect::<rusqlite::Result<_>>()?;
        Ok(Self { conn, wanted, restriction, kinds, paths: FxHashMap::default(), places: Vec::new() })
    }

    /// Adds the definitions of a name.
    fn add(&mut self, candidate: &Candidate) -> rusqlite::Result<()> {
        let mut select = self.conn.prepare_cached(
            "SELECT s.file_id, s.ordinal, s.chunk_id, s.byte_start, s.kind, s.qualified, c.traits, c.kind
             FROM symbols AS s JOIN chunk_rows AS c ON c.id = s.chunk_id WHERE s.name_id = ?",
        )?;
        let name: Rc<str> = candidate.name.as_str().into();
        let mut rows = select.query([candidate.name_id])?;
        while let Some(row) = rows.next()? {
            if self.admits(row)?
                && let Some(score) = self.score(candidate, row)?
            {
                let file = row.get(0)?;
                let path = self.path(file)?;
                self.places.push(RankedDefinition {
                    name: name.clone(),
                    score,
                    row: ChunkRow(row.get(2)?),
                    key: (file, row.get(1)?),
                    is_test: TraitBits(row.get(6)?).is_test(),
                    path,
                    byte_start: row.get(3)?,
                });
            }
        }
        Ok(())
    }

    fn admits(&self, row: &Row<'_>) -> rusqlite::Result<bool> {
        let chunk: i64 = row.get(2)?;
        let allowed = self.restriction.allowed.is_none_or(|allowed| allowed.contains(chunk));
        let (definition, syntax) = (enum_codes::kind_of(row.get(4)?), row.get(7)?);
        let is_wanted = |kind: &KindFilter| match kind {
            KindFilter::Definition(kind) => *kind == definition,
            KindFilter::Syntax(label) => *label == Some(syntax),
        };
        Ok(allowed && (self.kinds.is_empty() || self.kinds.iter().any(is_wanted)))
    }

    /// `None` for a definition in another scope than the one that is wanted.
    fn score(&self, candidate: &Candidate, row: &Row<'_>) -> rusqlite::Result<Option<f32>> {
        let NameMatch::Exact(text) = self.wanted else { return Ok(Some(candidate.score)) };
        let qualified = row.get_ref(5)?.as_str_or_null()?.unwrap_or(&candidate.name);
        Ok(name_match::exact_score(text, &candidate.name, qualified))
    }

    fn path(&mut self, file: i64) -> rusqlite::Result<Rc<str>> {
        if let Some(known) = self.paths.get(&file) {
            return Ok(known.clone());
        }
        let mut select = self.conn.prepare_cached("SELECT path FROM source_files WHERE id = ?")?;
        let path: Rc<str> = select.query_row([file], |row| row.get::<_, String>(0))?.into();
        self.paths.insert(file, path.clone());
        Ok(path)
    }
}

/// What a kind means: one of definitions, or one of the syntax nodes that chunks are made of, by its label.
#[derive(Clone, Copy)]
enum KindFilter {
    Definition(DefinitionKind),
    Syntax(Option<i64>),
}

impl KindFilter {
    fn new(conn: &Connection, kind: &str) -> rusqlite::Result<Self> {
        if let Some(kind) = DefinitionKind::parse(kind) {
            return Ok(Self::Definition(kind));
        }
        let mut select = conn.prepare_cached("SELECT id FROM labels WHERE name = ?")?;
        Ok(Self::Syntax(select.query_row([kind], |row| row.get(0)).optional()?))
    }
}
