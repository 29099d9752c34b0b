//! Formats line numbers for people.

/// Joins ascending line numbers into ranges: `["3", "7-9"]`.
pub fn line_ranges(lines: &[u32]) -> Vec<String> {
    lines
        .chunk_by(|line, next| line + 1 == *next)
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            run => run.iter().map(u32::to_string).collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::line_ranges;

    #[test]
    fn lines_that_follow_each_other_are_one_range() {
        assert_eq!(line_ranges(&[3, 7, 8, 9, 11, 12]), ["3", "7-9", "11-12"]);
        assert!(line_ranges(&[]).is_empty());
    }
}
