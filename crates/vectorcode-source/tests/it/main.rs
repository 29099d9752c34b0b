//! Integration tests of the source crate, one binary.

mod discover;
mod languages;
mod properties;
