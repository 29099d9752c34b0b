//! Creates the tables, in a schema of their own, and migrates those of older versions.
//!
//! A released schema is never edited: every change is a new entry at the end of [`MIGRATIONS`].

use super::session::Session;
use crate::contract::Result;
use crate::{StoreError, StoreErrorCode};

/// The version of `tables.sql`. Lower numbers were used before the first release.
const FIRST: usize = 4;

/// Entry `n` migrates version `FIRST + n` to the next one.
const MIGRATIONS: &[&str] = &[];

const CURRENT: usize = FIRST + MIGRATIONS.len();

/// The oldest version of PostgreSQL that is still maintained. It has all that is used here: `unnest` of several arrays,
/// `ON CONFLICT` and `jsonb`.
const MIN_SERVER: i32 = 140_000;

/// The tables whose rows belong to a manifest.
pub(super) const TABLES: [&str; 14] = [
    "files",
    "file_facts",
    "chunks",
    "codes",
    "segments",
    "postings",
    "dead",
    "refused",
    "symbols",
    "name_words",
    "changes",
    "skipped",
    "commits",
    "commit_paths",
];

/// Creates the tables if they are missing, and rejects those of a newer program.
pub(super) fn migrate(session: &mut Session) -> Result<()> {
    check_server(session)?;
    let found = version(session)?;
    if found > CURRENT {
        return Err(newer(session, found));
    }
    if found == CURRENT {
        return Ok(());
    }
    if (1..FIRST).contains(&found) {
        return Err(unreleased(session, found));
    }
    // Several processes may get here at the same time.
    session.batch("BEGIN; SELECT pg_advisory_xact_lock(hashtext('vectorcode.schema'))")?;
    session.batch(
        "CREATE SCHEMA IF NOT EXISTS vectorcode; CREATE TABLE IF NOT EXISTS vectorcode.schema_version (version int NOT NULL)",
    )?;
    let found = version(session)?;
    if found == 0 {
        session.batch(include_str!("tables.sql"))?;
    }
    for migration in MIGRATIONS.iter().skip(found.saturating_sub(FIRST)) {
        session.batch(migration)?;
    }
    session.batch(&format!(
        "DELETE FROM schema_version; INSERT INTO schema_version VALUES ({}); COMMIT",
        found.max(CURRENT)
    ))
}

fn check_server(session: &mut Session) -> Result<()> {
    let row = session.query_one(
        "SELECT current_setting('server_version_num')::int, current_setting('server_version')",
        &[],
    )?;
    if row.get::<_, i32>(0) >= MIN_SERVER {
        return Ok(());
    }
    let message = format!("PostgreSQL {} at {} is too old", row.get::<_, String>(1), session.place());
    Err(StoreError::new(StoreErrorCode::Refused, message).with_hint("PostgreSQL 14 or later is needed."))
}

fn version(session: &mut Session) -> Result<usize> {
    let exists = session.query_one("SELECT to_regclass('vectorcode.schema_version') IS NOT NULL", &[])?;
    if !exists.get::<_, bool>(0) {
        return Ok(0);
    }
    let found = session.query("SELECT max(version) FROM vectorcode.schema_version", &[])?;
    Ok(found.first().and_then(|row| row.get::<_, Option<i32>>(0)).unwrap_or_default() as usize)
}

fn unreleased(session: &Session, found: usize) -> StoreError {
    let message = format!(
        "the tables in {} have version {found}, which no release of vectorcode has used",
        session.place()
    );
    StoreError::new(StoreErrorCode::Refused, message).with_hint(
        "Drop the schema `vectorcode` of the database. The next index run creates and fills it again.",
    )
}

fn newer(session: &Session, found: usize) -> StoreError {
    let message = format!(
        "the tables in {} have version {found}, written by a newer vectorcode; this one supports versions up to {}",
        session.place(),
        CURRENT
    );
    StoreError::new(StoreErrorCode::NewerSchema, message).with_hint(
        "Run `vectorcode upgrade`. All programs that share a database should have the same version.",
    )
}
