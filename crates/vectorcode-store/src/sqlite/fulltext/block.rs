//! The storage format of posting lists: the lists of neighbouring terms share a block, with front-coded terms.
//!
//! With one row per term, the rows cost the single writer and every merge more than the lists themselves. In a block, a term is
//! written as the number of bytes that it shares with the previous term, the remaining bytes, and its list.

use std::cmp::Ordering;
use std::ops::Range;

use rusqlite::{CachedStatement, Connection};

use crate::index::varint;
use crate::sqlite::error::corrupt;

/// A block ends before the list that would make it longer than this, so a long list gets a block of its own. Two blocks fill a
/// database page.
const BLOCK_BYTES: usize = 4000;

/// The first term of a block, and its bytes.
#[derive(Debug, Default)]
pub(super) struct PackedBlock {
    first: Vec<u8>,
    bytes: Vec<u8>,
}

/// Packs the lists of one segment, which must be in the order of their terms.
#[derive(Debug, Default)]
pub(super) struct BlockPacker {
    block: PackedBlock,
    last: Vec<u8>,
}

impl BlockPacker {
    /// Adds a list. Returns the previous block if the list does not fit into it.
    pub fn push(&mut self, term: &[u8], list: &[u8]) -> Option<PackedBlock> {
        let is_full = self.block.bytes.len() + term.len() + list.len() > BLOCK_BYTES;
        let full = if is_full { self.take() } else { None };
        let PackedBlock { first, bytes } = &mut self.block;
        if bytes.is_empty() {
            first.extend_from_slice(term);
        }
        let shared = shared_bytes(&self.last, term);
        varint::push(bytes, shared as u64);
        varint::push_slice(bytes, &term[shared..]);
        varint::push_slice(bytes, list);
        self.last.truncate(shared);
        self.last.extend_from_slice(&term[shared..]);
        full
    }

    /// The current block, which is not full yet; `None` if it is empty.
    pub fn take(&mut self) -> Option<PackedBlock> {
        self.last.clear();
        let block = std::mem::take(&mut self.block);
        (!block.bytes.is_empty()).then_some(block)
    }
}

/// Inserts the blocks of one segment.
pub(super) struct BlockWriter<'c> {
    segment: i64,
    insert: CachedStatement<'c>,
}

impl<'c> BlockWriter<'c> {
    pub fn new(conn: &'c Connection, segment: i64) -> rusqlite::Result<Self> {
        let insert =
            conn.prepare_cached("INSERT INTO posting_blocks (segment, first, lists) VALUES (?, ?, ?)")?;
        Ok(Self { segment, insert })
    }

    pub fn write(&mut self, blocks: impl IntoIterator<Item = PackedBlock>) -> rusqlite::Result<()> {
        blocks.into_iter().try_for_each(|PackedBlock { first, bytes }| {
            self.insert.execute((self.segment, first, bytes)).map(drop)
        })
    }
}

/// A block, decoded term by term.
#[derive(Debug, Default)]
pub(super) struct Block<B> {
    bytes: B,
    read: usize,
    term: Vec<u8>,
    list: Range<usize>,
}

impl<B: AsRef<[u8]>> Block<B> {
    /// Starts before the first term.
    pub fn new(bytes: B) -> Self {
        Self { bytes, read: 0, term: Vec::new(), list: 0..0 }
    }

    /// Advances to the next term; false if there is none.
    pub fn advance(&mut self) -> rusqlite::Result<bool> {
        let bytes = self.bytes.as_ref();
        let mut rest = &bytes[self.read..];
        if rest.is_empty() {
            return Ok(false);
        }
        let (shared, suffix, list) = entry(&mut rest).ok_or_else(corrupt)?;
        if shared > self.term.len() {
            return Err(corrupt());
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(suffix);
        self.read = bytes.len() - rest.len();
        self.list = self.read - list.len()..self.read;
        Ok(true)
    }

    pub fn term(&self) -> &[u8] {
        &self.term
    }

    pub fn list(&self) -> &[u8] {
        &self.bytes.as_ref()[self.list.clone()]
    }
}

/// The number of bytes that the next term shares with the previous one, its other bytes, and its list.
fn entry<'b>(bytes: &mut &'b [u8]) -> Option<(usize, &'b [u8], &'b [u8])> {
    let shared = usize::try_from(varint::take(bytes)?).ok()?;
    Some((shared, varint::take_slice(bytes)?, varint::take_slice(bytes)?))
}

/// The posting list of a term in a segment.
pub(super) fn list(conn: &Connection, segment: i64, term: &str) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut select = conn.prepare_cached(
        "SELECT lists FROM posting_blocks WHERE segment = ? AND first <= ? ORDER BY first DESC LIMIT 1",
    )?;
    let mut rows = select.query((segment, term.as_bytes()))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(find(row.get_ref(0)?.as_blob()?, term.as_bytes())?.map(<[u8]>::to_vec))
}

/// The list of a term in a block. The other terms are not reconstructed: where they diverge from the wanted term shows whether
/// they come before or after it.
fn find<'b>(mut block: &'b [u8], term: &[u8]) -> rusqlite::Result<Option<&'b [u8]>> {
    // The number of bytes that the wanted term shares with the previous term, which is smaller.
    let mut matched = 0;
    while !block.is_empty() {
        let (shared, suffix, list) = entry(&mut block).ok_or_else(corrupt)?;
        match shared.cmp(&matched) {
            Ordering::Greater => continue,
            Ordering::Less => return Ok(None),
            Ordering::Equal => {}
        }
        let wanted = &term[matched..];
        let same = shared_bytes(suffix, wanted);
        match suffix[same..].cmp(&wanted[same..]) {
            Ordering::Less => matched += same,
            Ordering::Equal => return Ok(Some(list)),
            Ordering::Greater => return Ok(None),
        }
    }
    Ok(None)
}

fn shared_bytes(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Adds the lists of at most `limit` terms that start with the prefix.
pub(super) fn lists_with_prefix(
    conn: &Connection,
    segment: i64,
    prefix: &str,
    limit: usize,
    lists: &mut Vec<Vec<u8>>,
) -> rusqlite::Result<()> {
    let mut select = conn.prepare_cached(
        "SELECT lists FROM posting_blocks WHERE segment = ?1 AND first >= coalesce(
             (SELECT max(first) FROM posting_blocks WHERE segment = ?1 AND first <= ?2), ?2)
         ORDER BY first",
    )?;
    let mut rows = select.query((segment, prefix.as_bytes()))?;
    let end = lists.len() + limit;
    while let Some(row) = rows.next()? {
        let mut block = Block::new(row.get_ref(0)?.as_blob()?);
        while block.advance()? {
            if block.term().starts_with(prefix.as_bytes()) && lists.len() < end {
                lists.push(block.list().to_vec());
            } else if block.term() > prefix.as_bytes() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn index(lists: &BTreeMap<String, Vec<u8>>) -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(include_str!("../schema/tables.sql")).unwrap();
        for segment in [1, 2] {
            let mut packer = BlockPacker::default();
            let mut blocks: Vec<PackedBlock> =
                lists.iter().filter_map(|(term, list)| packer.push(term.as_bytes(), list)).collect();
            blocks.extend(packer.take());
            BlockWriter::new(&conn, segment).unwrap().write(blocks).unwrap();
        }
        conn
    }

    fn with_prefix(conn: &Connection, prefix: &str, limit: usize) -> Vec<Vec<u8>> {
        let mut lists = Vec::new();
        lists_with_prefix(conn, 1, prefix, limit, &mut lists).unwrap();
        lists
    }

    proptest! {
        #[test]
        fn every_list_is_found_again(
            lists in prop::collection::btree_map("[abé]{0,6}", prop::collection::vec(any::<u8>(), 0..900), 0..60),
            asked in "[abé]{0,4}",
            limit in 1_usize..9,
        ) {
            let conn = index(&lists);
            for (term, kept) in &lists {
                prop_assert_eq!(list(&conn, 1, term).unwrap(), Some(kept.clone()));
            }
            prop_assert_eq!(list(&conn, 1, &asked).unwrap(), lists.get(&asked).cloned());
            let begun = lists.iter().filter(|(term, _)| term.starts_with(&asked));
            let begun: Vec<Vec<u8>> = begun.map(|(_, list)| list.clone()).take(limit).collect();
            prop_assert_eq!(with_prefix(&conn, &asked, limit), begun);
            prop_assert_eq!(list(&conn, 3, &asked).unwrap(), None);
        }

        #[test]
        fn damaged_bytes_are_an_error_or_end(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut block = Block::new(&bytes);
            let mut read = 0;
            while block.advance().unwrap_or(false) {
                read += 1;
                prop_assert!(block.list().len() < bytes.len());
            }
            prop_assert!(read <= bytes.len());
        }
    }

    #[test]
    fn a_long_list_lies_alone() {
        let long = vec![7; 3 * BLOCK_BYTES];
        let lists = [("a", vec![1]), ("b", long), ("c", vec![2])].map(|(term, list)| (term.to_owned(), list));
        let conn = index(&BTreeMap::from(lists));
        let firsts = "SELECT group_concat(CAST(first AS TEXT), ' ') FROM posting_blocks WHERE segment = 1";
        let firsts: String = conn.query_row(firsts, [], |row| row.get(0)).unwrap();
        assert_eq!(firsts, "a b c");
    }
}
