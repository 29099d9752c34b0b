//! Parses lines of a file as people, compilers and agents write them: `src/a.rs:45`, `src/a.rs:45-92`, `src/a.rs:45:7`.

use std::str::FromStr;

/// A range of lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// As written.
    pub path: String,
    /// Counted from 1.
    pub start_line: u32,
    /// The last line; equal to `start_line` if only one line is given.
    pub end_line: u32,
}

/// A text that is not a [`Location`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} does not have the form PATH:LINE")]
pub struct LocationError {
    pub text: String,
}

impl FromStr for Location {
    type Err = LocationError;

    /// Parses from the end, because a path may itself contain colons (`C:\a.rs:3`). Of two numbers, the second is a column,
    /// as compilers print it, and is ignored.
    fn from_str(text: &str) -> Result<Self, LocationError> {
        let mut path = text.trim();
        let mut lines = None;
        while let Some((before, after)) = path.rsplit_once(':')
            && let Some(numbers) = line_numbers(after)
        {
            (path, lines) = (before, Some(numbers));
        }
        match lines {
            Some((start_line, end_line)) if start_line > 0 && !path.is_empty() => {
                Ok(Self { path: path.to_owned(), start_line, end_line })
            }
            _ => Err(LocationError { text: text.to_owned() }),
        }
    }
}

/// `45` or `45-92`. A range that ends before it starts is reduced to its first line.
fn line_numbers(text: &str) -> Option<(u32, u32)> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let start: u32 = start.parse().ok()?;
    Some((start, end.parse().unwrap_or(start).max(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(String, u32, u32)> {
        let location: Location = text.parse().ok()?;
        Some((location.path, location.start_line, location.end_line))
    }

    #[test]
    fn lines_ranges_and_columns_are_understood() {
        for text in ["src/a.rs:45", "src/a.rs:45:7", " src/a.rs:45 ", "src/a.rs:45-"] {
            assert_eq!(parsed(text), Some(("src/a.rs".into(), 45, 45)), "{text}");
        }
        assert_eq!(parsed("src/a.rs:45-92"), Some(("src/a.rs".into(), 45, 92)));
        assert_eq!(parsed("src/a.rs:9-2"), Some(("src/a.rs".into(), 9, 9)));
    }

    #[test]
    fn a_path_may_hold_colons() {
        assert_eq!(parsed("C:\\src\\x.rs:12"), Some(("C:\\src\\x.rs".into(), 12, 12)));
        assert_eq!(parsed("C:/src/x.rs:12-14"), Some(("C:/src/x.rs".into(), 12, 14)));
        assert_eq!(parsed("a:b.rs:3"), Some(("a:b.rs".into(), 3, 3)));
    }

    #[test]
    fn what_names_no_line_is_refused() {
        for text in ["", "src/a.rs", "src/a.rs:", "src/a.rs:0", ":5", "src/a.rs:x", "C:\\x.rs", "C:"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
