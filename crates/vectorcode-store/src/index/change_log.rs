//! The format of the change log: the last transactions, each with the rows of the chunks that it touched.

/// The number of transactions that the log keeps.
pub(crate) const LOGGED_TRANSACTIONS: i64 = 128;
/// A transaction that touches more rows than this is logged without its rows.
pub(crate) const LOGGED_ROWS: usize = 1000;

pub(crate) fn to_blob(rows: &[i64]) -> Vec<u8> {
    rows.iter().flat_map(|row| row.to_le_bytes()).collect()
}

pub(crate) fn from_blob(blob: &[u8]) -> impl Iterator<Item = i64> {
    blob.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes))
}
