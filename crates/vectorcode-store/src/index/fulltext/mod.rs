//! Full text: an inverted index ranked by BM25.
//!
//! FTS5 was measured first and replaced. It scores each match through callbacks and looks its length up in another
//! table: for a query of six words, common ones among them, it took 6.9 ms on 10,000 chunks and 78 ms on 100,000,
//! where this takes 0.14 ms and 0.9 ms on the same machine.
//!
//! The index is log-structured, as Lucene's and tantivy's are. Each transaction adds a *segment*: for every word in it, a list
//! of the chunks that hold it. A deleted chunk gets a tombstone (a row of `dead`) until its segment is merged, and the merge policy
//! ([`merge_policy`]) merges eight segments of about one size into one. Queries do not count dead chunks either, so that an index
//! that was edited ranks exactly like one that was built at once from the same files. Row ids rise from segment to segment and are
//! never used twice, so a chunk is in one segment only.

mod bm25;
mod file_terms;
mod merge_policy;
mod posting;
mod segment;
mod term_dictionary;
mod tokenizer;

pub(crate) use bm25::{Collection, Figures, MAX_COMPLETIONS, Query, Scores, holding};
pub(crate) use file_terms::FileTerms;
pub(crate) use merge_policy::{Segment, are_all_due, due};
pub(crate) use posting::{Posting, PostingEncoder, PostingList};
pub(crate) use segment::{Extent, SegmentBuilder};
pub(crate) use tokenizer::Term;

/// Raise it when a text gives other tokens or weights than before: all files are read again then.
pub const TOKENIZER_VERSION: u16 = 2;

/// The term under which the chunks that use a name are listed. No word begins so.
pub(crate) fn used_term(name: &str) -> String {
    format!("\u{1}{name}")
}
