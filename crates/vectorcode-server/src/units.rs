//! Formats ages for people. Counts are formatted by [`vectorcode_core::numbers`].

pub(crate) use vectorcode_core::numbers::{grouped, plural};

/// An age in the short form of lists: `5s`, `12m`, `3h`, `2d`.
pub(crate) fn short_age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short() {
        assert_eq!([1, 119, 120, 7_200, 172_800].map(short_age), ["1s", "119s", "2m", "2h", "2d"]);
    }
}
