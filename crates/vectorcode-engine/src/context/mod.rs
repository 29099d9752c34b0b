//! Context artifacts: named files and directories of a project, indexed with it and searchable alone.
//!
//! An artifact is a set of paths. Its files belong to the index even where ignore files leave them out, the usual
//! pipeline keeps them up to date, and a search of the context is a search within those paths.

mod definitions;
mod settings_file;
mod status;

use std::path::Path;

use vectorcode_core::api::ArtifactFilter;

pub(crate) use definitions::ArtifactDefinitions;
use definitions::{Artifact, SETTINGS, SOCRATICODE_FILE};
pub(crate) use status::report;

use crate::{EngineError, Project};

/// The part of a project that a search is restricted to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchArea {
    /// Empty: everywhere.
    pub within: Vec<String>,
    pub outside: Vec<String>,
}

/// True for a file whose change may change which artifacts there are.
pub(crate) fn is_definition_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SOCRATICODE_FILE)
}

/// Takes an artifact out of the project's own settings file. One that another file defines is left to the user.
pub(crate) fn remove_from_settings(
    project: &Project,
    definitions: &ArtifactDefinitions,
    name: &str,
) -> Result<(), EngineError> {
    let defined_in = definitions.named(name).map(|artifact| artifact.defined_in);
    if let Some(file) = defined_in.filter(|file| *file != SETTINGS) {
        return Err(EngineError::ForeignArtifact { name: name.into(), file });
    }
    settings_file::remove_artifact(&project.config_file(), name)
}

impl ArtifactDefinitions {
    /// What a search may look at; `None` when that is nothing.
    pub(crate) fn area(&self, filter: ArtifactFilter) -> Option<SearchArea> {
        let places = self.places();
        match filter {
            ArtifactFilter::Include => Some(SearchArea::default()),
            ArtifactFilter::Exclude => Some(SearchArea { within: Vec::new(), outside: places }),
            ArtifactFilter::Only if places.is_empty() => None,
            ArtifactFilter::Only => Some(SearchArea { within: places, outside: Vec::new() }),
        }
    }

    /// The artifact of that name, or all without one.
    pub(crate) fn select(&self, name: Option<&str>) -> Result<Vec<&Artifact>, EngineError> {
        match name {
            _ if self.artifacts.is_empty() => Err(EngineError::NoArtifacts),
            None => Ok(self.artifacts.iter().collect()),
            Some(name) => self.named(name).map(|artifact| vec![artifact]).ok_or_else(|| {
                let known = self.artifacts.iter().map(|artifact| artifact.name.clone()).collect();
                EngineError::UnknownArtifact { name: name.into(), known }
            }),
        }
    }
}
