//! The searchers that an evaluation compares.

use serde::{Deserialize, Serialize};
use vectorcode_core::api::SearchMode;

/// A way of searching, from the plainest to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Searcher {
    /// Keywords only, as the baseline.
    Keywords,
    /// Full text and static vectors.
    StageOne,
    /// Also vectors of the provider.
    BothStages,
}

impl Searcher {
    /// The engine's search mode; `None` if the engine is not used.
    pub(crate) fn mode(self) -> Option<SearchMode> {
        match self {
            Self::Keywords => None,
            Self::StageOne => Some(SearchMode::Fast),
            Self::BothStages => Some(SearchMode::Auto),
        }
    }
}
