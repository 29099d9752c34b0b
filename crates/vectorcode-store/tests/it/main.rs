//! The store over real files and real processes.

#![expect(clippy::unwrap_used, reason = "a test stops at what must not fail")]

mod child;
mod fixture;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
mod suite;

suite::store_suite!(on_sqlite, crate::fixture::sqlite, true);
#[cfg(feature = "postgres")]
suite::store_suite!(on_postgres, crate::fixture::postgres, crate::fixture::has_postgres());
