//! The clock, in the two forms that the index keeps.

/// The present moment as ISO 8601 in UTC, to the second.
pub(crate) fn now_iso8601() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Whole seconds from `time`, in nanoseconds since 1970, until now; zero for times to come.
pub(crate) fn seconds_since(time_ns: i64) -> u64 {
    let now = jiff::Timestamp::now().as_nanosecond();
    u64::try_from((now - i128::from(time_ns)) / 1_000_000_000).unwrap_or(0)
}
