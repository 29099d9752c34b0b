//! The tables of vectors and of their codes.
//!
//! [`writer`] keeps both tables of a stage consistent; [`codes`] reads the codes, and [`exact`] the vectors.

mod codes;
mod exact;
mod writer;

pub(crate) use self::codes::{load, refresh, scan_table};
pub(crate) use self::exact::{ExactVectors, VectorSource, read_vectors};
pub(crate) use self::writer::VectorWriter;
use crate::index::stage::Stage;

/// The table of a stage's vectors.
pub(crate) fn table(stage: Stage) -> &'static str {
    match stage {
        Stage::Static => "vec_static",
        Stage::Provider => "vec_provider",
    }
}

/// The table of a stage's codes.
fn code_table(stage: Stage) -> &'static str {
    match stage {
        Stage::Static => "vec_static_codes",
        Stage::Provider => "vec_chunks_codes",
    }
}
