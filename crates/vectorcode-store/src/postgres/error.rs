//! What a failed connection or statement means, and what to do about it.

use std::error::Error as _;

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::address::Address;
use crate::{StoreError, StoreErrorCode};

/// Why no connection could be made.
pub(super) fn connect_error(address: &Address, source: Error) -> StoreError {
    let refused = |message: String| StoreError::new(StoreErrorCode::Refused, message);
    let error = match source.code() {
        Some(code) if *code == SqlState::INVALID_PASSWORD || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            refused(format!("PostgreSQL refuses the user or password of {address}")).with_hint(
                "Put the password into the URL of VECTORCODE_STORE_URL, PGPASSWORD or the file that PGPASSFILE names.",
            )
        }
        Some(code) if *code == SqlState::INVALID_CATALOG_NAME => {
            refused(format!("there is no database {address}")).with_hint("Create it with `createdb`.")
        }
        Some(_) => return statement_error(&address.to_string(), source),
        None if source.to_string().contains("password missing") => {
            refused(format!("PostgreSQL asks for a password of {address}")).with_hint(
                "Put the password into the URL of VECTORCODE_STORE_URL, PGPASSWORD or the file that PGPASSFILE names.",
            )
        }
        None => unreachable_error(&address.to_string(), &source),
    };
    error.with_source(source)
}

fn unreachable_error(place: &str, source: &Error) -> StoreError {
    let why = source.source().map_or_else(|| source.to_string(), |cause| format!("{source}: {cause}"));
    StoreError::new(StoreErrorCode::Unreachable, format!("PostgreSQL at {place} cannot be reached: {why}"))
        .with_hint("Check that the server runs and that host, port and sslmode of the URL are right.")
}

/// Why a statement failed.
pub(super) fn statement_error(place: &str, source: Error) -> StoreError {
    let Some(database) = source.as_db_error() else {
        let is_value = source.to_string().contains("serializ");
        let error = if is_value { damaged(place) } else { unreachable_error(place, &source) };
        return error.with_source(source);
    };
    let code = database.code();
    let said = database.message().to_owned();
    let error = if *code == SqlState::DISK_FULL {
        StoreError::new(
            StoreErrorCode::DiskFull,
            format!("no space left on the disk of PostgreSQL at {place}"),
        )
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE || *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        let hint = "Give the user the right to create a schema in the database, or let an administrator run \
            `vectorcode index` once. A standby takes no writes: name the primary, or both hosts with \
            `target_session_attrs=read-write`.";
        StoreError::new(StoreErrorCode::ReadOnly, format!("PostgreSQL at {place} refuses to write: {said}"))
            .with_hint(hint)
    } else if is_connection_lost(code) {
        unreachable_error(place, &source)
    } else if *code == SqlState::UNDEFINED_FILE || *code == SqlState::FEATURE_NOT_SUPPORTED {
        StoreError::new(
            StoreErrorCode::Refused,
            format!("PostgreSQL at {place} lacks what is needed: {said}"),
        )
        .with_hint("PostgreSQL 14 or later is needed.")
    } else if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED {
        damaged(place)
    } else {
        StoreError::new(StoreErrorCode::Backend, format!("PostgreSQL at {place}: {said} ({})", code.code()))
    };
    error.with_source(source)
}

/// A server that shuts down, starts or ends a session, or one that is overloaded.
fn is_connection_lost(code: &SqlState) -> bool {
    let code = code.code();
    code.starts_with("57P") || code.starts_with("08") || code == "53300"
}

/// For a value that cannot be right.
pub(super) fn damaged(place: &str) -> StoreError {
    StoreError::new(StoreErrorCode::Damaged, format!("the index in {place} is damaged"))
}

/// Whether another try may succeed, because the connection was lost and not the statement refused.
pub(super) fn is_worth_a_retry(error: &StoreError) -> bool {
    let conflict = error.source().and_then(|source| source.downcast_ref::<Error>()).and_then(Error::code);
    let conflict = conflict.is_some_and(|code| {
        *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE
    });
    error.code() == StoreErrorCode::Unreachable || conflict
}
