//! One search, the same for MCP and REST: where to search, and what the caller must know about an incomplete index.

use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::{Activity, ProjectSelection, SearchRequest, SearchResponse};
use vectorcode_core::{CancelToken, Phase};
use vectorcode_engine::{Engine, EngineError, Projects};

use crate::access::Caller;
use crate::failure::Failure;
use crate::metrics::Stage;
use crate::served_project::ServedProject;

const STILL_READING: &str =
    "The index is being updated right now; these results come from what has been indexed so far.";

/// Which index a search runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// The project that is asked.
    ThisProject,
    /// Several registered projects, with one merged ranking.
    Projects(ProjectSelection),
    /// The context artifacts of this project: all of them, or the one of this name.
    Context(Option<String>),
}

impl SearchScope {
    /// Reads the `projects` argument; without it, this project.
    pub(crate) fn of_projects(selection: Option<&str>) -> Self {
        selection.map_or(Self::ThisProject, |text| Self::Projects(ProjectSelection::parse(text)))
    }

    fn search(
        &self,
        engine: &Engine,
        projects: &Projects,
        request: &SearchRequest,
        cancel: &CancelToken,
    ) -> Result<SearchResponse, EngineError> {
        match self {
            Self::ThisProject => engine.search_until(request, cancel),
            Self::Projects(selection) => projects.search_until(request, selection, cancel),
            Self::Context(artifact) => engine.search_context_until(request, artifact.as_deref(), cancel),
        }
    }
}

/// Searches within `scope`, once the index of the project has caught up with the disk. Stops when nobody waits any more.
pub(crate) async fn search(
    project: &Arc<ServedProject>,
    request: SearchRequest,
    scope: SearchScope,
    caller: &Caller,
) -> Result<SearchResponse, Failure> {
    // Other projects are not read by this server, so its own activity says nothing about their results.
    let is_own_index = matches!(scope, SearchScope::ThisProject | SearchScope::Context(_));
    let projects = project.projects_for(caller);
    let response = project
        .ask_until(move |engine, cancel| {
            // Asked before the search: files that are indexed while it runs may be missing from its results.
            let is_incomplete = is_own_index && is_reading_files(engine);
            let mut response = scope.search(engine, &projects, &request, cancel)?;
            response.notes.extend(is_incomplete.then(|| STILL_READING.into()));
            Ok(response)
        })
        .await?;
    project.workers().metrics().time(Stage::Search, Duration::from_secs_f64(response.took_ms.max(0.0) / 1e3));
    Ok(response)
}

fn is_reading_files(engine: &Engine) -> bool {
    matches!(engine.activity(), Activity::Running { phase, .. } if phase != Phase::Embed)
}
