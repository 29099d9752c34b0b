//! Many projects behind one door: the list of those that the user has indexed, and searches over several of them.
//!
//! [`Registry`] remembers which there are, [`Pool`] opens and asks them, `merge` makes one ranking of their answers.
//! A project that is gone, broken or slow costs a note, never the answer of the others.

mod merge;
mod pool;
mod registry;
mod select;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use vectorcode_core::api::{
    ProjectSelection, ProjectState, ProjectSummary, ProjectsResponse, SearchRequest, SearchResponse,
    SearchTarget,
};
use vectorcode_core::{CancelToken, Diagnose, ErrorKind, canonical};

use self::merge::Answer;
use self::pool::{Pool, Trouble};
use self::registry::Entry;
pub(crate) use self::registry::Registry;
use crate::engine::Contents;
use crate::{Engine, EngineError};

/// The user's projects, seen from one of them.
#[derive(Debug)]
pub struct Projects {
    home: Arc<Engine>,
    registry: Option<Registry>,
    pool: Arc<Pool>,
    freshness: Freshen,
}

/// Whether a search brings each index up to date first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshen {
    /// For a terminal, where nobody watches: reads what changed, as far as half the time allows.
    First,
    /// For servers: the index answers as it is, and each hit is compared with the disk.
    Never,
}

impl Projects {
    /// `home` is the project at hand. Its options say where the registry is and how other projects are opened.
    pub fn around(home: Arc<Engine>, freshness: Freshen) -> Self {
        let options = home.options().clone();
        let registry = options.registry.clone().map(Registry::new);
        let projects = Self { registry, pool: Arc::new(Pool::new(options)), freshness, home: home.clone() };
        projects.keep(home);
        projects
    }

    /// Uses this engine for its project instead of opening another one.
    pub fn keep(&self, engine: Arc<Engine>) {
        self.pool.keep(engine);
    }

    /// Every registered project and how it is.
    pub fn list(&self) -> Result<ProjectsResponse, EngineError> {
        let entries = self.entries()?;
        let found = self.pool.ask_all(&entries, self.deadline(), Engine::contents);
        let linked = self.linked_roots();
        let summary = |(entry, found): (Entry, Result<Contents, Trouble>)| {
            let current = entry.root == self.home.project().root();
            let is_linked = linked.iter().any(|(_, root)| *root == entry.root);
            summary(entry, found, Standing { current, linked: is_linked })
        };
        Ok(ProjectsResponse {
            projects: entries.into_iter().zip(found).map(summary).collect(),
            notes: Vec::new(),
        })
    }

    /// Searches several projects and makes one ranking of their answers.
    pub fn search(
        &self,
        request: &SearchRequest,
        selection: &ProjectSelection,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let abroad = self.target_abroad(&request.target)?;
        let (entries, mut notes) = self.select(selection)?;
        let answers = self.ask(&entries, merge::part_of(request), abroad);
        let mut answered = Vec::new();
        let mut troubles = Vec::new();
        for (entry, answer) in entries.into_iter().zip(answers) {
            match answer {
                Ok(response) => answered.push(Answer { project: entry.name, response }),
                Err(trouble) => troubles.push((entry.name, trouble)),
            }
        }
        if answered.is_empty() {
            return Err(nobody(troubles, notes));
        }
        let mut merged = merge::merge(answered, request);
        notes.extend(troubles.iter().map(|(name, trouble)| format!("{name} was not searched: {trouble}")));
        merged.notes.splice(..0, notes);
        merged.took_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(merged)
    }

    /// Puts a question to one registered project.
    pub fn ask_one<T: Send + 'static>(
        &self,
        name: &str,
        question: impl Fn(&Engine) -> Result<T, EngineError> + Send + Sync + 'static,
    ) -> Result<T, EngineError> {
        let (entries, _) = self.select(&ProjectSelection::Named(vec![name.to_owned()]))?;
        let answers = self.pool.ask_all(&entries, self.deadline(), question);
        let mut troubles = Vec::new();
        for (entry, answer) in entries.into_iter().zip(answers) {
            match answer {
                Ok(answer) => return Ok(answer),
                Err(trouble) => troubles.push((entry.name, trouble)),
            }
        }
        Err(nobody(troubles, Vec::new()))
    }

    /// Drops projects whose root is gone from the list, and names them.
    pub fn prune(&self) -> Result<Vec<String>, EngineError> {
        let gone = self.registry.as_ref().map_or_else(|| Ok(Vec::new()), Registry::prune)?;
        Ok(gone.into_iter().map(|entry| entry.name).collect())
    }

    fn ask(
        &self,
        entries: &[Entry],
        at_home: SearchRequest,
        abroad: SearchTarget,
    ) -> Vec<Result<SearchResponse, Trouble>> {
        let (deadline, freshness) = (self.deadline(), self.freshness);
        let home = self.home.project().clone();
        let abroad = SearchRequest { target: abroad, ..at_home.clone() };
        self.pool.ask_all(entries, deadline, move |engine| {
            if freshness == Freshen::First {
                engine.freshen(&CancelToken::expiring(deadline / 2));
            }
            engine.search(if *engine.project() == home { &at_home } else { &abroad })
        })
    }

    /// A place in a file is one of the project at hand; the others are shown the code that is there.
    fn target_abroad(&self, target: &SearchTarget) -> Result<SearchTarget, EngineError> {
        match target {
            SearchTarget::Query(text) | SearchTarget::Snippet(text) if text.trim().is_empty() => {
                Err(EngineError::EmptyQuery)
            }
            SearchTarget::Query(_) | SearchTarget::Snippet(_) => Ok(target.clone()),
            SearchTarget::Location { path, line } => {
                let stored = crate::search::chunk_at(&*self.home.reader()?, path, *line)?;
                Ok(SearchTarget::Snippet(stored.chunk.embedding_text()))
            }
        }
    }

    fn deadline(&self) -> Duration {
        Duration::from_millis(self.home.config().search.project_timeout_ms)
    }

    fn entries(&self) -> Result<Vec<Entry>, EngineError> {
        self.registry.as_ref().map_or_else(|| Ok(Vec::new()), Registry::entries)
    }

    /// The linked projects as the settings write them, and where they are.
    fn linked_roots(&self) -> Vec<(PathBuf, PathBuf)> {
        let root = self.home.project().root();
        let place = |path: &Path| canonical(&root.join(path)).unwrap_or_else(|_| root.join(path));
        self.home.config().linked_projects.iter().map(|path| (path.clone(), place(path))).collect()
    }
}

/// The error of a question that no project answered: its own where the question is at fault or only one was asked.
fn nobody(mut troubles: Vec<(String, Trouble)>, notes: Vec<String>) -> EngineError {
    let is_the_question =
        |trouble: &Trouble| matches!(trouble, Trouble::Failed(error) if error.kind() == ErrorKind::User);
    let speaks_for_all = troubles.len() == 1 || troubles.iter().all(|(_, trouble)| is_the_question(trouble));
    let reasons = troubles.iter().map(|(name, trouble)| format!("{name}: {trouble}"));
    let nobody = EngineError::NoProjectAnswered { reasons: notes.into_iter().chain(reasons).collect() };
    match troubles.pop() {
        Some((_, Trouble::Failed(error))) if speaks_for_all => error,
        _ => nobody,
    }
}

/// How a project stands to the one at hand.
struct Standing {
    current: bool,
    linked: bool,
}

fn summary(
    entry: Entry,
    found: Result<Contents, Trouble>,
    Standing { current, linked }: Standing,
) -> ProjectSummary {
    let (state, problem, contents) = match found {
        Ok(contents) => (ProjectState::Ready, None, Some(contents)),
        Err(trouble @ Trouble::Gone) => (ProjectState::Gone, Some(trouble.to_string()), None),
        Err(trouble @ Trouble::NotIndexed) => (ProjectState::NotIndexed, Some(trouble.to_string()), None),
        Err(trouble) => (ProjectState::Broken, Some(trouble.to_string()), None),
    };
    ProjectSummary {
        name: entry.name,
        root: entry.root.display().to_string(),
        state,
        current,
        linked,
        files: contents.as_ref().map(|contents| contents.files),
        chunks: contents.as_ref().map(|contents| contents.chunks),
        last_sync_at: contents.and_then(|contents| contents.last_sync_at),
        problem,
    }
}
