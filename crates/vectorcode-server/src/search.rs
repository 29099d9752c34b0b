//! One search for MCP and REST: its scope, and what the caller must know about an incomplete index.

use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::{Activity, ProjectSelection, SearchRequest, SearchResponse};
use vectorcode_core::{CancelToken, Phase};
use vectorcode_engine::{Engine, EngineError, Projects};

use crate::access::Caller;
use crate::failure::Failure;
use crate::metrics::Stage;
use crate::served_project::ServedProject;
use crate::units::grouped;

/// Which index a search runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// The project of the call.
    ThisProject,
    /// Several registered projects, with one merged ranking.
    Projects(ProjectSelection),
    /// The context artifacts of this project: all of them, or the one with this name.
    Context(Option<String>),
}

impl SearchScope {
    /// Parses the `projects` argument. Without it, the scope is this project.
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

/// The results of a search, and the progress of the index.
pub(crate) struct Searched {
    pub(crate) response: SearchResponse,
    /// A sentence about files that are still being read, which the results do not cover.
    pub(crate) reading: Option<String>,
}

impl Searched {
    /// The response with the sentence as its first note.
    pub(crate) fn into_response(self) -> SearchResponse {
        let Self { mut response, reading } = self;
        response.notes.splice(..0, reading);
        response
    }
}

/// Searches within `scope`, after the index of the project has caught up with the disk. Stops when the future is dropped.
pub(crate) async fn search(
    project: &Arc<ServedProject>,
    request: SearchRequest,
    scope: SearchScope,
    caller: &Caller,
) -> Result<Searched, Failure> {
    // This server does not index the other projects, so its own activity says nothing about their results.
    let is_own_index = matches!(scope, SearchScope::ThisProject | SearchScope::Context(_));
    let projects = project.projects_for(caller);
    let searched = project
        .query_cancellable(move |engine, cancel| {
            // Checked before the search: files that are indexed while it runs may be missing from its results.
            let (is_reading, is_complete) = (is_own_index && is_reading(engine), engine.is_complete());
            let mut response = scope.search(engine, &projects, &request, cancel)?;
            if is_reading && is_complete {
                response
                    .notes
                    .push("The index is being updated; this answer may miss the latest changes.".to_owned());
            }
            let reading = (is_reading && !is_complete).then(|| progress_of_first_index(engine));
            Ok(Searched { response, reading })
        })
        .await?;
    let took = Duration::from_secs_f64(searched.response.took_ms.max(0.0) / 1e3);
    project.workers().metrics().time(Stage::Search, took);
    Ok(searched)
}

/// Whether files are being read.
fn is_reading(engine: &Engine) -> bool {
    matches!(engine.activity(), Activity::Running { phase: Phase::Discover | Phase::Chunk, .. })
}

/// `Indexing: 1,200 of 27,000 files read; this answer covers those.`
fn progress_of_first_index(engine: &Engine) -> String {
    let total = match engine.activity() {
        Activity::Running { total, .. } => total,
        Activity::Idle => 0,
    };
    // Counts only files that have been written to the index, since others are not searched.
    match engine.indexed_files() {
        0 => "Indexing: no file is read yet. Try again in a few seconds.".to_owned(),
        files => {
            let (files, total) = (grouped(files), grouped(total.max(files)));
            format!("Indexing: {files} of {total} files read; this answer covers those.")
        }
    }
}
