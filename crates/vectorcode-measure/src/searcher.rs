//! The ways of searching that an evaluation compares.

use serde::{Deserialize, Serialize};
use vectorcode_core::api::SearchMode;

/// A way of searching, from the plainest to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Searcher {
    /// Keywords alone, for comparison.
    Keywords,
    /// Full text and static vectors.
    StageOne,
    /// Vectors of the provider too.
    BothStages,
}

impl Searcher {
    /// The engine's search mode; `None` where the engine is not asked.
    pub(crate) fn mode(self) -> Option<SearchMode> {
        match self {
            Self::Keywords => None,
            Self::StageOne => Some(SearchMode::Fast),
            Self::BothStages => Some(SearchMode::Auto),
        }
    }
}
