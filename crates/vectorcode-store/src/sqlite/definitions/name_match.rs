//! Matching names: exact, by prefix, by words, or fuzzy, each with a score.

use std::collections::HashSet;

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use super::known_names::NameReader;
use crate::contract::NameMatch;

/// Of a wide match, only so many names are looked into; the best come first.
pub(crate) const MAX_NAMES: usize = 2000;

/// A name that matches, and how well.
#[derive(Debug)]
pub(super) struct Candidate {
    pub name_id: i64,
    pub name: String,
    pub score: f32,
}

/// Best first.
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

/// Names all of whose words are wanted, or that hold all wanted words; the score is the share that both have.
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

/// How many words a name has, and how many of them are wanted.
#[derive(Clone, Copy, Debug)]
struct SharedWords {
    shared: u32,
    of_name: u32,
}

/// Counted here and not in SQL, which would sort the thousands of names that hold a common word: that took half of the
/// time of this lookup.
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

/// How alike two lower-case names are: 1 for the same; a slip of the keyboard before a part of a longer name.
pub(crate) fn likeness(wanted: &str, name: &str) -> Option<f32> {
    if wanted.is_empty() {
        return None;
    }
    let slips = if wanted.len() < 4 {
        0
    } else if wanted.len() < 8 {
        1
    } else {
        2
    };
    if let Some(distance) = edit_distance(wanted.as_bytes(), name.as_bytes(), slips) {
        return Some(1.0 - distance as f32 / (wanted.len() + 1) as f32);
    }
    name.contains(wanted).then(|| 0.6 * wanted.len() as f32 / name.len() as f32)
}

/// Levenshtein's distance, with neighbours swapped counting as one; `None` when it is more than `limit`.
fn edit_distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|distance| *distance > limit) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= limit)
}

/// `authenticate` of `UserService.authenticate`, whatever the language puts between.
pub(crate) fn last_segment(name: &str) -> &str {
    name.rsplit(SEPARATORS).next().unwrap_or(name)
}

const SEPARATORS: [char; 5] = ['.', ':', '#', '/', '\\'];

/// 1 for the name as written, less for another case or a name that ends so; `None` when the scopes differ.
pub(crate) fn exact_score(text: &str, name: &str, qualified: &str) -> Option<f32> {
    if text == name || text == qualified {
        return Some(1.0);
    }
    if !segments(qualified).ends_with(&segments(text)) {
        return None;
    }
    Some(if qualified.ends_with(text) { 0.95 } else { 0.9 })
}

fn segments(name: &str) -> Vec<String> {
    name.split(SEPARATORS).filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_keyboard_are_near() {
        assert_eq!(edit_distance(b"retry", b"rerty", 2), Some(1));
        assert_eq!(edit_distance(b"retry", b"retries", 2), None);
        assert_eq!(edit_distance(b"authenticate", b"autenticat", 2), Some(2));
        assert_eq!(edit_distance(b"", b"", 0), Some(0));
    }

    #[test]
    fn a_part_of_a_name_is_alike_and_a_stranger_is_not() {
        assert!(likeness("user", "createuser").is_some());
        assert!(likeness("usr", "user").is_none());
        assert!(likeness("authenicate", "authenticate") > likeness("auth", "authenticate"));
    }

    #[test]
    fn scopes_must_agree() {
        let score = |text| exact_score(text, "send", "net::Mailer::send");
        assert_eq!(score("send"), Some(1.0));
        assert_eq!(score("mailer.SEND"), Some(0.9));
        assert_eq!(score("Queue.send"), None);
    }
}
