//! Looks up definitions by name. Matches are read with one statement and ranked here, as in the other backend.

use std::cmp::Ordering;
use std::collections::HashSet;

use tokio_postgres::Row;
use vectorcode_core::{Definition, DefinitionKind};

use super::manifest::Manifest;
use super::rows::span;
use super::session::{Param, Query, Session};
use crate::contract::{ChunkRow, DefinitionMatch, NameMatch, Result, StoredDefinition};
use crate::index::enum_codes::{self, TraitBits};
use crate::index::name_match::Restriction;
use crate::index::name_match::{MAX_NAMES, exact_score, last_segment, likeness};

/// Names are indexed up to this length.
pub(super) const INDEXED_CHARACTERS: usize = 200;

macro_rules! select_definitions {
    ($from:literal, $condition:literal, $score:literal) => {
        concat!(
            "SELECT f.path, f.language, c.traits, s.row, s.name, s.qualified, s.kind, s.signature, s.start_line,
                s.end_line, s.byte_start, s.byte_end, s.name_line, s.ordinal, c.kinds, ",
            $score,
            " FROM ",
            $from,
            " JOIN files AS f ON f.project = s.project AND f.manifest = s.manifest AND f.file = s.file
              JOIN chunks AS c ON c.project = s.project AND c.manifest = s.manifest AND c.row = s.row
              WHERE s.project = $1 AND s.manifest = $2 AND ",
            $condition
        )
    };
}

/// A lookup, ready to be sent.
pub(super) struct Lookup<'w> {
    wanted: &'w NameMatch,
    sql: &'static str,
    texts: Vec<String>,
    words: Vec<String>,
    count: i64,
}

/// The key under which a name is indexed.
pub(super) fn folded(name: &str) -> String {
    name.chars().take(INDEXED_CHARACTERS).collect::<String>().to_ascii_lowercase().replace('\0', "\u{fffd}")
}

impl<'w> Lookup<'w> {
    /// A fuzzy lookup reads all names first.
    pub fn new(session: &mut Session, manifest: &Manifest, wanted: &'w NameMatch) -> Result<Self> {
        let lookup = |sql, texts, words: Vec<String>| {
            let count = words.len() as i64;
            Self { wanted, sql, texts, words, count }
        };
        Ok(match wanted {
            NameMatch::Exact(text) => lookup(
                select_definitions!("symbols AS s", "lower(left(s.name, 200)) = $3", "0, 0"),
                vec![folded(last_segment(text))],
                Vec::new(),
            ),
            NameMatch::Prefix(text) => lookup(
                select_definitions!(
                    "symbols AS s",
                    "lower(left(s.name, 200)) >= $3 AND lower(left(s.name, 200)) < $4 ORDER BY length(s.name) LIMIT 20000",
                    "0, 0"
                ),
                vec![folded(text), format!("{}{}", folded(text), char::MAX)],
                Vec::new(),
            ),
            NameMatch::Words(words) => {
                let words: HashSet<String> =
                    words.iter().map(|word| word.to_lowercase().replace('\0', "\u{fffd}")).collect();
                lookup(BY_WORDS, Vec::new(), words.into_iter().collect())
            }
            NameMatch::Fuzzy(text) => {
                let names = names_like(session, manifest, text)?;
                let keys: Vec<String> = names.iter().map(|name| folded(name)).collect();
                let mut lookup = lookup(BY_NAMES, Vec::new(), names);
                lookup.texts = keys;
                lookup
            }
        })
    }

    /// The parameters; they borrow from the lookup.
    pub fn params<'p>(&'p self, manifest: &'p Manifest) -> Vec<Param<'p>> {
        let mut params: Vec<Param<'p>> = vec![&manifest.project, &manifest.id];
        match self.wanted {
            NameMatch::Exact(_) | NameMatch::Prefix(_) => {
                params.extend(self.texts.iter().map(|text| text as Param<'p>));
            }
            NameMatch::Words(_) => params.extend([&self.words as Param<'p>, &self.count]),
            NameMatch::Fuzzy(_) => params.extend([&self.words as Param<'p>, &self.texts]),
        }
        params
    }

    pub fn query<'p>(&self, params: &'p [Param<'p>]) -> Query<'p> {
        Query { sql: self.sql, params }
    }

    /// The best `k` definitions of `rows`, best first; `None` if a row is damaged.
    pub fn rank(
        &self,
        rows: &[Row],
        restriction: &Restriction<'_>,
        k: usize,
    ) -> Option<Vec<DefinitionMatch>> {
        let mut found = Vec::new();
        for row in rows {
            let definition = stored_definition(row)?;
            if admits(restriction, &definition, row.get(14))
                && let Some(score) = self.score(&definition, row)
            {
                found.push(DefinitionMatch { definition, score });
            }
        }
        found.sort_by(order);
        found.truncate(k);
        Some(found)
    }

    /// `None` for a definition in another scope than the wanted one.
    fn score(&self, found: &StoredDefinition, row: &Row) -> Option<f32> {
        let Definition { name, qualified, .. } = &found.definition;
        match self.wanted {
            NameMatch::Exact(text) => {
                let same = name.eq_ignore_ascii_case(last_segment(text));
                exact_score(text, name, qualified).filter(|_| same)
            }
            NameMatch::Prefix(text) => {
                let begins = name.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
                begins.then(|| text.len() as f32 / name.len().max(1) as f32)
            }
            NameMatch::Words(_) => {
                let (shared, of_name) = (row.get::<_, i32>(15), row.get::<_, i32>(16));
                Some(shared as f32 / (of_name as f32).max(self.words.len() as f32))
            }
            NameMatch::Fuzzy(text) => likeness(&text.to_lowercase(), &name.to_lowercase()),
        }
    }
}

const BY_NAMES: &str =
    select_definitions!("symbols AS s", "s.name = ANY($3) AND lower(left(s.name, 200)) = ANY($4)", "0, 0");

/// Names whose words are all wanted, or which contain all wanted words.
const BY_WORDS: &str = select_definitions!(
    "(SELECT name, count(*)::int AS shared, min(words) AS of_name FROM name_words
      WHERE project = $1 AND manifest = $2 AND word = ANY($3) GROUP BY name
      HAVING count(*) = min(words) OR count(*) = $4::bigint
      ORDER BY count(*)::float8 / greatest(min(words), $4::bigint) DESC, name LIMIT 2000) AS w
     JOIN symbols AS s ON lower(left(s.name, 200)) = lower(left(w.name, 200)) AND s.name = w.name",
    "true",
    "w.shared, w.of_name"
);

/// The names that are most similar to a text.
fn names_like(session: &mut Session, manifest: &Manifest, text: &str) -> Result<Vec<String>> {
    let params: [Param<'_>; 2] = [&manifest.project, &manifest.id];
    let rows =
        session.query("SELECT DISTINCT name FROM symbols WHERE project = $1 AND manifest = $2", &params)?;
    let wanted = text.to_lowercase();
    let mut names: Vec<(f32, &str)> = rows
        .iter()
        .filter_map(|row| {
            let name: &str = row.get(0);
            Some((likeness(&wanted, &name.to_lowercase())?, name))
        })
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    Ok(names.into_iter().take(MAX_NAMES).map(|(_, name)| name.to_owned()).collect())
}

fn admits(restriction: &Restriction<'_>, found: &StoredDefinition, kinds: &str) -> bool {
    let allowed = restriction.allowed.is_none_or(|allowed| allowed.contains(found.row.0));
    let is_wanted = |kind: &String| match DefinitionKind::parse(kind) {
        Some(kind) => kind == found.definition.kind,
        None => kinds.split(' ').next() == Some(kind),
    };
    allowed && (restriction.kinds.is_empty() || restriction.kinds.iter().any(is_wanted))
}

/// Best first. Ties are ordered by what does not change between runs: code before tests, then path and position.
fn order(one: &DefinitionMatch, other: &DefinitionMatch) -> Ordering {
    fn rest(found: &DefinitionMatch) -> (bool, &str, u32) {
        let StoredDefinition { is_test, path, definition, .. } = &found.definition;
        (*is_test, path, definition.span.byte_start)
    }
    other.score.total_cmp(&one.score).then_with(|| rest(one).cmp(&rest(other)))
}

fn stored_definition(row: &Row) -> Option<StoredDefinition> {
    let name: String = row.get(4);
    let qualified: Option<String> = row.get(5);
    let definition = Definition {
        qualified: qualified.unwrap_or_else(|| name.clone()),
        name,
        kind: enum_codes::kind_of(row.get::<_, i16>(6).into()),
        signature: row.get(7),
        span: span(row, 8)?,
        name_line: u32::try_from(row.get::<_, i32>(12)).ok()?,
    };
    Some(StoredDefinition {
        path: row.get(0),
        language: row.get(1),
        is_test: TraitBits(row.get::<_, i32>(2).cast_unsigned()).is_test(),
        definition,
        row: ChunkRow(row.get::<_, i32>(3).into()),
        ordinal: u32::try_from(row.get::<_, i32>(13)).ok()?,
    })
}

/// The definitions of a file, in file order.
pub(super) fn of_file(
    session: &mut Session,
    manifest: &Manifest,
    path: super::rows::Hash,
) -> Result<Vec<StoredDefinition>> {
    let params: [Param<'_>; 3] = [&manifest.project, &manifest.id, &path];
    let sql = select_definitions!("symbols AS s", "f.path_key = $3 ORDER BY s.ordinal", "0, 0");
    let rows = session.query(sql, &params)?;
    rows.iter().map(|row| stored_definition(row).ok_or_else(|| session.damaged())).collect()
}

/// For each of these bare names, its definitions ordered by path and position.
pub(super) fn named(
    session: &mut Session,
    manifest: &Manifest,
    names: &[&str],
) -> Result<Vec<Vec<StoredDefinition>>> {
    let keys: Vec<String> = names.iter().map(|name| folded(name)).collect();
    let wanted: Vec<String> = names.iter().map(|name| super::rows::clean(name).into_owned()).collect();
    let params: [Param<'_>; 4] = [&manifest.project, &manifest.id, &wanted, &keys];
    let rows = session.query(BY_NAMES, &params)?;
    let mut found: Vec<StoredDefinition> = rows
        .iter()
        .map(|row| stored_definition(row).ok_or_else(|| session.damaged()))
        .collect::<Result<_>>()?;
    found.sort_by(|a, b| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)));
    let of = |name: &String| found.iter().filter(|one| one.definition.name == *name).cloned().collect();
    Ok(wanted.iter().map(of).collect())
}
