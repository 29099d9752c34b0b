//! Moments as the index writes them, read back.

/// Seconds from an ISO 8601 moment until now; `None` when it cannot be read.
pub fn seconds_since(iso8601: &str) -> Option<u64> {
    let then: jiff::Timestamp = iso8601.parse().ok()?;
    u64::try_from(jiff::Timestamp::now().as_second() - then.as_second()).ok()
}
