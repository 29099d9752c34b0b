//! Suggests another spelling for a word that the index does not have.

use rusqlite::{Connection, OptionalExtension};

/// Of shorter words, nearly every one is near to another.
const MIN_LETTERS: usize = 4;
/// From this length on, two letters may be wrong.
const LONG: usize = 8;

/// The word of the names that is nearest, if any is near; among equals the more frequent one.
pub(crate) fn of(conn: &Connection, word: &str) -> rusqlite::Result<Option<String>> {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    if letters < MIN_LETTERS || occurs(conn, &word)? {
        return Ok(None);
    }
    let allowed = if letters < LONG { 1 } else { 2 };
    let mut words = conn.prepare_cached("SELECT word, count(*) FROM name_words GROUP BY word")?;
    let mut rows = words.query([])?;
    let mut best: Option<(usize, i64, String)> = None;
    while let Some(row) = rows.next()? {
        let (other, count) = (row.get_ref(0)?.as_str()?, row.get::<_, i64>(1)?);
        if other.chars().count().abs_diff(letters) > allowed {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&word, other);
        let is_better = best.as_ref().is_none_or(|best| (distance, -count) < (best.0, -best.1));
        if distance <= allowed && is_better {
            best = Some((distance, count, other.to_owned()));
        }
    }
    Ok(best.map(|(_, _, word)| word))
}

fn occurs(conn: &Connection, word: &str) -> rusqlite::Result<bool> {
    let mut found = conn.prepare_cached(
        "SELECT 1 FROM postings WHERE segment IN (SELECT id FROM segments) AND term = ? LIMIT 1",
    )?;
    Ok(found.query_row([word], |_| Ok(())).optional()?.is_some())
}
