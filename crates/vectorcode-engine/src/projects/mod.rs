//! Searching several of the user's projects at once.
//!
//! [`Registry`] lists the projects, [`EnginePool`] opens and queries them, `search` and `merge` combine their results into
//! one ranking. A project that is missing, broken or slow costs a note, never the results of the others.

mod merge;
mod pool;
mod search;
mod select;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::{ProjectFilter, ProjectState, ProjectSummary, ProjectsResponse, SearchTarget};
use vectorcode_core::{Diagnose, ErrorKind, canonical};

use self::pool::{EnginePool, ProjectFailure};
pub use self::select::Reach;
use crate::engine::Engine;
use crate::engine::IndexCounts;
use crate::error::EngineError;
use crate::project::Project;
use crate::project::registry::{ProjectEntry, Registry};

/// The user's projects, as seen from the current one.
#[derive(Debug)]
pub struct Projects {
    home: Arc<Engine>,
    registry: Option<Registry>,
    pool: Arc<EnginePool>,
    freshness: Freshen,
    /// The projects that the caller may see. It must not learn that there are others.
    visible: ProjectFilter,
}

/// Whether a search brings each index up to date first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshen {
    /// For a terminal, where no watcher runs: indexes changes first, for at most half of the deadline.
    First,
    /// For servers: searches the index as it is; each hit is still compared with the disk.
    Never,
}

impl Projects {
    /// `home` is the current project. Its options give the location of the registry and the defaults for opening
    /// other projects.
    pub fn around(home: Arc<Engine>, freshness: Freshen) -> Self {
        let options = home.options().clone();
        let registry = options.registry.clone().map(Registry::new);
        let (pool, visible) = (Arc::new(EnginePool::new(options)), ProjectFilter::default());
        let projects = Self { registry, pool, freshness, visible, home: home.clone() };
        projects.keep(home);
        projects
    }

    /// The same projects, with another one as the current project.
    #[must_use]
    pub fn seen_from(&self, home: Arc<Engine>) -> Self {
        let (registry, pool, visible) = (self.registry.clone(), self.pool.clone(), self.visible.clone());
        Self { home, registry, pool, freshness: self.freshness, visible }
    }

    /// The same projects for a caller who may see only these. Lists, searches, suggestions and errors name no others.
    #[must_use]
    pub fn seen_by(&self, visible: ProjectFilter) -> Self {
        Self { visible, ..self.seen_from(self.home.clone()) }
    }

    /// Whether the caller may see the project with this root.
    pub fn sees(&self, root: &Path) -> Result<bool, EngineError> {
        Ok(self.visible.is_all() || self.known_entries()?.iter().any(|entry| entry.root == root))
    }

    /// Uses this engine for its project instead of opening another one.
    pub fn keep(&self, engine: Arc<Engine>) {
        self.pool.keep(engine);
    }

    /// Opens a project with the settings that it would have in its own terminal.
    pub fn open(&self, project: Project) -> Result<Arc<Engine>, EngineError> {
        self.pool.open(project).map(Arc::new)
    }

    /// Stops using the engine of this project, whether it was passed in or opened here.
    pub fn release(&self, root: &Path) {
        self.pool.release(root);
    }

    /// Closes engines that were opened only for searches over several projects and have been idle for `idle_time`.
    pub fn close_idle(&self, idle_time: Duration) {
        self.pool.close_idle(idle_time);
    }

    /// Every registered project and its state.
    pub fn list(&self) -> Result<ProjectsResponse, EngineError> {
        let entries = self.entries()?;
        let roots = entries.iter().map(|entry| (entry.root.clone(), ())).collect();
        let found = self.pool.ask_all(roots, self.deadline(), |engine, ()| engine.index_counts());
        let linked = self.linked_roots();
        let summary = |(entry, found): (ProjectEntry, Result<IndexCounts, ProjectFailure>)| {
            let current = entry.root == self.home.project().root();
            let is_linked = linked.iter().any(|(_, root)| *root == entry.root);
            summary(entry, found, ProjectRelation { current, linked: is_linked })
        };
        Ok(ProjectsResponse {
            projects: entries.into_iter().zip(found).map(summary).collect(),
            notes: Vec::new(),
        })
    }

    /// The root of each registered project, by name.
    pub fn roots(&self) -> Result<BTreeMap<String, PathBuf>, EngineError> {
        Ok(self.entries()?.into_iter().map(|entry| (entry.name, entry.root)).collect())
    }

    /// Removes projects whose root no longer exists from the list, and returns their names.
    pub fn prune(&self) -> Result<Vec<String>, EngineError> {
        let gone = self.registry.as_ref().map_or_else(|| Ok(Vec::new()), Registry::prune)?;
        Ok(gone.into_iter().map(|entry| entry.name).collect())
    }

    /// The target for the other projects. A location refers to a file of the current project, so the others get the
    /// code at that location.
    fn target_for_others(&self, target: &SearchTarget) -> Result<SearchTarget, EngineError> {
        match target {
            SearchTarget::Query(text) | SearchTarget::Snippet(text) if text.trim().is_empty() => {
                Err(EngineError::EmptyQuery)
            }
            SearchTarget::Query(_) | SearchTarget::Snippet(_) => Ok(target.clone()),
            SearchTarget::Location { path, line } => {
                let path = self.home.project().relative(Path::new(path))?;
                let stored = crate::search::chunk_at(&*self.home.reader()?, &path, *line)?;
                Ok(SearchTarget::Snippet(stored.chunk.embedding_text()))
            }
        }
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(self.home.config().search.project_timeout_ms)
    }

    fn entries(&self) -> Result<Vec<ProjectEntry>, EngineError> {
        let mut entries = self.all_entries()?;
        entries.retain(|entry| self.visible.admits(&entry.name));
        Ok(entries)
    }

    /// Including those that the caller may not see.
    fn all_entries(&self) -> Result<Vec<ProjectEntry>, EngineError> {
        self.registry.as_ref().map_or_else(|| Ok(Vec::new()), Registry::entries)
    }

    /// The linked projects, each as written in the settings and as a resolved path.
    fn linked_roots(&self) -> Vec<(PathBuf, PathBuf)> {
        let root = self.home.project().root();
        let place = |path: &Path| canonical(&root.join(path)).unwrap_or_else(|_| root.join(path));
        self.home.config().linked_projects.iter().map(|path| (path.clone(), place(path))).collect()
    }
}

/// The error when no project answered: one project's own error if all failed because of the request, or if only one
/// was searched.
fn no_answer(mut failures: Vec<(String, ProjectFailure)>, notes: Vec<String>) -> EngineError {
    let is_bad_request = |failure: &ProjectFailure| matches!(failure, ProjectFailure::Failed(error) if error.kind() == ErrorKind::User);
    let is_common_error = failures.len() == 1 || failures.iter().all(|(_, failure)| is_bad_request(failure));
    let reasons = failures.iter().map(|(name, failure)| format!("{name}: {failure}"));
    let no_answer = EngineError::NoProjectAnswered { reasons: notes.into_iter().chain(reasons).collect() };
    match failures.pop() {
        Some((_, ProjectFailure::Failed(error))) if is_common_error => error,
        _ => no_answer,
    }
}

/// How a project is related to the current one.
struct ProjectRelation {
    current: bool,
    linked: bool,
}

fn summary(
    entry: ProjectEntry,
    found: Result<IndexCounts, ProjectFailure>,
    ProjectRelation { current, linked }: ProjectRelation,
) -> ProjectSummary {
    let (state, problem, contents) = match found {
        Ok(contents) => (ProjectState::Ready, None, Some(contents)),
        Err(failure @ ProjectFailure::Gone) => (ProjectState::Gone, Some(failure.to_string()), None),
        Err(failure @ ProjectFailure::NotIndexed) => {
            (ProjectState::NotIndexed, Some(failure.to_string()), None)
        }
        Err(failure) => (ProjectState::Broken, Some(failure.to_string()), None),
    };
    ProjectSummary {
        name: entry.name,
        root: entry.root.display().to_string(),
        state,
        current,
        linked,
        files: contents.as_ref().map(|contents| contents.files),
        chunks: contents.as_ref().map(|contents| contents.chunks),
        watched: contents.as_ref().is_some_and(|contents| contents.watched),
        open: false,
        last_sync_at: contents.and_then(|contents| contents.last_sync_at),
        problem,
    }
}
