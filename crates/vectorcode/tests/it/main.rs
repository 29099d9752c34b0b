//! The integration tests: the real binary, run as a user runs it.

mod help;
