//! Who may do what: access tokens with scopes, and how many requests each may make.
//!
//! Tokens are made by `vectorcode token` and kept in one private file, which holds their hashes alone. `http::guard` turns a
//! request into a [`Caller`]; tools and operations ask it for the scope that they need, and see the projects that it admits.

mod caller;
mod open_callers;
mod rate;
mod scope;
mod token_file;
mod token_table;

pub(crate) use caller::{Caller, CallerId};
pub(crate) use open_callers::OpenCallers;
pub(crate) use rate::RateLimiter;
pub use scope::Scope;
pub use token_file::{NewToken, TokenFile, TokenRecord};
pub(crate) use token_table::TokenTable;
