//! Context artifacts: named files and directories of a project, indexed with it and searchable alone.
//!
//! An artifact is a set of paths. Its files belong to the index even where ignore files leave them out, the normal
//! pipeline keeps them true, and a search of the context is a search within those paths.

mod definitions;
mod settings_file;
mod status;

use std::path::{Path, PathBuf};

use vectorcode_core::api::{ArtifactFilter, ContextResponse, IndexRequest, SearchRequest, SearchResponse};
use vectorcode_core::config::Config;

pub(crate) use definitions::Definitions;
use definitions::{Artifact, SETTINGS, SOCRATICODE_FILE};

use crate::{Engine, EngineError};

/// The part of a project that a search is restricted to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Area {
    /// Empty: everywhere.
    pub within: Vec<String>,
    pub outside: Vec<String>,
}

/// True for a file whose change may change which artifacts there are.
pub(crate) fn is_definition_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SOCRATICODE_FILE)
}

impl Engine {
    /// Every context artifact, what the index holds of it and what is wrong with it.
    pub fn artifacts(&self) -> Result<ContextResponse, EngineError> {
        status::report(self, &self.definitions())
    }

    /// Searches the context artifacts alone, all or the one that is named.
    pub fn search_context(
        &self,
        request: &SearchRequest,
        artifact: Option<&str>,
    ) -> Result<SearchResponse, EngineError> {
        let definitions = self.definitions();
        let asked = chosen(&definitions, artifact)?;
        let within: Vec<String> = asked.iter().filter_map(|artifact| artifact.place.clone().ok()).collect();
        let mut response = if within.is_empty() {
            SearchResponse::default()
        } else {
            self.search_area(request, &Area { within, outside: Vec::new() }, &definitions)?
        };
        response.notes.extend(asked.iter().filter_map(|artifact| {
            Some(format!(
                "Context artifact `{}`: {}",
                artifact.name,
                status::trouble(self.project(), artifact)?
            ))
        }));
        Ok(response)
    }

    /// What to index so that artifacts are up to date, all or the one that is named. Where there is no index yet, that is
    /// the whole project.
    pub fn context_request(&self, artifact: Option<&str>) -> Result<IndexRequest, EngineError> {
        let definitions = self.definitions();
        let places =
            chosen(&definitions, artifact)?.into_iter().filter_map(|artifact| artifact.place.clone().ok());
        let is_indexed = self.project().is_indexed();
        let paths = places.filter(|_| is_indexed).map(PathBuf::from).collect();
        Ok(IndexRequest { paths, ..IndexRequest::default() })
    }

    /// Takes an artifact out of the project's settings. Indexing what is returned takes those of its files out of the
    /// index that were in it for the artifact's sake.
    pub fn remove_artifact(&self, name: &str) -> Result<IndexRequest, EngineError> {
        let request = self.context_request(Some(name))?;
        let defined_in = self.definitions().named(name).map(|artifact| artifact.defined_in);
        if let Some(file) = defined_in.filter(|file| *file != SETTINGS) {
            return Err(EngineError::ForeignArtifact { name: name.into(), file });
        }
        settings_file::remove_artifact(&self.project().config_file(), name)?;
        let mut config = Config::clone(&self.config());
        config.artifacts.retain(|artifact| artifact.name != name);
        self.replace_settings(config);
        // Taking files out needs no vectors; those that other files wait for are none of this call's business.
        Ok(IndexRequest { stage_one_only: true, ..request })
    }

    /// Read anew each time, because `SocratiCode`'s file changes like any other.
    pub(crate) fn definitions(&self) -> Definitions {
        Definitions::read(self.project(), &self.config().artifacts)
    }
}

impl Definitions {
    /// What a search may look at; `None` when that is nothing.
    pub(crate) fn area(&self, filter: ArtifactFilter) -> Option<Area> {
        let places = self.places();
        match filter {
            ArtifactFilter::Include => Some(Area::default()),
            ArtifactFilter::Exclude => Some(Area { within: Vec::new(), outside: places }),
            ArtifactFilter::Only if places.is_empty() => None,
            ArtifactFilter::Only => Some(Area { within: places, outside: Vec::new() }),
        }
    }
}

fn chosen<'d>(definitions: &'d Definitions, name: Option<&str>) -> Result<Vec<&'d Artifact>, EngineError> {
    match name {
        _ if definitions.artifacts.is_empty() => Err(EngineError::NoArtifacts),
        None => Ok(definitions.artifacts.iter().collect()),
        Some(name) => definitions.named(name).map(|artifact| vec![artifact]).ok_or_else(|| {
            let known = definitions.artifacts.iter().map(|artifact| artifact.name.clone()).collect();
            EngineError::UnknownArtifact { name: name.into(), known }
        }),
    }
}
