//! Path filters as people and agents write them: prefixes or globs to include, and after `!` those to exclude.

use crate::with_slashes;

/// Which paths a request covers. Empty: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathFilter {
    /// A path must match at least one of these. Empty: every path passes.
    pub include: Vec<PathPattern>,
    /// A path that matches any of these is excluded.
    pub exclude: Vec<PathPattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPattern {
    /// Paths with this prefix.
    Prefix(String),
    /// Paths that match this glob. A glob without a slash is matched against file names, as in `.gitignore`.
    Glob(String),
}

impl PathFilter {
    /// Parses `src/auth/`, `**/*.rs`, `!vendor/**`, relative to the root. An empty pattern or `.` means every path.
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

/// Starts a pattern that excludes paths.
pub const EXCLUDE: char = '!';

impl PathPattern {
    /// `None` for the root itself, which does not restrict anything.
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

/// Whether a pattern is a glob rather than a path prefix.
pub fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{'])
}

/// Splits a list at its commas. A comma inside braces or brackets belongs to a glob: `src/**/*.{c,h},docs/`.
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
