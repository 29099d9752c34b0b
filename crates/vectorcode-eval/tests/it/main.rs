//! The evaluation as a whole.

#![allow(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod agreement;
mod localise;
