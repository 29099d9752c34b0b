//! Suggests another spelling for a word that the index does not have.

use rusqlite::{Connection, OptionalExtension};

/// Of shorter words, nearly every one is near to another.
const MIN_LETTERS: usize = 4;
/// From this length on, two letters may be wrong.
const LONG: usize = 8;

/// For each word that occurs nowhere, the word of the names that is nearest, if any is near; among equals the more frequent
/// one. All names are read for it, once.
pub(crate) fn of(conn: &Connection, words: &[&str]) -> rusqlite::Result<Vec<Option<String>>> {
    let unknown = |word: &&str| {
        let word = word.to_lowercase();
        let is_unknown = allowed_distance(&word).is_some() && !occurs(conn, &word)?;
        Ok(is_unknown.then_some(word))
    };
    let unknown: Vec<Option<String>> = words.iter().map(unknown).collect::<rusqlite::Result<_>>()?;
    if unknown.iter().all(Option::is_none) {
        return Ok(unknown);
    }
    let mut names = conn.prepare_cached("SELECT word, count(*) FROM name_words GROUP BY word")?;
    let names: Vec<(String, i64)> =
        names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let names = || names.iter().map(|(word, count)| (word.as_str(), *count));
    Ok(unknown.into_iter().map(|word| nearest(&word?, names())).collect())
}

/// How many letters may be wrong; `None` for a word that is too short to have a spelling suggested.
pub(crate) fn allowed_distance(word: &str) -> Option<usize> {
    let letters = word.chars().count();
    (letters >= MIN_LETTERS).then_some(if letters < LONG { 1 } else { 2 })
}

/// The nearest of these words, each with how often it occurs.
pub(crate) fn nearest<'w>(word: &str, words: impl Iterator<Item = (&'w str, i64)>) -> Option<String> {
    let allowed = allowed_distance(word)?;
    let letters = word.chars().count();
    let mut best: Option<(usize, i64, &str)> = None;
    for (other, count) in words.filter(|(other, _)| other.chars().count().abs_diff(letters) <= allowed) {
        let distance = strsim::damerau_levenshtein(word, other);
        let is_better = best.is_none_or(|best| (distance, -count) < (best.0, -best.1));
        if distance <= allowed && is_better {
            best = Some((distance, count, other));
        }
    }
    best.map(|(_, _, word)| word.to_owned())
}

fn occurs(conn: &Connection, word: &str) -> rusqlite::Result<bool> {
    let mut found = conn.prepare_cached(
        "SELECT 1 FROM postings WHERE segment IN (SELECT id FROM segments) AND term = ? LIMIT 1",
    )?;
    Ok(found.query_row([word], |_| Ok(())).optional()?.is_some())
}
