//! Suggests another spelling for a word that the index does not contain.

use std::sync::Arc;

use rusqlite::Connection;

use super::{fulltext, name_words};
use crate::index::spelling::{NameWords, allowed_distance};

/// The words of all names.
pub(crate) fn read_name_words(conn: &Connection) -> rusqlite::Result<NameWords> {
    let mut all = NameWords::default();
    for (word, count) in name_words::all_words(conn)? {
        all.add(&word, count as i64);
    }
    Ok(all)
}

/// For each word that occurs nowhere, the nearest word of a name, if there is one; among equals, the more frequent one. `names`
/// is only called if there is such a word.
pub(crate) fn of(
    conn: &Connection,
    names: impl FnOnce() -> rusqlite::Result<Arc<NameWords>>,
    words: &[&str],
) -> rusqlite::Result<Vec<Option<String>>> {
    let unknown = |word: &&str| {
        let word = word.to_lowercase();
        let is_unknown = allowed_distance(&word).is_some() && !fulltext::occurs(conn, &word)?;
        Ok(is_unknown.then_some(word))
    };
    let unknown: Vec<Option<String>> = words.iter().map(unknown).collect::<rusqlite::Result<_>>()?;
    if unknown.iter().all(Option::is_none) {
        return Ok(unknown);
    }
    let names = names()?;
    Ok(unknown.into_iter().map(|word| names.nearest(&word?)).collect())
}
