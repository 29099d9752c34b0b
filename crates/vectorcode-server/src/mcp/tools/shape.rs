//! The arguments for the length of a result, and for its start in a list.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{Cursor, CursorError};
use vectorcode_core::config::SearchConfig;

use crate::failure::Failure;

/// With fewer tokens there is no room for a single result.
const MIN_TOKENS: usize = 200;
const MAX_TOKENS: usize = 100_000;

/// The token budget of a result.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct TokenBudget {
    /// Maximum length of the answer.
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS))]
    pub(super) max_tokens: usize,
}

impl TokenBudget {
    /// The budget of a search.
    pub(super) fn defaults(settings: &SearchConfig) -> JsonObject {
        Self::of(settings.max_tokens)
    }

    /// The budget of a result that lists everything and not only the best, so that no part of it can be preferred.
    pub(super) fn defaults_for_lists(settings: &SearchConfig) -> JsonObject {
        Self::of(settings.max_tokens.saturating_mul(2).min(MAX_TOKENS))
    }

    fn of(max_tokens: usize) -> JsonObject {
        JsonObject::from_iter([("max_tokens".to_owned(), max_tokens.into())])
    }
}

/// Where in the list of results a page starts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct PageStart {
    /// From the end of an earlier answer, for the next page.
    cursor: Option<String>,
}

impl PageStart {
    pub(super) fn cursor(&self) -> Result<Option<Cursor>, Failure> {
        let parse = |text: &String| {
            text.parse().map_err(|error: CursorError| {
                Failure::user(
                    format!("{error}."),
                    "Pass the cursor of the previous answer, or omit it for the first page.",
                )
            })
        };
        self.cursor.as_ref().map(parse).transpose()
    }
}
