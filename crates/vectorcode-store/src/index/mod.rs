//! The parts of an index that do not depend on the backend: formats, what is computed from them, and caches. There is no SQL and
//! nothing of a database library here; the backends, [`crate::sqlite`] and [`crate::postgres`], add statements, sessions and
//! locks, and are independent of each other.
//!
//! - [`fulltext`] is an inverted index ranked by BM25; [`vectors`] are quantised vectors, their codes and the scan over the
//!   codes.
//! - [`prepared_file`] is what is computed from a file before it is written, with [`symbols`] and [`packed_facts`];
//!   [`prepared_query`] is the same for a query.
//! - [`chunk_attributes`] evaluates filters, [`name_match`] looks up names, [`spelling`] suggests words.
//! - [`chunk_cache`] and [`generations`] are caches; [`change_log`] tells them what changed.
//! - [`stage`], [`enum_codes`], [`varint`], [`commit_codec`] and [`pending_order`] are formats; [`row_bitmap`] and [`top_k`] are
//!   the data structures of a search. Impossible bytes are reported as [`corrupt`].

pub(crate) mod change_log;
pub(crate) mod chunk_attributes;
pub(crate) mod chunk_cache;
pub(crate) mod commit_codec;
pub(crate) mod corrupt;
pub(crate) mod enum_codes;
pub(crate) mod fulltext;
pub(crate) mod generations;
pub(crate) mod name_match;
pub(crate) mod packed_facts;
pub(crate) mod pending_order;
pub(crate) mod prepared_file;
pub(crate) mod prepared_query;
pub(crate) mod row_bitmap;
pub(crate) mod spelling;
pub(crate) mod stage;
pub(crate) mod symbols;
pub(crate) mod top_k;
pub(crate) mod varint;
pub(crate) mod vectors;

pub use fulltext::TOKENIZER_VERSION;
