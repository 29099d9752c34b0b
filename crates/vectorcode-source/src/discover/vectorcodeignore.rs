//! `.vectorcodeignore`, and `.socraticodeignore` for compatibility: gitignore syntax with one extension. `!vendor/ours/`
//! includes files below an excluded directory again, whatever rule excluded it. Git cannot do this.
//!
//! To find such files, the walk must enter excluded directories. That is expensive for directories such as `node_modules`, so
//! it enters them only along the path of an anchored pattern, one that starts at the directory of its `.vectorcodeignore`. An
//! unanchored pattern (`!*.d.ts`, `!**/keep.md`) overrides rules for single files, but does not make the walk enter excluded
//! directories.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::git::excluded;

pub const VECTORCODEIGNORE: &str = ".vectorcodeignore";

/// The ignore file of `SocratiCode`, for projects that have used it. Lines of `.vectorcodeignore` are applied after it.
pub const SOCRATICODEIGNORE: &str = ".socraticodeignore";

/// The rules of one `.vectorcodeignore`. Paths are relative to its directory.
#[derive(Debug)]
pub struct VectorcodeIgnore {
    all: Gitignore,
    /// The rules that apply inside excluded directories: all except unanchored `!` patterns.
    inside_excluded: Gitignore,
    reaching: Vec<Route>,
}

/// The segments of a `!` pattern, starting at the directory of its file.
#[derive(Debug)]
struct Route(Vec<Segment>);

#[derive(Debug)]
enum Segment {
    Glob(Gitignore),
    /// `**`: any number of directories.
    Any,
}

impl VectorcodeIgnore {
    /// Reads the rules of a directory through `read`. Returns `None` if it has neither file.
    pub fn of(read: impl Fn(&str) -> Option<String>) -> Option<Self> {
        match (read(SOCRATICODEIGNORE), read(VECTORCODEIGNORE)) {
            (None, None) => None,
            (Some(text), None) | (None, Some(text)) => Some(Self::parse(&text)),
            (Some(theirs), Some(ours)) => Some(Self::parse(&format!("{theirs}\n{ours}"))),
        }
    }

    fn parse(text: &str) -> Self {
        let mut all = GitignoreBuilder::new(".");
        let mut inside_excluded = GitignoreBuilder::new(".");
        let mut reaching = Vec::new();
        for line in text.lines() {
            if let Err(error) = all.add_line(None, line) {
                tracing::warn!(%error, "{VECTORCODEIGNORE} has an invalid line");
                continue;
            }
            let kept = line.trim_end().strip_prefix('!');
            if kept.is_none_or(is_anchored) {
                // Cannot fail: `all` has just accepted the same line.
                let _ = inside_excluded.add_line(None, line);
                reaching.extend(kept.map(Route::parse));
            }
        }
        let build = |builder: &GitignoreBuilder| builder.build().unwrap_or_else(|_| Gitignore::empty());
        Self { all: build(&all), inside_excluded: build(&inside_excluded), reaching }
    }

    /// For a path whose directory is included: excluded (`Some(true)`) or included again (`Some(false)`).
    pub fn excludes(&self, path: &str, is_dir: bool) -> Option<bool> {
        excluded(&self.all, path, is_dir)
    }

    /// The same, for a path whose directory is excluded.
    pub fn excludes_inside_excluded(&self, path: &str, is_dir: bool) -> Option<bool> {
        excluded(&self.inside_excluded, path, is_dir)
    }

    /// Whether a `!` pattern may include something below this excluded directory.
    pub fn reaches_into(&self, directory: &str) -> bool {
        self.reaching.iter().any(|route| route.leads_below(directory))
    }
}

/// Whether a pattern is anchored: it has a slash before its end, and no leading `**`.
fn is_anchored(pattern: &str) -> bool {
    !pattern.starts_with("**") && !pattern.starts_with("/**") && pattern.trim_end_matches('/').contains('/')
}

impl Route {
    fn parse(pattern: &str) -> Self {
        let segments = pattern.trim_start_matches('/').trim_end_matches('/').split('/');
        Self(segments.map(Segment::parse).collect())
    }

    /// Whether the pattern can match something strictly below `directory`.
    fn leads_below(&self, directory: &str) -> bool {
        let mut segments = self.0.iter();
        for name in directory.split('/') {
            match segments.next() {
                Some(Segment::Any) => return true,
                Some(segment) if segment.matches(name) => {}
                _ => return false,
            }
        }
        segments.next().is_some()
    }
}

impl Segment {
    fn parse(text: &str) -> Self {
        if text == "**" {
            return Self::Any;
        }
        let mut builder = GitignoreBuilder::new(".");
        let glob = builder.add_line(None, &format!("/{text}")).and_then(|builder| builder.build());
        Self::Glob(glob.unwrap_or_else(|_| Gitignore::empty()))
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Glob(glob) => glob.matched(name, true).is_ignore(),
            Self::Any => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchored_pattern_reaches_as_far_as_it_goes() {
        let rules = VectorcodeIgnore::parse("!vendor/ours/lib.js\n!/gen*/v?/**\n");
        for directory in ["vendor", "vendor/ours", "generated", "gen/v1", "gen/v1/deep/er"] {
            assert!(rules.reaches_into(directory), "{directory}");
        }
        for directory in ["vendor/theirs", "vendor/ours/lib.js", "src", "gen/x1", "src/vendor"] {
            assert!(!rules.reaches_into(directory), "{directory}");
        }
    }

    #[test]
    fn a_pattern_for_any_level_reaches_into_no_excluded_directory() {
        let rules = VectorcodeIgnore::parse("*.ts\n!*.d.ts\n!**/keep.md\n!build/\n");
        assert!(!rules.reaches_into("node_modules"));
        assert_eq!(rules.excludes("src/a.ts", false), Some(true));
        assert_eq!(rules.excludes("src/a.d.ts", false), Some(false));
        assert_eq!(rules.excludes_inside_excluded("node_modules/a.d.ts", false), Some(true));
    }

    #[test]
    fn comments_escapes_and_bad_lines_do_no_harm() {
        let rules = VectorcodeIgnore::parse("# !a/b\n\\!c/d\n\n!x/[\n!src/gen/\n");
        assert!(!rules.reaches_into("a") && !rules.reaches_into("c"));
        assert!(rules.reaches_into("src"));
    }
}
