//! The arguments of graph and symbol queries, and their conversion to requests.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::{GraphAction, GraphQuery, GraphRequest, SymbolRequest};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::{DefinitionKind, split_patterns};

use super::schema::CallArguments;
use crate::failure::Failure;

const MAX_DEPTH: u32 = 20;
const MAX_NODES: usize = 1000;
const MAX_SYMBOLS: usize = 100;

const TARGET: &str = "A file by its path, or a symbol by its bare or qualified name; `path#name` selects one of several \
symbols of the same name.";

/// A query about imports and calls.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct GraphArguments {
    /// edit: what an edit of a symbol needs (its code, all uses, overrides, tests to run); deps: what a file imports;
    /// dependents: which files import it; callers and callees of a symbol; implementations of an interface, trait or class;
    /// impact: what a change may affect; path: the shortest path to another file or symbol; cycles: circular imports; stats:
    /// figures of the project; show: the neighbourhood of the target, or without a target the whole project by folder.
    action: GraphAction,
    #[schemars(description = TARGET)]
    target: Option<String>,
    /// For "path": the file or symbol where the path ends.
    to: Option<String>,
    /// Maximum number of steps to follow. Default: 1, for "impact" 4.
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    depth: Option<u32>,
    /// Maximum number of nodes in the answer; the rest is only counted.
    #[schemars(range(min = 1, max = MAX_NODES))]
    limit: usize,
}

impl CallArguments for GraphArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), GraphRequest::DEFAULT_LIMIT.into())])
    }
}

impl GraphArguments {
    pub(crate) fn request(&self) -> Result<GraphRequest, Failure> {
        let depth = self.depth.unwrap_or_else(|| self.action.default_depth());
        let target = || self.needed("target", self.target.as_ref());
        let query = match self.action {
            GraphAction::Deps => GraphQuery::Deps { path: target()?, depth },
            GraphAction::Dependents => GraphQuery::Dependents { path: target()?, depth },
            GraphAction::Callers => GraphQuery::Callers { symbol: target()?, depth },
            GraphAction::Callees => GraphQuery::Callees { symbol: target()?, depth },
            GraphAction::Edit => GraphQuery::Edit { symbol: target()? },
            GraphAction::Implementations => GraphQuery::Implementations { symbol: target()? },
            GraphAction::Impact => GraphQuery::Impact { target: target()?, depth },
            GraphAction::Path => {
                GraphQuery::Path { from: target()?, to: self.needed("to", self.to.as_ref())? }
            }
            GraphAction::Cycles => GraphQuery::Cycles,
            GraphAction::Stats => GraphQuery::Stats,
            GraphAction::Show => GraphQuery::Show { target: self.target.clone(), depth },
        };
        Ok(GraphRequest { query, limit: self.limit })
    }

    /// An argument that is only required for some actions.
    fn needed(&self, name: &str, value: Option<&String>) -> Result<String, Failure> {
        value.cloned().ok_or_else(|| Failure::user(format!("`{}` needs `{name}`.", self.action), TARGET))
    }
}

/// A definition by its name.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct SymbolArguments {
    /// The bare or qualified name, or a part of it: "authenticate", "UserService.authenticate".
    name: String,
    /// Only definitions of this kind.
    kind: Option<DefinitionKind>,
    /// Only paths with this prefix, or matching this glob; several as in a search.
    path: Option<String>,
    /// Maximum number of definitions.
    #[schemars(range(min = 1, max = MAX_SYMBOLS))]
    limit: usize,
}

impl CallArguments for SymbolArguments {
    fn defaults(_settings: &SearchConfig) -> JsonObject {
        JsonObject::from_iter([("limit".to_owned(), SymbolRequest::DEFAULT_LIMIT.into())])
    }
}

impl SymbolArguments {
    pub(crate) fn request(&self) -> SymbolRequest {
        SymbolRequest {
            name: self.name.clone(),
            kinds: self.kind.into_iter().collect(),
            paths: self.path.as_deref().map(split_patterns).unwrap_or_default(),
            limit: self.limit,
        }
    }
}
