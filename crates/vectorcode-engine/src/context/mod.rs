//! Context artifacts: named files and directories of a project, indexed with it and searchable alone.
//!
//! An artifact is a set of paths. Its files are indexed even if ignore files exclude them, the usual pipeline keeps
//! them up to date, and a context search is a search restricted to those paths.

mod definitions;
mod settings_file;
mod socraticode_file;
mod status;

use std::path::{Path, PathBuf};

use vectorcode_core::api::ArtifactFilter;
use vectorcode_core::private_files::{self, Links, MAX_CONFIG_FILE_BYTES};

pub(crate) use definitions::ArtifactDefinitions;
use definitions::{Artifact, SOCRATICODE_FILE};
pub(crate) use status::report;

use crate::error::EngineError;
use crate::project::Project;

/// The part of a project that a search is restricted to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchArea {
    /// Empty: everywhere.
    pub within: Vec<String>,
    pub outside: Vec<String>,
}

/// Whether a change of this file may change which artifacts are defined.
pub(crate) fn is_definition_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SOCRATICODE_FILE)
}

/// Returns the text of a file without the named artifact; `None` if the file does not define it.
type Without = fn(&str, &str) -> Option<String>;

/// Removes an artifact from the project files that define it: the project's settings and `SocratiCode`'s file. One
/// defined in the user's own settings is an error, because those are left to the user.
pub(crate) fn remove_definition(project: &Project, name: &str) -> Result<(), EngineError> {
    let mut is_removed = false;
    let files: [(PathBuf, Without); 2] = [
        (project.config_file(), settings_file::without_artifact),
        (project.root().join(SOCRATICODE_FILE), socraticode_file::without_artifact),
    ];
    for (file, without) in files {
        let text = match private_files::read_text(&file, MAX_CONFIG_FILE_BYTES, Links::Refuse) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(EngineError::io("read", &file)(error)),
        };
        if let Some(text) = without(&text, name) {
            private_files::replace(&file, text.as_bytes()).map_err(EngineError::io("write", &file))?;
            is_removed = true;
        }
    }
    let foreign = || EngineError::ForeignArtifact { name: name.into(), file: "your user settings" };
    if is_removed { Ok(()) } else { Err(foreign()) }
}

impl ArtifactDefinitions {
    /// The area to search; `None` if it would be empty.
    pub(crate) fn area(&self, filter: ArtifactFilter) -> Option<SearchArea> {
        let places = self.places();
        match filter {
            ArtifactFilter::Include => Some(SearchArea::default()),
            ArtifactFilter::Exclude => Some(SearchArea { within: Vec::new(), outside: places }),
            ArtifactFilter::Only if places.is_empty() => None,
            ArtifactFilter::Only => Some(SearchArea { within: places, outside: Vec::new() }),
        }
    }

    /// The named artifact, or all of them if no name is given.
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
