//! Vectors: kept with 8 bits a component, one a row, and found by their codes of a few bits a component.
//!
//! - [`vectorcode_core::quantize`] turns vectors into bytes, [`code`] bytes into codes; a [`block`] holds the codes of 64 rows.
//! - [`writer`] keeps both tables of a stage in step; [`codes`] reads the codes, from the table or from memory.
//! - For a scan, blocks are turned so that the planes of 32 rows lie side by side ([`scan_segment`]) and are compared at once
//!   ([`plane_tables`]).
//! - A [`scan`] over codes leaves a shortlist, which is compared with the vectors themselves ([`exact`]).

mod block;
mod code;
mod codes;
mod exact;
mod plane_tables;
mod query;
mod scan;
mod scan_segment;
mod score_floor;
mod writer;

#[cfg(feature = "postgres")]
pub(crate) use block::{Block, BlockChanges, block_of};
#[cfg(feature = "postgres")]
pub(crate) use code::CodeLayout;
pub(crate) use codes::{ResidentCodes, scan_table};
pub(crate) use exact::{ExactVectors, VectorSource, read_vectors};
pub(crate) use query::QueryVector;
#[cfg(feature = "postgres")]
pub(crate) use scan::Shortlist;
pub(crate) use scan::Wanted;
pub(crate) use writer::{EncodedVector, VectorWriter, write_all_codes};
