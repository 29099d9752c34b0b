//! Exact search: every line that contains a text or matches a regular expression, in path order, without ranking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search::{ClassFilter, TestFilter};
use crate::choices;

choices! {
    /// How a pattern is interpreted.
    #[derive(Default)]
    pub enum PatternSyntax: "pattern syntax" {
        #[default]
        Literal = "literal", "The text itself";
        Regex = "regex", "A regular expression";
    }
}

/// A search for lines that contain a text or match a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactRequest {
    pub pattern: String,
    pub syntax: PatternSyntax,
    pub ignore_case: bool,
    /// Empty: every language.
    pub languages: Vec<String>,
    /// As in [`super::SearchRequest`].
    pub paths: Vec<String>,
    pub class: ClassFilter,
    pub tests: TestFilter,
    /// Maximum number of lines in the response; the rest are only counted.
    pub limit: usize,
    /// Longer lines are cut around the match: one line of minified code could fill the whole response.
    pub max_line_chars: usize,
    /// A search that takes longer returns what it has found so far.
    pub time_limit_ms: u64,
}

impl ExactRequest {
    pub const DEFAULT_LIMIT: usize = 100;
    pub const MAX_LINE_CHARS: usize = 240;
    pub const TIME_LIMIT_MS: u64 = 5_000;

    /// A search of the whole project for a literal text.
    pub fn literal(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            syntax: PatternSyntax::Literal,
            ignore_case: false,
            languages: Vec::new(),
            paths: Vec::new(),
            class: ClassFilter::All,
            tests: TestFilter::Include,
            limit: Self::DEFAULT_LIMIT,
            max_line_chars: Self::MAX_LINE_CHARS,
            time_limit_ms: Self::TIME_LIMIT_MS,
        }
    }
}

/// The matching lines: code first, then tests, then documents and settings, each group sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactResponse {
    /// Files with lines in this response.
    pub files: Vec<ExactFile>,
    /// Counted over all matching files, including those that are not in this response.
    pub total_lines: u64,
    pub total_files: u64,
    /// False if the time limit was reached; the totals then cover only the files that were searched.
    pub complete: bool,
    /// What the caller should know, as sentences.
    pub notes: Vec<String>,
    pub took_ms: f64,
}

/// The matching lines of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExactFile {
    pub path: String,
    /// How many lines of the file match.
    pub total: u64,
    /// The matching lines, as far as the limit allows.
    pub lines: Vec<ExactLine>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExactLine {
    /// Counted from 1.
    pub line: u32,
    /// Column of the first match in the line, in UTF-8 bytes counted from 1.
    pub column: u32,
    /// Long lines are cut around the match.
    pub text: String,
}
