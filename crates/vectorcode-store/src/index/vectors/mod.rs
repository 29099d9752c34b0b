//! Vector search: vectors are stored with 8 bits per component, one per row, and found by their codes of a few bits per
//! component.
//!
//! - [`vectorcode_core::quantize`] turns vectors into bytes, and [`code`] turns bytes into codes; a [`block`] holds the codes of
//!   64 rows.
//! - For a scan, blocks are transposed so that the planes of 32 rows lie next to each other ([`scan_segment`]) and are compared
//!   at once ([`plane_tables`]).
//! - A [`scan`] over codes yields a shortlist: the vectors that could be among the nearest. Only these are compared exactly, with
//!   the stored vectors ([`stored_vector`]).
//! - A process that searches once reads the codes sequentially. One that searches again keeps them in memory ([`resident_codes`])
//!   and refreshes the blocks whose rows have changed.

mod block;
mod code;
mod plane_tables;
mod query;
mod resident_codes;
mod scan;
mod scan_segment;
mod score_floor;
mod stored_vector;

pub(crate) use block::{Block, BlockChanges, block_of};
pub(crate) use code::{Code, CodeLayout};
pub(crate) use query::QueryVector;
pub(crate) use resident_codes::{ResidentCodes, Segments, checked_layout};
pub(crate) use scan::{Scan, Shortlist, Wanted};
pub(crate) use scan_segment::ScanSegment;
pub(crate) use stored_vector::{EncodedVector, StoredVector};
