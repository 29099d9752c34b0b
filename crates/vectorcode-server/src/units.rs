//! Formats numbers and ages for people.

/// 8432 as `8,432`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.char_indices() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `2 files`.
pub(crate) fn plural(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

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
    fn numbers_are_grouped_by_thousands() {
        let all = [0, 999, 1_000, 8_432, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "999", "1,000", "8,432", "1,234,567"]);
    }

    #[test]
    fn ages_are_short() {
        assert_eq!([1, 119, 120, 7_200, 172_800].map(short_age), ["1s", "119s", "2m", "2h", "2d"]);
    }
}
