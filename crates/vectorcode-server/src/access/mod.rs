//! Who may do what: access tokens with scopes, and how many requests each may make.
//!
//! Which tokens there are, [`AccessTokens`] says, a trait that the binary brings along. `http::guard` turns a request into a
//! [`Caller`]; tools and operations ask it for the scope that they need, and see the projects that it admits.

mod caller;
mod open_callers;
mod rate;
mod scope;
mod tokens;

pub(crate) use caller::{Caller, CallerId};
pub(crate) use open_callers::OpenCallers;
pub(crate) use rate::RateLimiter;
pub use scope::Scope;
pub use tokens::{AccessTokens, Grant};
