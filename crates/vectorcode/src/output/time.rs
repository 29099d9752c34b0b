//! Parses timestamps as the index stores them.

/// Seconds since an ISO 8601 timestamp; `None` if it is not valid or in the future.
pub fn seconds_since(iso8601: &str) -> Option<u64> {
    let then: jiff::Timestamp = iso8601.parse().ok()?;
    u64::try_from(jiff::Timestamp::now().as_second() - then.as_second()).ok()
}
