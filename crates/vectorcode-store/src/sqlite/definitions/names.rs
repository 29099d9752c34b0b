//! Finds matching names, each with a score: by exact name, prefix, words or similarity.

use std::collections::HashSet;

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use super::known_names::NameReader;
use crate::contract::NameMatch;
use crate::index::name_match::{MAX_NAMES, last_segment, likeness};

/// A matching name with its score.
#[derive(Debug)]
pub(super) struct Candidate {
    pub name_id: i64,
    pub name: String,
    pub score: f32,
}

/// The matching names, best first.
pub(super) fn candidates(reader: NameReader<'_>, wanted: &NameMatch) -> rusqlite::Result<Vec<Candidate>> {
    let conn = reader.conn;
    let mut names = match wanted {
        NameMatch::Exact(text) => by_name(conn, last_segment(text))?,
        NameMatch::Prefix(text) => by_prefix(conn, text)?,
        NameMatch::Words(words) => by_words(reader, words)?,
        NameMatch::Fuzzy(text) => by_likeness(conn, text)?,
    };
    names.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.name.cmp(&b.name)));
    names.truncate(MAX_NAMES);
    Ok(names)
}

fn by_name(conn: &Connection, name: &str) -> rusqlite::Result<Vec<Candidate>> {
    let mut names = conn.prepare_cached("SELECT id, name FROM names WHERE name = ? COLLATE NOCASE")?;
    collect(names.query([name])?, |_| Some(1.0))
}

fn by_prefix(conn: &Connection, prefix: &str) -> rusqlite::Result<Vec<Candidate>> {
    let mut names = conn.prepare_cached(
        "SELECT id, name FROM names WHERE name >= ?1 COLLATE NOCASE AND name < ?2 COLLATE NOCASE",
    )?;
    let end = format!("{prefix}{}", char::MAX);
    collect(names.query([prefix, &end])?, |name| Some(prefix.len() as f32 / name.len().max(1) as f32))
}

/// Names whose words are all wanted, or which contain all wanted words. The score is the share of common words.
fn by_words(reader: NameReader<'_>, words: &[String]) -> rusqlite::Result<Vec<Candidate>> {
    let wanted: HashSet<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let mut names = reader.conn.prepare_cached("SELECT name FROM names WHERE id = ?")?;
    let mut found = Vec::new();
    for (name_id, SharedWords { shared, of_name }) in shared_words(reader, &wanted)? {
        if shared == of_name || shared as usize == wanted.len() {
            let name = names.query_row([name_id], |row| row.get(0))?;
            let score = shared as f32 / (of_name as f32).max(wanted.len() as f32);
            found.push(Candidate { name_id, name, score });
        }
    }
    Ok(found)
}

/// The number of words in a name, and how many of them are wanted.
#[derive(Clone, Copy, Debug)]
struct SharedWords {
    shared: u32,
    of_name: u32,
}

/// Counted here instead of in SQL, which would sort the thousands of names that contain a common word: that took half of the time
/// of this lookup.
fn shared_words(
    reader: NameReader<'_>,
    wanted: &HashSet<String>,
) -> rusqlite::Result<FxHashMap<i64, SharedWords>> {
    let mut found: FxHashMap<i64, SharedWords> = FxHashMap::default();
    for word in wanted {
        for name in reader.holding(word)?.iter() {
            let name = found.entry(name.name_id).or_insert(SharedWords { shared: 0, of_name: name.words });
            name.shared += 1;
        }
    }
    Ok(found)
}

fn by_likeness(conn: &Connection, text: &str) -> rusqlite::Result<Vec<Candidate>> {
    let wanted = text.to_lowercase();
    let mut names = conn.prepare_cached("SELECT id, name FROM names")?;
    collect(names.query([])?, |name| likeness(&wanted, &name.to_lowercase()))
}

fn collect(
    mut rows: rusqlite::Rows<'_>,
    score: impl Fn(&str) -> Option<f32>,
) -> rusqlite::Result<Vec<Candidate>> {
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str()?;
        if let Some(score) = score(name) {
            found.push(Candidate { name_id: row.get(0)?, name: name.to_owned(), score });
        }
    }
    Ok(found)
}
