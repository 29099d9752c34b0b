//! The doc comment of a field is its description, `#[schemars(range(..))]` its bounds, `#[serde(default)]` or
//! [`CallArguments::defaults`] its default. A call goes through three steps: [`schema`] derives a plain JSON schema from the
//! struct, [`coerce`] checks the given values against it, and serde deserialises the struct.

mod coerce;
mod graph;
mod index;
mod schema;
mod search;

pub(crate) use coerce::{BadArgument, CheckedArguments, InputFormat};
pub(crate) use graph::{GraphArguments, SymbolArguments};
pub(crate) use index::IndexArguments;
pub(crate) use schema::{ArgumentSchema, CallArguments, ListedArgument, NoArguments, PROJECT, REF};
pub(crate) use search::{ModeChoice, QUERY, ResultBounds, SearchFilters, SimilarTo};
