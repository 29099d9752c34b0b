//! Formats counts and long lists for people.

/// 8432 as `8,432`.
pub fn grouped(number: u64) -> String {
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
pub fn plural(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// `lib/a.d.cts, vendor/a.ts and 3 more`: at most `max` of the names.
pub fn first_and_more(names: impl ExactSizeIterator<Item = String>, max: usize) -> String {
    let more = names.len().saturating_sub(max);
    let listed = names.take(max).collect::<Vec<_>>().join(", ");
    if more == 0 { listed } else { format!("{listed} and {more} more") }
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
    fn only_the_first_names_are_listed() {
        let names = || ["a", "b", "c"].map(String::from).into_iter();
        assert_eq!([2, 3].map(|max| first_and_more(names(), max)), ["a, b and 1 more", "a, b, c"]);
    }

    #[test]
    fn one_has_no_plural() {
        assert_eq!([1, 2_000].map(|number| plural(number, "file")), ["1 file", "2,000 files"]);
    }
}
