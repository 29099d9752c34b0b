//! Path filters as people and agents write them: a prefix or a glob, and after `!` what to leave out.

use crate::with_slashes;

/// Which paths a request is about. Empty: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathFilter {
    /// A path passes if it matches any of these; empty: every path.
    pub include: Vec<PathPattern>,
    /// A path that matches any of these does not pass.
    pub exclude: Vec<PathPattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPattern {
    /// Paths that begin so.
    Prefix(String),
    /// Paths that match this glob. One without a slash is about file names, as in `.gitignore`.
    Glob(String),
}

impl PathFilter {
    /// `src/auth/`, `**/*.rs`, `!vendor/**`, relative to the root. What is empty or `.` means every path.
    pub fn parse<S: AsRef<str>>(written: impl IntoIterator<Item = S>) -> Self {
        let mut filter = Self::default();
        for pattern in written {
            let pattern = pattern.as_ref();
            let (list, pattern) = match pattern.strip_prefix(EXCLUDE) {
                Some(rest) => (&mut filter.exclude, rest),
                None => (&mut filter.include, pattern),
            };
            list.extend(PathPattern::parse(pattern));
        }
        filter
    }

    pub fn prefix(path: impl Into<String>) -> Self {
        Self { include: vec![PathPattern::Prefix(path.into())], exclude: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }
}

/// Begins a pattern whose paths are left out.
pub const EXCLUDE: char = '!';

impl PathPattern {
    /// `None` for the root itself, which restricts nothing.
    fn parse(written: &str) -> Option<Self> {
        let slashed = with_slashes(written.trim());
        let mut path = &*slashed;
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        match path {
            "" | "." | "/" => None,
            glob if is_glob(glob) => Some(Self::Glob(glob.to_owned())),
            prefix => Some(Self::Prefix(prefix.to_owned())),
        }
    }
}

/// Whether a pattern is a glob rather than the beginning of a path.
pub fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{'])
}

/// The patterns of a list with commas. A comma inside of braces or brackets belongs to its glob: `src/**/*.{c,h},docs/`.
pub fn split_patterns(list: &str) -> Vec<String> {
    let mut patterns = vec![String::new()];
    let mut depth = 0_usize;
    for character in list.chars() {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if character == ',' && depth == 0 {
            patterns.push(String::new());
        } else if let Some(pattern) = patterns.last_mut() {
            pattern.push(character);
        }
    }
    patterns.iter().map(|pattern| pattern.trim().to_owned()).filter(|pattern| !pattern.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_globs_and_exclusions_are_told_apart() {
        let filter = PathFilter::parse(["./src/", "*.rs", "!vendor/**", "!docs/", "."]);
        assert_eq!(
            filter.include,
            [PathPattern::Prefix("src/".into()), PathPattern::Glob("*.rs".into())],
            "the root restricts nothing"
        );
        assert_eq!(
            filter.exclude,
            [PathPattern::Glob("vendor/**".into()), PathPattern::Prefix("docs/".into())]
        );
        assert!(PathFilter::parse(["", "./", "!"]).is_empty());
    }

    #[test]
    fn commas_separate_patterns_except_inside_of_braces() {
        assert_eq!(split_patterns("src/, !vendor/**,*.{c,h}"), ["src/", "!vendor/**", "*.{c,h}"]);
        assert_eq!(split_patterns(" , "), Vec::<String>::new());
    }
}
