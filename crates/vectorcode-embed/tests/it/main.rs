//! The embedders as other crates use them.

mod reference;
mod static_model;
