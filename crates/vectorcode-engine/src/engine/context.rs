//! Context artifacts: their state, what to index for them, and removing one from the settings.

use std::path::PathBuf;

use vectorcode_core::api::{ContextResponse, IndexRequest};
use vectorcode_core::config::Config;

use super::Engine;
use crate::context::{self, ArtifactDefinitions};
use crate::error::EngineError;

impl Engine {
    /// Every context artifact: what the index holds of it and what is wrong with it.
    pub fn artifacts(&self) -> Result<ContextResponse, EngineError> {
        let definitions = self.artifact_definitions();
        if definitions.artifacts.is_empty() {
            return Ok(ContextResponse { artifacts: Vec::new(), notes: definitions.notes });
        }
        let reader = match self.reader() {
            Ok(reader) => Some(reader),
            Err(error) if error.is_not_initialized() => None,
            Err(error) => return Err(error),
        };
        context::report(self.project(), &self.scope()?, reader.as_deref(), &definitions)
    }

    /// Whether the project defines context artifacts.
    pub fn has_artifacts(&self) -> bool {
        !self.artifact_definitions().artifacts.is_empty()
    }

    /// The index request that brings artifacts up to date: all, or the named one. Without an index, it is the whole
    /// project.
    pub fn context_request(&self, artifact: Option<&str>) -> Result<IndexRequest, EngineError> {
        let definitions = self.artifact_definitions();
        let places =
            definitions.select(artifact)?.into_iter().filter_map(|artifact| artifact.place.clone().ok());
        let is_indexed = self.is_indexed();
        let paths = places.filter(|_| is_indexed).map(PathBuf::from).collect();
        Ok(IndexRequest { paths, ..IndexRequest::default() })
    }

    /// Removes an artifact, or all of them if no name is given, from the project files that define it. Running the
    /// returned request removes the files that were indexed only because of the artifact.
    pub fn remove_artifacts(&self, name: Option<&str>) -> Result<IndexRequest, EngineError> {
        let request = self.context_request(name)?;
        let definitions = self.artifact_definitions();
        let names: Vec<&str> =
            definitions.select(name)?.into_iter().map(|artifact| artifact.name.as_str()).collect();
        names.iter().try_for_each(|name| context::remove_definition(self.project(), name))?;
        let mut config = Config::clone(&self.config());
        config.artifacts.retain(|artifact| !names.contains(&artifact.name.as_str()));
        self.replace_config(config);
        // Removing files from the index needs no vectors, so chunks that still lack one are left alone.
        Ok(IndexRequest { stage_one_only: true, ..request })
    }

    /// Read on each use, because the `SocratiCode` file can change at any time.
    pub(crate) fn artifact_definitions(&self) -> ArtifactDefinitions {
        ArtifactDefinitions::read(self.project(), &self.config().artifacts)
    }
}
