//! Keeps clones of all registered repositories, and the indexes of their projects, up to date.
//!
//! Any number of workers may run at the same time. The worker that gets a repository's lock visits it. What a killed worker
//! had begun is done by the next one that gets the lock.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::WorkerConfig;
use vectorcode_core::private_files::{self, Links};
use vectorcode_core::{CancelToken, SilentProgress, with_causes};
use vectorcode_engine::{Engine, Project, Removal, WhenLocked};

use super::checkout::{self, CloneState, Control};
use super::credentials::Credentials;
use super::followed_refs::{self, Followed};
use super::git::{Git, GitLimits};
use super::list::{Repository, RepositoryList};
use super::url::{Protocols, RepositoryUrl};
use crate::TeamError;

/// How often to check for repositories that are due or that a webhook announced.
const TICK: Duration = Duration::from_millis(500);

/// The configuration of a worker.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    pub list: RepositoryList,
    /// The directory of the clones.
    pub directory: PathBuf,
    pub settings: WorkerConfig,
    pub credentials: Credentials,
    pub protocols: Protocols,
}

/// Opens the engine of a clone with its project's settings.
type OpenEngine = dyn Fn(Project) -> Result<Arc<Engine>, String>;

pub struct Worker<'a> {
    options: WorkerOptions,
    open: &'a OpenEngine,
    cancel: CancelToken,
}

/// The outcome of a visit to a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitOutcome {
    /// A commit was fetched and indexed.
    Indexed {
        commit: String,
        /// [`CloneState::followed`]
        followed: String,
        files: u64,
        chunks: u64,
    },
    /// The index already has the server's commit.
    Unchanged,
    /// Another worker holds the lock.
    Busy,
    Failed(String),
}

impl<'a> Worker<'a> {
    pub fn new(options: WorkerOptions, open: &'a OpenEngine, cancel: CancelToken) -> Self {
        Self { options, open, cancel }
    }

    /// Visits each repository once.
    pub fn visit_all(&self, report: &dyn Fn(&Repository, &VisitOutcome)) -> Result<(), TeamError> {
        for repository in self.options.list.all()? {
            if self.cancel.is_cancelled() {
                break;
            }
            report(&repository, &self.visit(&repository, Due::Always));
        }
        Ok(())
    }

    /// Visits repositories when they are due, until cancelled.
    pub fn run(&self, report: &dyn Fn(&Repository, &VisitOutcome)) -> Result<(), TeamError> {
        while !self.cancel.is_cancelled() {
            for repository in self.options.list.all()? {
                let control = self.control(&repository.name);
                if self.is_due(&control) && !self.cancel.is_cancelled() {
                    report(&repository, &self.visit(&repository, Due::ByTime));
                }
            }
            std::thread::sleep(TICK);
        }
        Ok(())
    }

    /// The recorded state of a repository's clone.
    pub fn state(options: &WorkerOptions, repository: &Repository) -> CloneState {
        Control::new(&options.directory, &repository.name).state()
    }

    /// Removes a repository from the list and deletes its clone and index; `None` if there is no such repository. Servers
    /// release the index first. If a worker holds the lock, this fails and changes nothing.
    pub fn remove(&self, name_or_url: &str) -> Result<Option<Repository>, TeamError> {
        let is_meant = |known: &Repository| known.name == name_or_url || known.url == name_or_url;
        let Some(repository) = self.options.list.all()?.into_iter().find(is_meant) else { return Ok(None) };
        let failed = |problem: String| TeamError::Repository { name: repository.name.clone(), problem };
        let (control, root) = (self.control(&repository.name), self.root(&repository.name));
        let lock = control.lock().map_err(|error| failed(error.to_string()))?;
        let _lock = lock.ok_or_else(|| failed("a worker is using it; try again in a moment".into()))?;
        let is_ours = !control.state().url.is_empty();
        if is_ours && root.is_dir() {
            let engine = (self.open)(Project::at(&root)?).map_err(failed)?;
            if engine.is_indexed() {
                engine.remove(Removal::Everything)?;
            }
            drop(engine);
            std::fs::remove_dir_all(&root).map_err(|error| failed(error.to_string()))?;
        }
        control.forget();
        self.options.list.remove(&repository.name)
    }

    fn control(&self, name: &str) -> Control {
        Control::new(&self.options.directory, name)
    }

    fn root(&self, name: &str) -> PathBuf {
        self.options.directory.join(name)
    }

    fn is_due(&self, control: &Control) -> bool {
        let passed = now().saturating_sub(control.state().checked_at);
        control.is_visit_requested()
            || u64::try_from(passed).is_ok_and(|passed| passed >= self.options.settings.every_secs)
    }

    fn visit(&self, repository: &Repository, due: Due) -> VisitOutcome {
        let control = self.control(&repository.name);
        let lock = match control.lock() {
            Ok(Some(lock)) => lock,
            Ok(None) => return VisitOutcome::Busy,
            Err(error) => return VisitOutcome::Failed(error.to_string()),
        };
        // Another worker may have visited it since it became due.
        if due == Due::ByTime && !self.is_due(&control) {
            return VisitOutcome::Unchanged;
        }
        // It may have been removed since the list was read, and must not be cloned again.
        if !self.options.list.all().is_ok_and(|listed| listed.contains(repository)) {
            return VisitOutcome::Unchanged;
        }
        // Before querying the server, so that a later push creates a new request.
        control.forget_request();
        let visited = self.fetch_and_index(repository, &control, &lock).unwrap_or_else(VisitOutcome::Failed);
        let state = state_after(control.state(), &visited);
        if self.cancel.is_cancelled() {
            return visited;
        }
        match control.write_state(&state) {
            Ok(()) => visited,
            Err(error) => VisitOutcome::Failed(error.to_string()),
        }
    }

    fn fetch_and_index(
        &self,
        repository: &Repository,
        control: &Control,
        lock: &File,
    ) -> Result<VisitOutcome, String> {
        let WorkerOptions { settings, credentials, protocols, .. } = &self.options;
        let url = RepositoryUrl::parse(&repository.url, *protocols).map_err(|error| error.to_string())?;
        url.check_host(&settings.hosts).map_err(|error| error.to_string())?;
        let directory = self.root(&repository.name);
        let before = claim(&directory, repository, control)?;
        private_files::create_directory(&directory, Links::Refuse).map_err(|error| error.to_string())?;
        let limits = GitLimits {
            timeout: Duration::from_secs(settings.timeout_secs),
            max_bytes: settings.max_repository_mb.saturating_mul(1_000_000),
        };
        let (directory, cancel) = (directory.as_path(), &self.cancel);
        let git = Git { directory, url: &url, protocols: *protocols, credentials, limits, cancel, lock };
        let followed: Vec<Followed> =
            settings.refs.iter().map(|written| Followed::parse(written)).collect::<Result<_, _>>()?;
        let commit = checkout::remote_commit(&git, repository)?;
        let fingerprint = followed_refs::fingerprint(&git, &followed)?;
        let is_known = before.commit.as_ref() == Some(&commit.id) && before.followed == fingerprint;
        if is_known && before.error.is_none() {
            return Ok(VisitOutcome::Unchanged);
        }
        checkout::check_out(&git, &commit, &followed, settings.depth)?;
        self.index(directory, commit.id, fingerprint)
    }

    fn index(&self, directory: &Path, commit: String, followed: String) -> Result<VisitOutcome, String> {
        let project = Project::at(directory).map_err(|error| with_causes(&error))?;
        let engine = (self.open)(project)?;
        let report = engine.index(&IndexRequest::default(), WhenLocked::Wait, &SilentProgress, &self.cancel);
        let report = report.map_err(|error| with_causes(&error))?;
        if report.cancelled {
            return Err("the worker was stopped".into());
        }
        Ok(VisitOutcome::Indexed { commit, followed, files: report.files, chunks: report.chunks })
    }
}

/// When to visit a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Always,
    /// If its interval has passed, or a webhook requested it.
    ByTime,
}

/// Claims the folder for a repository. A clone of another URL is deleted together with its index. A folder that no worker
/// created is left alone: it may be somebody's work.
fn claim(directory: &Path, repository: &Repository, control: &Control) -> Result<CloneState, String> {
    let before = control.state();
    if before.url == repository.url {
        return Ok(before);
    }
    let is_occupied = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if before.url.is_empty() && is_occupied {
        return Err(format!(
            "{} is there already, and is not a clone that a worker made",
            directory.display()
        ));
    }
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.to_string()),
        _ => {}
    }
    let claimed = CloneState { url: repository.url.clone(), ..CloneState::default() };
    control.write_state(&claimed).map_err(|error| error.to_string())?;
    Ok(claimed)
}

fn state_after(before: CloneState, visited: &VisitOutcome) -> CloneState {
    let state = CloneState { checked_at: now(), ..before };
    match visited {
        VisitOutcome::Indexed { commit, followed, .. } => CloneState {
            commit: Some(commit.clone()),
            followed: followed.clone(),
            indexed_at: Some(now()),
            error: None,
            ..state
        },
        VisitOutcome::Unchanged | VisitOutcome::Busy => CloneState { error: None, ..state },
        VisitOutcome::Failed(problem) => CloneState { error: Some(problem.clone()), ..state },
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

impl std::fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("options", &self.options).finish_non_exhaustive()
    }
}
