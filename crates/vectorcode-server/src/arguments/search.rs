//! Arguments that several kinds of search share, and their conversion to requests.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{
    ArtifactFilter, ClassFilter, Cursor, LinePatterns, SearchMode, SearchRequest, SearchTarget, TestFilter,
};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::{Location, split_patterns};

use crate::failure::Failure;
use crate::limits::MAX_RESULTS;

/// The description of a query, which MCP calls `query` and REST calls `q`.
pub(crate) const QUERY: &str = "What the code does, in plain words. Name the behaviour and the domain: \"retry with \
exponential backoff\" finds more than \"retry\". Identifiers and \"quoted literals\" may be part of it.";

/// How many results a search returns, and how good they must be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct ResultBounds {
    /// Maximum number of results.
    #[schemars(range(min = 1, max = MAX_RESULTS))]
    limit: usize,
    /// Minimum score, 0 to 1: results with a lower score are left out. Without it, the best results are returned, and those
    /// that probably do not answer are marked as weak.
    #[schemars(range(min = 0, max = 1))]
    threshold: Option<f32>,
}

impl ResultBounds {
    pub(crate) fn defaults(settings: &SearchConfig) -> JsonObject {
        let threshold =
            settings.default_threshold.map(|threshold| ("threshold".to_owned(), threshold.into()));
        [("limit".to_owned(), settings.default_limit.into())]
            .into_iter()
            .chain(threshold)
            .collect::<JsonObject>()
    }

    pub(crate) fn request(&self, target: SearchTarget) -> SearchRequest {
        SearchRequest { limit: self.limit, threshold: self.threshold, ..SearchRequest::new(target) }
    }
}

/// Filters and options of every search for code.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchFilters {
    #[serde(flatten)]
    bounds: ResultBounds,
    /// Only this programming language, for example "typescript"; separate several with commas: "rust,python".
    language: Option<String>,
    /// Only paths with this prefix ("src/auth/") or matching this glob ("**/*.rs"), relative to the project root; "!"
    /// before it leaves them out. Separate several with commas: "src/,!**/*_test.go".
    path: Option<String>,
    /// Only these kinds of code, separated by commas: function, method, class, struct, enum, interface, or a syntax kind
    /// such as `function_item`.
    kind: Option<String>,
    /// Only source code, only documentation, or only configuration files.
    #[serde(default)]
    class: ClassFilter,
    /// How to treat test code: "demote" ranks it below the code that it tests.
    #[serde(default)]
    tests: TestFilter,
    /// How to treat files of context artifacts (documents that the project names): "include" treats them like all other
    /// files.
    #[serde(default)]
    artifacts: ArtifactFilter,
    /// Only code with a line that matches this regular expression, ranked by the query. No match is missed.
    #[serde(rename = "match")]
    matching: Option<String>,
    /// With `match`: no code with a line that matches this regular expression.
    match_not: Option<String>,
    /// Only code that differs between two commits, from either of them: "main..topic"; or "main" to compare it with the files
    /// on disk.
    in_diff: Option<String>,
    /// List the callers and callees of each result.
    #[serde(default)]
    context: bool,
}

impl SearchFilters {
    pub(crate) fn defaults(settings: &SearchConfig) -> JsonObject {
        ResultBounds::defaults(settings)
    }

    /// The request for a page of results that starts at `cursor`.
    pub(crate) fn request(&self, target: SearchTarget, cursor: Option<Cursor>) -> SearchRequest {
        SearchRequest {
            languages: self.language.as_deref().map(split_names).unwrap_or_default(),
            paths: self.path.as_deref().map(split_patterns).unwrap_or_default(),
            kinds: self.kind.as_deref().map(split_names).unwrap_or_default(),
            class: self.class,
            tests: self.tests,
            artifacts: self.artifacts,
            lines: self.line_patterns(),
            in_diff: self.in_diff.clone().filter(|revisions| !revisions.is_empty()),
            neighbours: self.context,
            cursor,
            ..self.bounds.request(target)
        }
    }
}

impl SearchFilters {
    fn line_patterns(&self) -> LinePatterns {
        let list =
            |pattern: &Option<String>| pattern.iter().filter(|text| !text.is_empty()).cloned().collect();
        LinePatterns { any: list(&self.matching), none: list(&self.match_not), ignore_case: false }
    }
}

fn split_names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
}

/// Which parts of the index answer a search.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct ModeChoice {
    /// "auto" uses everything in the index; "fast" skips the embedding provider; "semantic" uses only the provider's
    /// vectors.
    #[serde(default)]
    pub(crate) mode: SearchMode,
}

/// The code to find similar code for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct SimilarTo {
    /// The code to compare with.
    snippet: Option<String>,
    /// A line of a file in this project as `file:line`, for example "src/payment/retry.ts:45"; the function or type
    /// around that line is compared.
    location: Option<String>,
}

impl SimilarTo {
    pub(crate) fn target(&self) -> Result<SearchTarget, Failure> {
        match (&self.snippet, &self.location) {
            (Some(snippet), None) => Ok(SearchTarget::Snippet(snippet.clone())),
            (None, Some(location)) => location.parse::<Location>().map(SearchTarget::from).map_err(|error| {
                Failure::user(
                    format!("{error}."),
                    "Write it as file:line, for example \"src/payment/retry.ts:45\".",
                )
            }),
            _ => Err(Failure::user(
                "Give either `snippet` or `location`.",
                "`location` is a file and a line of this project, for example \"src/payment/retry.ts:45\".",
            )),
        }
    }
}
