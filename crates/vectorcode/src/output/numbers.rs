//! Formats sizes, times and rates for people. Counts are formatted by [`vectorcode_core::numbers`].

pub use vectorcode_core::numbers::{grouped, plural};

/// `1536` as `1.5 KB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `190` as `3 minutes`.
pub fn duration(seconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let (size, name) = UNITS.into_iter().find(|(size, _)| seconds >= *size).unwrap_or((1, "second"));
    plural(seconds / size, name)
}

/// The remaining time, like [`duration`] but rounded: nobody would trust an estimate that stays at one minute for two minutes.
pub fn remaining(seconds: u64) -> String {
    match seconds {
        0..120 => plural(seconds, "second"),
        120..7_200 => plural((seconds + 30) / 60, "minute"),
        _ => plural((seconds + 1_800) / 3_600, "hour"),
    }
}

/// `783/s`, `3.2/s`: decimals only where they matter.
pub fn rate(per_second: f64) -> String {
    if per_second < 10.0 { format!("{per_second:.1}/s") } else { format!("{}/s", grouped(per_second as u64)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(1_572_864), "1.5 MB");
        assert_eq!(duration(0), "0 seconds");
        assert_eq!(duration(190), "3 minutes");
        assert_eq!([104, 170, 7_300].map(remaining), ["104 seconds", "3 minutes", "2 hours"]);
        assert_eq!(rate(783.5349), "783/s");
        assert_eq!(rate(3.21), "3.2/s");
    }
}
