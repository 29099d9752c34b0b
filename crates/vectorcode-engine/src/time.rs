//! The current time, in the two formats used in the index.

/// The current time as ISO 8601 in UTC, to the second.
pub(crate) fn now_iso8601() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The current time in nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

/// Whole seconds from `time_ns` (nanoseconds since 1970) until now; zero for a time in the future.
pub(crate) fn seconds_since(time_ns: i64) -> u64 {
    let now = jiff::Timestamp::now().as_nanosecond();
    u64::try_from((now - i128::from(time_ns)) / 1_000_000_000).unwrap_or(0)
}

/// A time in seconds since 1970 as ISO 8601 in UTC. Clamped to the range that `jiff` can represent.
pub(crate) fn iso8601(seconds: i64) -> String {
    let (least, most) = (jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    let moment =
        jiff::Timestamp::from_second(seconds.clamp(least, most)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
