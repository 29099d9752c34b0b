//! Decides which paths pass a filter.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use vectorcode_core::{PathFilter, PathPattern};

use crate::contract::Result;
use crate::{StoreError, StoreErrorCode};

/// A path filter with compiled globs.
#[derive(Debug, Default)]
pub struct PathMatcher {
    include: Vec<PatternMatcher>,
    exclude: Vec<PatternMatcher>,
}

impl PathMatcher {
    pub fn new(filter: &PathFilter) -> Result<Self> {
        let compiled =
            |patterns: &[PathPattern]| patterns.iter().map(PatternMatcher::new).collect::<Result<_>>();
        Ok(Self { include: compiled(&filter.include)?, exclude: compiled(&filter.exclude)? })
    }

    pub fn admits(&self, path: &str) -> bool {
        let matches =
            |matchers: &[PatternMatcher], path: &str| matchers.iter().any(|matcher| matcher.is_match(path));
        // Excluding a folder excludes everything in it, as in `.gitignore`.
        let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        (self.include.is_empty() || matches(&self.include, path))
            && !matches(&self.exclude, path)
            && !folders.any(|folder| matches(&self.exclude, folder))
    }
}

#[derive(Debug)]
enum PatternMatcher {
    Prefix(String),
    Glob(GlobSet),
}

impl PatternMatcher {
    fn new(pattern: &PathPattern) -> Result<Self> {
        Ok(match pattern {
            PathPattern::Prefix(prefix) => Self::Prefix(prefix.clone()),
            PathPattern::Glob(glob) => Self::Glob(compile_glob(glob)?),
        })
    }

    fn is_match(&self, path: &str) -> bool {
        match self {
            Self::Prefix(prefix) => path.starts_with(prefix.as_str()),
            Self::Glob(glob) => glob.is_match(path),
        }
    }
}

/// A pattern without a slash matches file names in any folder, as in `.gitignore`.
fn compile_glob(pattern: &str) -> Result<GlobSet> {
    let anywhere = format!("**/{pattern}");
    let pattern = if pattern.contains('/') { pattern } else { &anywhere };
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    // A set of one glob, because compiling a single glob panics if its regular expression gets too large.
    glob.and_then(|glob| GlobSetBuilder::new().add(glob).build()).map_err(|error| {
        // The glob itself is left out: the caller knows it, and it may be long.
        let message = format!("the path filter is not a valid glob: {}", error.kind());
        StoreError::new(StoreErrorCode::InvalidFilter, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_that_is_too_large_is_refused_in_a_few_words() {
        let filter = PathFilter::parse(&[format!("{{a,{}}}", "\u{fffd}".repeat(400_000))]);
        let error = PathMatcher::new(&filter).unwrap_err();
        assert_eq!(error.code(), StoreErrorCode::InvalidFilter);
        assert!(error.to_string().len() < 300, "{error}");
    }
}
