//! The search request and its response.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArtifactFilter;
use crate::chunk::ContentClass;
use crate::config::SearchConfig;
use crate::{Location, choices};

/// What to search for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchTarget {
    /// A question in plain words, which may contain identifiers, "quoted literals" and paths.
    Query(String),
    /// Code similar to this text.
    Snippet(String),
    /// Code similar to the item at this line of this file.
    Location { path: String, line: u32 },
}

/// Uses the first line of the location.
impl From<Location> for SearchTarget {
    fn from(location: Location) -> Self {
        Self::Location { path: location.path, line: location.start_line }
    }
}

choices! {
    /// Which parts of the index are searched.
    #[derive(Default)]
    pub enum SearchMode: "search mode" {
        #[default]
        Auto = "auto", "Everything the index has, combined";
        Fast = "fast", "Full text and static vectors only";
        Semantic = "semantic", "Vectors of the configured provider only";
    }
}

choices! {
    /// Which content classes a search returns.
    #[derive(Default)]
    pub enum ClassFilter: "content class" {
        #[default]
        All = "all", "Code, documentation and configuration";
        Code = "code", "Only source code";
        Docs = "docs", "Only documentation";
        Config = "config", "Only configuration";
    }
}

impl ClassFilter {
    pub fn admits(self, class: ContentClass) -> bool {
        match self {
            Self::All => true,
            Self::Code => class == ContentClass::Code,
            Self::Docs => class == ContentClass::Docs,
            Self::Config => class == ContentClass::Config,
        }
    }
}

choices! {
    /// What a search does with test code.
    #[derive(Default)]
    pub enum TestFilter: "test filter" {
        #[default]
        Demote = "demote", "Rank tests below the code they test, unless the query asks for tests";
        Include = "include", "Treat tests like other code";
        Exclude = "exclude", "Leave tests out";
        Only = "only", "Return only tests";
    }
}

/// A hit with at least this score is likely to be relevant. Scores are calibrated, so the same limit holds for every query
/// and project. Fewer than 1 % of unrelated queries have a hit that reaches it, and 17 to 28 % of queries about another
/// repository (docs/notes/quality.md).
pub const LIKELY_SCORE: f32 = 0.3;

/// If the best hit scores below this, the query has nothing to do with the project. With both stages, 35 % of the queries
/// that no code answers stay below it, and none of those that the code answers in other words; with stage one alone, 20 %
/// and 3 % (docs/notes/quality.md). A higher limit would hide right answers to the latter.
pub const UNRELATED_SCORE: f32 = 0.05;

/// How many hits are returned for a query without a hit of [`UNRELATED_SCORE`] if the request has no threshold.
pub const UNRELATED_HIT_LIMIT: usize = 3;

/// A search. It does not say how the response is displayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRequest {
    pub target: SearchTarget,
    pub limit: usize,
    /// Hits with a lower score are left out. `None`: the best hits up to the limit, or [`UNRELATED_HIT_LIMIT`] of them if all
    /// are below [`UNRELATED_SCORE`].
    pub threshold: Option<f32>,
    /// Empty: every language.
    pub languages: Vec<String>,
    /// Path prefixes (`src/auth/`) and globs (`**/*.rs`). A path must match one of them, and none of those that start with
    /// `!`. Empty: all.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Common kinds (`function`, `class`) or syntax kinds (`function_item`). Empty: all.
    #[serde(default)]
    pub kinds: Vec<String>,
    pub class: ClassFilter,
    pub tests: TestFilter,
    #[serde(default)]
    pub artifacts: ArtifactFilter,
    pub mode: SearchMode,
    /// Only code that contains matching lines.
    #[serde(default)]
    pub lines: LinePatterns,
    /// Only code that differs between two versions, on either side: `main..topic`, or `main` for the files on disk against
    /// that branch.
    #[serde(default)]
    pub in_diff: Option<String>,
    /// Where the previous page ended.
    pub cursor: Option<Cursor>,
    /// Include the contribution of each signal to each score.
    pub explain: bool,
    /// Include the callers and callees of each hit.
    #[serde(default)]
    pub neighbours: bool,
    /// The id of a commit, or a prefix of it: only older commits count as evidence that a file is relevant. For evaluations
    /// whose questions are derived from commits; no user interface sets it.
    #[serde(skip)]
    pub history_before: Option<String>,
}

impl SearchRequest {
    /// A search with the default settings.
    pub fn new(target: SearchTarget) -> Self {
        let defaults = SearchConfig::default();
        Self {
            target,
            limit: defaults.default_limit,
            threshold: defaults.default_threshold.map(|threshold| threshold as f32),
            languages: Vec::new(),
            paths: Vec::new(),
            kinds: Vec::new(),
            class: ClassFilter::All,
            tests: TestFilter::Demote,
            artifacts: ArtifactFilter::Include,
            mode: SearchMode::Auto,
            lines: LinePatterns::default(),
            in_diff: None,
            cursor: None,
            explain: false,
            neighbours: false,
            history_before: None,
        }
    }

    pub fn query(text: impl Into<String>) -> Self {
        Self::new(SearchTarget::Query(text.into()))
    }

    /// The rank of the page's first hit.
    pub fn start(&self) -> usize {
        self.cursor.map_or(0, |cursor| cursor.offset)
    }

    /// The rank after the page's last hit.
    pub fn end(&self) -> usize {
        self.start().saturating_add(self.limit)
    }

    /// The same search for this page and all pages before it. Merging the results of several searches needs the top of each
    /// list.
    #[must_use]
    pub fn from_the_start(&self) -> Self {
        Self { limit: self.end(), cursor: None, ..self.clone() }
    }

    /// Whether full text is not enough to answer it: kinds and callers are known only for parsed code.
    pub fn is_about_structure(&self) -> bool {
        self.neighbours || !self.kinds.is_empty()
    }
}

/// Regular expressions that filter hits by their lines. The remaining hits are ranked as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinePatterns {
    /// At least one line must match one of these. Empty: no filter.
    pub any: Vec<String>,
    /// No line may match any of these.
    pub none: Vec<String>,
    pub ignore_case: bool,
}

impl LinePatterns {
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
    }
}

/// Where a page starts, and in which ranked list: `20-9f3c01aa`. Opaque to clients. A number alone is a position in the list
/// that the query currently has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "WrittenCursor")]
#[schemars(with = "String")]
pub struct Cursor {
    pub offset: usize,
    pub ranking: Option<RankingId>,
}

/// Identifies a ranked list: a hash of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankingId(pub u32);

impl Cursor {
    pub fn at(offset: usize) -> Self {
        Self { offset, ranking: None }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.offset)?;
        self.ranking.map_or(Ok(()), |RankingId(id)| write!(f, "-{id:08x}"))
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

/// A text that is not a valid cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a cursor")]
pub struct CursorError(String);

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(written: &str) -> Result<Self, CursorError> {
        let parse = || {
            let (offset, ranking) = match written.trim().split_once('-') {
                Some((offset, id)) => (offset, Some(RankingId(u32::from_str_radix(id, 16).ok()?))),
                None => (written.trim(), None),
            };
            Some(Self { offset: offset.parse().ok()?, ranking })
        };
        parse().ok_or_else(|| CursorError(written.to_owned()))
    }
}

/// The two forms that JSON may have.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenCursor {
    Offset(usize),
    Text(String),
}

impl TryFrom<WrittenCursor> for Cursor {
    type Error = CursorError;

    fn try_from(written: WrittenCursor) -> Result<Self, CursorError> {
        match written {
            WrittenCursor::Offset(offset) => Ok(Self::at(offset)),
            WrittenCursor::Text(text) => text.parse(),
        }
    }
}

/// Whether a hit still matches its file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Freshness {
    /// The hit's lines were compared with the file on disk and are the same.
    Fresh,
    /// The file changed elsewhere; the hit's text was found again, and its line numbers are current.
    Moved,
    /// The file changed, and the hit's text is no longer in it.
    Stale { modified_secs_ago: u64 },
}

/// The contribution of one ranking signal to a score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Signal {
    pub name: String,
    /// The signal's own value, in its own unit.
    pub value: f32,
    /// What it added to the ranking score; negative if it lowered the score.
    pub contribution: f32,
}

/// Callers and callees of a hit, nearest first. Edges that are guesses are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbours {
    pub callers: Vec<Neighbour>,
    pub callees: Vec<Neighbour>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbour {
    /// The qualified name of a symbol, or the path of a file for a call at its top level.
    pub name: String,
    pub path: String,
    /// For a caller, the line of the call; for a callee, the line of its definition.
    pub line: u32,
}

/// One search result: a chunk, or several adjacent chunks of the same item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Set when several projects were searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub project: Option<String>,
    /// The context artifact that the file belongs to, if any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub artifact: Option<String>,
    /// Relative to the project root, with `/`. The JSON name comes from the specification.
    #[serde(rename = "file_path")]
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    pub symbol: Option<String>,
    pub kind: String,
    pub language: String,
    pub class: ContentClass,
    /// Whether it is test code.
    #[serde(default)]
    pub is_test: bool,
    pub parent_context: Option<String>,
    pub content: String,
    /// 0 to 1, descending with rank, comparable between queries and projects.
    pub score: f32,
    /// The score is below 0.3: probably not relevant.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub weak: bool,
    pub freshness: Freshness,
    /// Other files that contain the same code, best first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub also_in: Vec<String>,
    /// The lines that match a pattern of the request, or that differ from the other version.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub matching_lines: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub signals: Vec<Signal>,
    /// Set if it was requested and the hit is a single symbol.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub neighbours: Option<Neighbours>,
    /// Which of the two versions contains it, if the search was limited to a diff.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<InDiff>,
}

/// Which side of a diff a hit is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "side", rename_all = "snake_case")]
pub enum InDiff {
    /// In the older version; absent from the newer version or changed there.
    Before,
    /// In the newer version.
    After {
        /// `path:10-20`: the same symbol in the older version.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        was: Option<String>,
    },
}

/// The answer to a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchResponse {
    pub hits: Vec<Hit>,
    /// How many hits passed the filters and the threshold, over all pages.
    pub total: usize,
    /// How many of them are likely to be relevant; the others are weak.
    pub likely: usize,
    /// All hits are weak: they are the nearest, but probably not relevant.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub weak: bool,
    /// Present when there is a next page.
    pub next: Option<Cursor>,
    /// The ranked list that this is a page of; its cursors carry this id.
    #[serde(skip)]
    pub ranking: Option<RankingId>,
    /// Fraction of the index, 0 to 1, that has stage-two vectors; `None` in modes that do not use them.
    pub semantic_coverage: Option<f32>,
    /// What was left out and why, as sentences.
    pub notes: Vec<String>,
    pub took_ms: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for cursor in [Cursor::at(20), Cursor { offset: 7, ranking: Some(RankingId(0xbeef)) }] {
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
            let json = serde_json::to_string(&cursor).unwrap();
            assert_eq!(serde_json::from_str::<Cursor>(&json).unwrap(), cursor);
        }
        assert_eq!(serde_json::from_str::<Cursor>("20").unwrap(), Cursor::at(20));
        for wrong in ["", "x", "-1", "1-", "1-xyz", "1-2-3"] {
            assert!(wrong.parse::<Cursor>().is_err(), "{wrong}");
        }
    }
}
