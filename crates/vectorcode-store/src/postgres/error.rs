//! Turns failed connections and statements into store errors with hints.

use std::error::Error as _;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::address::Address;
use crate::{StoreError, StoreErrorCode};

/// The error for a connection that could not be made.
pub(super) fn connect_error(address: &Address, source: Error) -> StoreError {
    let refused = |message: String| StoreError::new(StoreErrorCode::Refused, message);
    match source.code() {
        Some(code)
            if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
        {
            refused(format!("PostgreSQL rejected the user or password of {address}")).with_hint(PASSWORD_HINT)
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            refused(format!("there is no database {address}")).with_hint("Create it with `createdb`.")
        }
        Some(_) => statement_error(&address.to_string(), source),
        None if in_words(&source).contains("password missing") => {
            refused(format!("PostgreSQL asks for the password of {address}")).with_hint(PASSWORD_HINT)
        }
        None => unreachable_error(&address.to_string(), &source).with_source(source),
    }
}

const PASSWORD_HINT: &str =
    "Put the password into the URL of VECTORCODE_STORE_URL, PGPASSWORD or the file that PGPASSFILE names.";

/// The client's message and its cause.
fn in_words(error: &Error) -> String {
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

fn unreachable_error(place: &str, source: &Error) -> StoreError {
    let why = in_words(source);
    StoreError::new(StoreErrorCode::Unreachable, format!("PostgreSQL at {place} cannot be reached: {why}"))
        .with_hint("Check that the server is running, and the host, port and sslmode in the URL.")
}

/// The error for a failed statement. It contains the server's message, so the source is not attached, except where
/// [`is_worth_a_retry`] needs its code.
pub(super) fn statement_error(place: &str, source: Error) -> StoreError {
    let Some(database) = source.as_db_error() else {
        let is_value = source.to_string().contains("serializ");
        let error = if is_value { damaged(place) } else { unreachable_error(place, &source) };
        return error.with_source(source);
    };
    let (code, said) = (database.code(), database.message());
    let refused =
        |code: StoreErrorCode| StoreError::new(code, format!("PostgreSQL at {place} refuses: {said}"));
    if *code == SqlState::DISK_FULL {
        let message = format!("no space left on the disk of PostgreSQL at {place}: {said}");
        StoreError::new(StoreErrorCode::DiskFull, message)
    } else if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        refused(StoreErrorCode::ReadOnly).with_hint(
            "A standby takes no writes: name the primary, or both hosts with `target_session_attrs=read-write`.",
        )
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        refused(StoreErrorCode::ReadOnly).with_hint(
            "The user needs all privileges on the schema `vectorcode`, and the privilege to create schemas in the database.",
        )
    } else if is_connection_lost(code) {
        unreachable_error(place, &source)
    } else if *code == SqlState::FEATURE_NOT_SUPPORTED {
        refused(StoreErrorCode::Refused).with_hint("PostgreSQL 14 or later is needed.")
    } else if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED {
        damaged(place)
    } else if code.code().starts_with(INTEGRITY_VIOLATION) {
        StoreError::inconsistent(&format!("in {place}"), said)
    } else {
        let message = format!("PostgreSQL at {place}: {said} ({})", code.code());
        let error = StoreError::new(StoreErrorCode::Backend, message);
        if is_conflict(code) { error.with_source(source) } else { error }
    }
}

/// The SQLSTATE class of violated constraints.
const INTEGRITY_VIOLATION: &str = "23";

/// Whether the server shuts down, starts up, ends the session or is overloaded.
fn is_connection_lost(code: &SqlState) -> bool {
    let code = code.code();
    code.starts_with("57P") || code.starts_with("08") || code == "53300"
}

/// The error for an impossible value.
pub(super) fn damaged(place: &str) -> StoreError {
    StoreError::new(StoreErrorCode::Damaged, format!("the index in {place} is damaged"))
}

/// Whether a retry may succeed, because the connection was lost or transactions conflicted.
pub(super) fn is_worth_a_retry(error: &StoreError) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref::<Error>());
    error.code() == StoreErrorCode::Unreachable || source.and_then(Error::code).is_some_and(is_conflict)
}

/// Whether two transactions conflicted.
fn is_conflict(code: &SqlState) -> bool {
    *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE
}
