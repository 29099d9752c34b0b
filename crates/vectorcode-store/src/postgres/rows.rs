//! Conversions between Rust values and table columns.

use std::borrow::Cow;
use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use vectorcode_core::{BlobId, Chunk, Span, WordHashes};

use crate::contract::{ChunkFacts, ChunkRow, ContentVersion, FileState, StoredChunk};
use crate::index::enum_codes::{self, TraitBits};

/// The first half of a `blake3` hash, in a column of the type `uuid`: 16 bytes without a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Hash(pub [u8; 16]);

impl Hash {
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

impl ToSql for Hash {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0);
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Hash {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw.try_into()?))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::UUID
    }
}

/// Eight bytes of a hash, as a key.
pub(super) fn key_of(text: &str) -> i64 {
    i64::from_le_bytes(blake3::hash(text.as_bytes()).as_bytes().first_chunk().copied().unwrap_or_default())
}

/// Replaces NUL characters, which sources may contain but text columns cannot store.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
}

/// The columns that [`chunk_facts`] reads.
pub(super) const SELECT_FACTS: &str =
    "SELECT c.row, c.start_line, c.end_line, c.byte_start, c.byte_end, c.traits, c.kinds,
        c.symbol, f.path, f.language, f.class, f.flags, t.words
    FROM chunks AS c
    JOIN files AS f ON f.project = c.project AND f.manifest = c.manifest AND f.file = c.file
    JOIN texts AS t ON t.project = c.project AND t.hash = c.content_hash
    WHERE c.project = $1 AND c.manifest = $2 AND c.row = ANY($3)";

/// Decodes a row of [`SELECT_FACTS`]; `None` if it is damaged.
pub(super) fn chunk_facts(row: &Row) -> Option<ChunkFacts> {
    let words = WordHashes::from_bytes(row.get::<_, Option<&[u8]>>(12)?);
    Some(ChunkFacts {
        row: ChunkRow(row.get::<_, i32>(0).into()),
        path: row.get::<_, &str>(8).into(),
        language: row.get::<_, &str>(9).into(),
        kind: row.get::<_, &str>(6).split(' ').next().unwrap_or_default().into(),
        span: span(row, 1)?,
        symbol: row.get::<_, Option<&str>>(7).map(Into::into),
        class: enum_codes::class_of(row.get::<_, i16>(10).into()),
        is_test: TraitBits(row.get::<_, i32>(5).cast_unsigned()).is_test(),
        flags: enum_codes::flags_of(row.get::<_, i16>(11).into()),
        words,
    })
}

/// The columns that [`stored_chunk`] reads, from `chunks AS c`, `files AS f` and `texts AS t`.
macro_rules! select_chunks {
    ($condition:literal) => {
        concat!(
            "SELECT c.row, c.start_line, c.end_line, c.byte_start, c.byte_end, c.traits, c.kinds, c.symbol,
                c.parent_context, f.path, f.language, f.class, f.flags, t.content
            FROM chunks AS c
            JOIN files AS f ON f.project = c.project AND f.manifest = c.manifest AND f.file = c.file
            JOIN texts AS t ON t.project = c.project AND t.hash = c.content_hash
            WHERE c.project = $1 AND c.manifest = $2 AND ",
            $condition
        )
    };
}
pub(super) use select_chunks;

/// Decodes a row of [`select_chunks`]; `None` if it is damaged.
pub(super) fn stored_chunk(row: &Row) -> Option<StoredChunk> {
    let mut kinds = row.get::<_, &str>(6).split(' ').map(str::to_owned);
    let chunk = Chunk {
        path: row.get(9),
        span: span(row, 1)?,
        symbol: row.get(7),
        kind: kinds.next().unwrap_or_default(),
        further_kinds: kinds.collect(),
        content: String::from_utf8(row.get::<_, &[u8]>(13).to_vec()).ok()?,
        parent_context: row.get(8),
        language: row.get(10),
        class: enum_codes::class_of(row.get::<_, i16>(11).into()),
        is_test: TraitBits(row.get::<_, i32>(5).cast_unsigned()).is_test(),
    };
    let flags = enum_codes::flags_of(row.get::<_, i16>(12).into());
    Some(StoredChunk { row: ChunkRow(row.get::<_, i32>(0).into()), chunk, flags })
}

/// Decodes the columns `first` to `first + 3` as a span: lines, then bytes.
pub(super) fn span(row: &Row, first: usize) -> Option<Span> {
    let number = |at: usize| u32::try_from(row.get::<_, i32>(first + at)).ok();
    let span =
        Span { start_line: number(0)?, end_line: number(1)?, byte_start: number(2)?, byte_end: number(3)? };
    (span.start_line <= span.end_line && span.byte_start <= span.byte_end).then_some(span)
}

/// The kinds of a chunk, joined by spaces.
pub(super) fn kinds_of(chunk: &Chunk) -> String {
    let mut kinds = chunk.kind.clone();
    for further in &chunk.further_kinds {
        kinds.push(' ');
        kinds.push_str(further);
    }
    clean(&kinds).into_owned()
}

/// Decodes `path, mtime_ns, size, hash, content_version, blob`; `None` if the row is damaged.
pub(super) fn file_state(row: &Row) -> Option<FileState> {
    Some(FileState {
        blob: row.get::<_, Option<&[u8]>>(5).and_then(BlobId::from_bytes),
        mtime_ns: row.get(1),
        size: u64::try_from(row.get::<_, i64>(2)).ok()?,
        hash: row.get::<_, &[u8]>(3).try_into().ok()?,
        content_version: ContentVersion(row.get(4)),
    })
}
