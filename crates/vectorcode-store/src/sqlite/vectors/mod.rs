//! Vectors: quantised to 8 bits a component, stored one a row, searched exactly in memory.

mod matrix;
pub(crate) mod quantize;
mod table;

pub(crate) use matrix::{QueryVector, VectorMatrix};
pub(crate) use table::{insert, load, move_to, refresh};

/// Which of the two sets of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    /// The bundled static model's.
    Static,
    /// The configured provider's.
    Provider,
}
