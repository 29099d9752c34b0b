//! Vectors: quantised to 8 bits a component, stored one a row, searched exactly in memory.

mod matrix;
pub(crate) mod quantize;
mod table;

pub(crate) use matrix::{QueryVector, VectorMatrix};
pub(crate) use table::{insert, load, move_to, refresh};
