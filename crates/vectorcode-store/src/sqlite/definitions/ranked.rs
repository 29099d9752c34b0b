//! Ranks the definitions of matching names. A common name has thousands of definitions and a lookup returns a few, so only what
//! ranking needs is read.

use std::cmp::Ordering;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};
use vectorcode_core::DefinitionKind;

use super::known_names::{DefinitionSite, KnownNames, NameReader};
use super::names::{self, Candidate};
use crate::contract::{ChunkRow, NameMatch};
use crate::index::name_match::{Restriction, exact_score};

/// A matching definition.
#[derive(Debug)]
pub(super) struct RankedDefinition {
    pub name: String,
    pub score: f32,
    pub row: ChunkRow,
    /// The key of its row in `symbols`: file and ordinal.
    pub key: (i64, u32),
}

/// The best `k` definitions. Names with equal scores are read together; once there are enough, names with lower scores are not
/// read.
pub(super) fn best(
    conn: &Connection,
    known: &KnownNames,
    wanted: &NameMatch,
    restriction: &Restriction<'_>,
    k: usize,
) -> rusqlite::Result<Vec<RankedDefinition>> {
    let reader = known.on(conn)?;
    let filter = Filter::new(conn, restriction)?;
    let names = names::candidates(reader, wanted)?;
    let (mut definitions, mut admitted) = (Vec::new(), 0);
    for alike in names.chunk_by(|left, right| left.score.total_cmp(&right.score).is_eq()) {
        for name in alike {
            let definitions_of_name = Definitions::of(name, reader, wanted)?;
            admitted += definitions_of_name.admitted(&filter).count();
            definitions.push(definitions_of_name);
        }
        if admitted >= k {
            break;
        }
    }
    let mut found: Vec<ScoredDefinition<'_>> =
        definitions.iter().flat_map(|name| name.admitted(&filter)).collect();
    found.sort_by(ScoredDefinition::order);
    Ok(found.into_iter().take(k).map(ScoredDefinition::ranked).collect())
}

/// The definitions of one name.
struct Definitions<'n> {
    name: &'n Candidate,
    wanted: &'n NameMatch,
    places: Arc<[DefinitionSite]>,
}

impl<'n> Definitions<'n> {
    fn of(name: &'n Candidate, reader: NameReader<'_>, wanted: &'n NameMatch) -> rusqlite::Result<Self> {
        Ok(Self { name, wanted, places: reader.places_of(name.name_id)? })
    }

    fn admitted<'d>(&'d self, filter: &'d Filter<'_>) -> impl Iterator<Item = ScoredDefinition<'d>> {
        self.places.iter().filter(|place| filter.admits(place)).filter_map(|place| {
            Some(ScoredDefinition { name: &self.name.name, score: self.score(place)?, place })
        })
    }

    /// `None` for a definition in another scope than the wanted one.
    fn score(&self, place: &DefinitionSite) -> Option<f32> {
        let NameMatch::Exact(text) = self.wanted else { return Some(self.name.score) };
        let qualified = place.qualified.as_deref().unwrap_or(&self.name.name);
        exact_score(text, &self.name.name, qualified)
    }
}

/// A matching definition, with what ranking needs.
struct ScoredDefinition<'d> {
    name: &'d str,
    score: f32,
    place: &'d DefinitionSite,
}

impl ScoredDefinition<'_> {
    /// Best first. Ties are ordered by what does not change between runs: code before tests, then path and position.
    fn order(&self, other: &Self) -> Ordering {
        fn rest(place: &DefinitionSite) -> (bool, &str, u32) {
            (place.is_test, &place.path, place.byte_start)
        }
        other.score.total_cmp(&self.score).then_with(|| rest(self.place).cmp(&rest(other.place)))
    }

    fn ranked(self) -> RankedDefinition {
        let DefinitionSite { row, key, .. } = *self.place;
        RankedDefinition { name: self.name.into(), score: self.score, row, key }
    }
}

/// The definitions that a lookup may return.
struct Filter<'r> {
    restriction: &'r Restriction<'r>,
    kinds: Vec<KindFilter>,
}

impl<'r> Filter<'r> {
    fn new(conn: &Connection, restriction: &'r Restriction<'r>) -> rusqlite::Result<Self> {
        let kinds = restriction.kinds.iter().map(|kind| KindFilter::new(conn, kind));
        Ok(Self { restriction, kinds: kinds.collect::<rusqlite::Result<_>>()? })
    }

    fn admits(&self, place: &DefinitionSite) -> bool {
        let is_wanted = |kind: &KindFilter| match kind {
            KindFilter::Definition(kind) => *kind == place.kind,
            KindFilter::Syntax(label) => *label == Some(place.syntax),
        };
        self.restriction.allowed.is_none_or(|allowed| allowed.contains(place.row.0))
            && (self.kinds.is_empty() || self.kinds.iter().any(is_wanted))
    }
}

/// A kind of the filter: either a kind of definition, or the label of a syntax kind.
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
