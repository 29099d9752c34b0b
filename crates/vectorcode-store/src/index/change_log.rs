//! The log of the last transactions, each with the rows of chunks that it touched: how long it is, and how rows are written.

/// The log goes back this many transactions.
pub(crate) const LOGGED_TRANSACTIONS: i64 = 128;
/// A transaction that touches more rows than this only says that it touched many.
pub(crate) const LOGGED_ROWS: usize = 1000;

pub(crate) fn to_blob(rows: &[i64]) -> Vec<u8> {
    rows.iter().flat_map(|row| row.to_le_bytes()).collect()
}

pub(crate) fn from_blob(blob: &[u8]) -> impl Iterator<Item = i64> {
    blob.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}
