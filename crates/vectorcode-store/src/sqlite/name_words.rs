//! Reads and writes the table `word_names`: which names contain a word.
//!
//! The new names of a transaction that contain a word share one row. Ids of new names are higher than all earlier ones, so the
//! rows of a word are sorted by id, and a name is in the last row whose first id is not greater than its own.

use rusqlite::{Connection, OptionalExtension};

use super::error;
use super::multi_insert::{Target, insert_all};
use crate::index::varint;

/// A longer row would cost too much when one of its names is removed.
const MAX_LISTED: usize = 512;

const WORD_NAMES: Target = Target { table: "word_names", columns: "word, first, names" };

/// A name that contains a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameOfWord {
    pub name_id: i64,
    /// The number of words in the name.
    pub words: u32,
}

/// Writes, for each word, which of the new names contain it.
pub(crate) fn write(conn: &Connection, mut words: Vec<(String, NameOfWord)>) -> rusqlite::Result<()> {
    words.sort_unstable_by(|(left, one), (right, other)| (left, one.name_id).cmp(&(right, other.name_id)));
    let same_word = words.chunk_by(|(left, _), (right, _)| left == right);
    let rows: Vec<_> = same_word.flat_map(|names| names.chunks(MAX_LISTED)).collect();
    insert_all(conn, WORD_NAMES, &rows, |values, names| {
        let (word, first) = &names[0];
        values.push(word)?;
        values.push(first.name_id)?;
        values.push(pack(first.name_id, names.iter().map(|(_, name)| *name)))
    })
}

/// The names that contain a word, ordered by id.
pub(crate) fn holding(conn: &Connection, word: &str) -> rusqlite::Result<Vec<NameOfWord>> {
    let mut rows =
        conn.prepare_cached("SELECT first, names FROM word_names WHERE word = ? ORDER BY first")?;
    let mut found = rows.query([word])?;
    let mut names = Vec::new();
    while let Some(row) = found.next()? {
        names.extend(unpack(row.get(0)?, row.get_ref(1)?.as_blob()?)?);
    }
    Ok(names)
}

/// All words of names in alphabetical order, each with the number of names that contain it.
pub(crate) fn all_words(conn: &Connection) -> rusqlite::Result<Vec<(String, usize)>> {
    let mut rows = conn.prepare_cached("SELECT word, first, names FROM word_names ORDER BY word")?;
    let mut found = rows.query([])?;
    let mut words: Vec<(String, usize)> = Vec::new();
    while let Some(row) = found.next()? {
        let word = row.get_ref(0)?.as_str()?;
        let listed = unpack(row.get(1)?, row.get_ref(2)?.as_blob()?)?.len();
        match words.last_mut() {
            Some((last, count)) if last == word => *count += listed,
            _ => words.push((word.to_owned(), listed)),
        }
    }
    Ok(words)
}

/// Removes a name from the list of a word.
pub(crate) fn remove(conn: &Connection, word: &str, name_id: i64) -> rusqlite::Result<()> {
    let mut find = conn.prepare_cached(
        "SELECT first, names FROM word_names WHERE word = ? AND first <= ? ORDER BY first DESC LIMIT 1",
    )?;
    let row =
        find.query_row((word, name_id), |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?))).optional()?;
    let Some((first, list)) = row else { return Ok(()) };
    let mut names = unpack(first, &list)?;
    names.retain(|name| name.name_id != name_id);
    if names.is_empty() {
        conn.prepare_cached("DELETE FROM word_names WHERE word = ? AND first = ?")?.execute((word, first))?;
    } else {
        conn.prepare_cached("UPDATE word_names SET names = ?3 WHERE word = ?1 AND first = ?2")?.execute((
            word,
            first,
            pack(first, names.into_iter()),
        ))?;
    }
    Ok(())
}

/// Encodes, for each name, the distance of its id from the previous one and the number of its words.
fn pack(first: i64, names: impl Iterator<Item = NameOfWord>) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), first);
    for name in names {
        varint::push(&mut bytes, name.name_id.abs_diff(last));
        varint::push(&mut bytes, u64::from(name.words));
        last = name.name_id;
    }
    bytes
}

fn unpack(first: i64, mut bytes: &[u8]) -> rusqlite::Result<Vec<NameOfWord>> {
    let (mut names, mut last) = (Vec::new(), first);
    while !bytes.is_empty() {
        let next = varint::take(&mut bytes).zip(varint::take(&mut bytes));
        let (distance, words) = next.ok_or_else(error::corrupt)?;
        last = last.saturating_add_unsigned(distance);
        names.push(NameOfWord { name_id: last, words: words as u32 });
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(include_str!("schema/tables.sql")).unwrap();
        conn
    }

    fn name(name_id: i64) -> NameOfWord {
        NameOfWord { name_id, words: 1 + name_id as u32 % 3 }
    }

    fn ids(conn: &Connection, word: &str) -> Vec<i64> {
        holding(conn, word).unwrap().into_iter().map(|name| name.name_id).collect()
    }

    #[test]
    fn names_of_several_transactions_are_found_in_order_and_removed_one_by_one() {
        let conn = index();
        let of = |word: &str, ids: std::ops::Range<i64>| -> Vec<_> {
            ids.map(|id| (word.to_owned(), name(id))).collect()
        };
        write(&conn, [of("user", 1..4), of("create", 2..3)].concat()).unwrap();
        write(&conn, [of("user", 4..2000), of("user", 5000..5001)].concat()).unwrap();
        let all: Vec<i64> = (1..2000).chain([5000]).collect();
        assert_eq!(ids(&conn, "user"), all);
        assert_eq!(holding(&conn, "create").unwrap(), [name(2)]);
        assert!(ids(&conn, "use").is_empty());
        assert_eq!(all_words(&conn).unwrap(), [("create".to_owned(), 1), ("user".to_owned(), 2000)]);

        for id in [1, 515, 516, 3, 5000, 7777] {
            remove(&conn, "user", id).unwrap();
        }
        assert_eq!(
            ids(&conn, "user"),
            all.into_iter().filter(|id| ![1, 515, 516, 3, 5000].contains(id)).collect::<Vec<_>>()
        );
        for id in 1..2000 {
            remove(&conn, "user", id).unwrap();
        }
        remove(&conn, "create", 2).unwrap();
        let left: i64 = conn.query_row("SELECT count(*) FROM word_names", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
    }

    #[test]
    fn bytes_that_cannot_be_right_are_an_error() {
        let conn = index();
        conn.execute("INSERT INTO word_names VALUES ('user', 1, x'8080')", []).unwrap();
        assert!(holding(&conn, "user").is_err());
    }
}
