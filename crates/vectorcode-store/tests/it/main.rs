//! Tests of the store with real files and real processes.

#![expect(clippy::unwrap_used, reason = "a test stops at what must not fail")]

mod child;
mod fixture;
mod postgres;
mod sqlite;
mod suite;

suite::store_suite!(on_sqlite, crate::fixture::sqlite, true);
suite::store_suite!(on_postgres, crate::fixture::postgres, crate::fixture::has_postgres());
