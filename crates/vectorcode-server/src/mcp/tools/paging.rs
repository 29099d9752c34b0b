//! The arguments that limit the length of an answer and lead to its next page.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::Cursor;
use vectorcode_core::config::SearchConfig;

use crate::failure::Failure;

/// Below this there is no room for a single result.
const MIN_TOKENS: usize = 200;
const MAX_TOKENS: usize = 100_000;

/// How long an answer may be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct TokenBudget {
    /// Maximum length of the answer in tokens. The best results are shown in full, the others by their signature.
    #[schemars(range(min = MIN_TOKENS, max = MAX_TOKENS))]
    pub(super) max_tokens: usize,
}

impl TokenBudget {
    pub(super) fn defaults(settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("max_tokens".to_owned(), settings.max_tokens.into())])
    }
}

/// Where in the list of results an answer starts.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct PageStart {
    /// The cursor at the end of an earlier answer, to get the next page. Repeat the other arguments unchanged.
    cursor: Option<String>,
}

impl PageStart {
    pub(super) fn cursor(&self) -> Result<Option<Cursor>, Failure> {
        let parse = |text: &String| {
            text.trim().parse().map(Cursor).map_err(|_| {
                Failure::user(
                    format!("{text:?} is not a cursor."),
                    "Pass the cursor of the previous answer, or omit it for the first page.",
                )
            })
        };
        self.cursor.as_ref().map(parse).transpose()
    }
}
