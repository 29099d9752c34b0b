//! The arguments of a requested index run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use vectorcode_core::api::IndexRequest;
use vectorcode_engine::Engine;

use crate::failure::Failure;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(crate) struct IndexArguments {
    /// Only this file or directory. Default: the whole project.
    path: Option<PathBuf>,
    /// Rebuild the whole index. The old one stays in use until the new one is complete.
    #[serde(default)]
    full: bool,
}

impl IndexArguments {
    pub(crate) fn request(self, engine: &Engine) -> Result<IndexRequest, Failure> {
        let Self { path, full } = self;
        if let Some(path) = &path {
            engine.project().relative(path)?;
            if full {
                return Err(Failure::user(
                    "A full rebuild always covers the whole project.",
                    "Omit `path`, or omit `full` to update that path only.",
                ));
            }
        }
        Ok(IndexRequest { full, paths: path.into_iter().collect(), ..IndexRequest::default() })
    }
}
