//! Access control: tokens with scopes, and rate limits for each token.
//!
//! The binary implements the trait [`AccessTokens`], which knows the tokens. `http::guard` turns a request into a [`Caller`];
//! tools and operations check the scope that they need, and only see the projects that it may access.

mod caller;
mod caller_streams;
mod rate;
mod scope;
mod tokens;

pub(crate) use caller::{Caller, CallerId};
pub(crate) use caller_streams::CallerStreams;
pub(crate) use rate::RateLimiter;
pub use scope::Scope;
pub use tokens::{AccessTokens, Grant};
