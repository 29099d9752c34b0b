//! Paths as the index knows them: relative to the project root, with `/`.

/// Whether `path` is `place` or lies below it. An empty place is the root.
pub fn is_within(path: &str, place: &str) -> bool {
    place.is_empty() || path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_holds_what_is_below_it_and_nothing_beside_it() {
        assert!(is_within("src/a.rs", "src"));
        assert!(is_within("src/a.rs", "src/a.rs"));
        assert!(is_within("src/a.rs", ""));
        assert!(!is_within("src2/a.rs", "src"));
        assert!(!is_within("src", "src/a.rs"));
    }
}
