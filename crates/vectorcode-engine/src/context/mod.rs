//! Context artifacts: named files and directories of a project, indexed with it and searchable alone.
//!
//! An artifact is a set of paths. Its files belong to the index even where ignore files leave them out, the normal
//! pipeline keeps them true, and a search of the context is a search within those paths.

mod definitions;
mod settings_file;
mod status;

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use vectorcode_core::api::{
    ContextFilter, ContextResponse, IndexReport, IndexRequest, SearchRequest, SearchResponse,
};
use vectorcode_core::{CancelToken, ProgressSink};

pub(crate) use definitions::Definitions;
use definitions::{Artifact, SETTINGS, SOCRATICODE_FILE};

use crate::engine::WhenLocked;
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

    /// Brings artifacts up to date, all or the one that is named. Where there is no index, it makes the whole one.
    pub fn index_context(
        &self,
        artifact: Option<&str>,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        let definitions = self.definitions();
        let places =
            chosen(&definitions, artifact)?.into_iter().filter_map(|artifact| artifact.place.clone().ok());
        let paths: Vec<PathBuf> = places.map(PathBuf::from).collect();
        let whole = !self.project().is_indexed() || paths.is_empty();
        let paths = if whole { Vec::new() } else { paths };
        self.index(&IndexRequest { paths, ..IndexRequest::default() }, WhenLocked::Wait, sink, cancel)
    }

    /// Takes an artifact out of the project's settings, and out of the index what was in it for the artifact's sake.
    pub fn remove_artifact(
        &self,
        name: &str,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<IndexReport, EngineError> {
        let definitions = self.definitions();
        let artifact = chosen(&definitions, Some(name))?[0];
        if artifact.defined_in != SETTINGS {
            return Err(EngineError::ForeignArtifact { name: name.into(), file: artifact.defined_in });
        }
        settings_file::remove_artifact(&self.project().config_file(), name)?;
        self.configured_artifacts
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|known| known.name != name);
        let paths = artifact.place.iter().map(PathBuf::from).collect();
        self.index(&IndexRequest { paths, ..IndexRequest::default() }, WhenLocked::Wait, sink, cancel)
    }

    /// Read anew each time, because `SocratiCode`'s file changes like any other.
    pub(crate) fn definitions(&self) -> Definitions {
        let configured = self.configured_artifacts.read().unwrap_or_else(PoisonError::into_inner);
        Definitions::read(self.project(), &configured)
    }
}

impl Definitions {
    /// What a search may look at; `None` when that is nothing.
    pub(crate) fn area(&self, filter: ContextFilter) -> Option<Area> {
        let places = self.places();
        match filter {
            ContextFilter::Include => Some(Area::default()),
            ContextFilter::Exclude => Some(Area { within: Vec::new(), outside: places }),
            ContextFilter::Only if places.is_empty() => None,
            ContextFilter::Only => Some(Area { within: places, outside: Vec::new() }),
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
