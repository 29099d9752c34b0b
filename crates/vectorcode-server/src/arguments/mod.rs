//! The arguments of a call: one serde struct for each MCP tool and each REST operation.
//!
//! The doc comment of a field is its description, `#[schemars(range(..))]` its bounds, `#[serde(default)]` or
//! [`CallArguments::defaults`] its default. A call goes through three steps: [`schema`] derives a plain JSON schema from
//! the struct, [`coerce`] checks the given values against it, and serde makes the struct.
//!
//! The check stands before serde because callers differ. Agents often write `"10"` for a number, `null` for an absent
//! argument, or an argument that does not exist: they are understood, and the unknown name is reported back. Programs
//! that call the REST API get an error for each of these.

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
