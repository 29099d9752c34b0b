//! [`KnownNames`]: a cache of the names that contain a word, and of where a name is defined.
//!
//! A common word is in thousands of names, a common name has thousands of definitions, and queries of one project share both:
//! without the cache, looking up definitions took 3 of the 7 ms of a query in abseil.

use std::sync::Arc;

use rusqlite::{Connection, Row};
use vectorcode_core::DefinitionKind;

use super::known_lists::KnownLists;
use crate::contract::ChunkRow;
use crate::index::enum_codes::{self, TraitBits};
use crate::sqlite::change_log;
use crate::sqlite::name_words::{self, NameOfWord};

/// The maximum number of entries for all words together; an entry takes 16 bytes.
const MAX_NAMES: usize = 1 << 16;
/// The maximum number of entries for all names together; an entry takes about 150 bytes with its texts.
const MAX_PLACES: usize = 1 << 14;

/// Where a name is defined.
#[derive(Debug)]
pub(super) struct DefinitionSite {
    /// The key of its row in `symbols`: file and ordinal.
    pub key: (i64, u32),
    pub row: ChunkRow,
    pub byte_start: u32,
    pub kind: DefinitionKind,
    /// The label of its chunk's syntax kind.
    pub syntax: i64,
    pub is_test: bool,
    pub path: Box<str>,
    /// The qualified name, if it differs from the bare one.
    pub qualified: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) struct KnownNames {
    of_words: KnownLists<String, NameOfWord>,
    places: KnownLists<i64, DefinitionSite>,
}

impl Default for KnownNames {
    fn default() -> Self {
        Self { of_words: KnownLists::new(MAX_NAMES), places: KnownLists::new(MAX_PLACES) }
    }
}

impl KnownNames {
    /// Clears the cache, because the file was replaced.
    pub fn forget(&self) {
        self.of_words.forget();
        self.places.forget();
    }

    /// A reader for the lookups of one transaction.
    pub(super) fn on<'c>(&'c self, conn: &'c Connection) -> rusqlite::Result<NameReader<'c>> {
        Ok(NameReader { known: self, conn, seq: change_log::last(conn)? })
    }
}

/// Reads names through the cache, as one connection sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameReader<'c> {
    known: &'c KnownNames,
    pub conn: &'c Connection,
    /// The latest transaction that the connection sees.
    seq: i64,
}

impl NameReader<'_> {
    pub fn holding(&self, word: &str) -> rusqlite::Result<Arc<[NameOfWord]>> {
        let read = || name_words::holding(self.conn, word);
        self.known.of_words.of(self.seq, word, read)
    }

    pub fn places_of(&self, name_id: i64) -> rusqlite::Result<Arc<[DefinitionSite]>> {
        let read = || {
            let mut places = self.conn.prepare_cached(
                "SELECT s.file_id, s.ordinal, s.chunk_id, s.byte_start, s.kind, c.kind, c.traits, f.path, s.qualified
                 FROM symbols AS s JOIN chunk_rows AS c ON c.id = s.chunk_id JOIN source_files AS f ON f.id = s.file_id
                 WHERE s.name_id = ?",
            )?;
            places.query_map([name_id], place)?.collect()
        };
        self.known.places.of(self.seq, &name_id, read)
    }
}

fn place(row: &Row<'_>) -> rusqlite::Result<DefinitionSite> {
    Ok(DefinitionSite {
        key: (row.get(0)?, row.get(1)?),
        row: ChunkRow(row.get(2)?),
        byte_start: row.get(3)?,
        kind: enum_codes::kind_of(row.get(4)?),
        syntax: row.get(5)?,
        is_test: TraitBits(row.get(6)?).is_test(),
        path: row.get_ref(7)?.as_str()?.into(),
        qualified: row.get_ref(8)?.as_str_or_null()?.map(Into::into),
    })
}
