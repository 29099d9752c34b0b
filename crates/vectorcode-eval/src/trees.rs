//! The repositories of a dataset as projects: indexed where they lie, then asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use vectorcode_core::api::{Coverage, Hit, IndexReport, IndexRequest, SearchMode, SearchRequest, TestFilter};
use vectorcode_core::config::{Config, IndexingConfig, StoreConfig};
use vectorcode_core::{CancelToken, Phase, Progress, SilentProgress};
use vectorcode_engine::{Engine, EngineError, EngineOptions, Project, Removal, SourceFile, WhenLocked};
use vectorcode_measure::metrics::{DEPTH, RankedSpan, Target};

use crate::dataset::{LabelledQuery, Repository};

/// Hits in one page while all candidates of a question are read.
const PAGE: usize = 1000;

/// How deep the first right answer to a question is looked for.
const DEEP: usize = 100;

/// Where the trees and the shared embedding cache lie.
#[derive(Clone, Debug)]
pub struct Trees {
    pub folder: PathBuf,
    pub cache: Option<PathBuf>,
    /// Where the indexes are kept.
    pub store: StoreConfig,
}

/// One repository, ready to be asked.
#[derive(Debug)]
pub struct Tree {
    engine: Arc<Engine>,
    root: Option<String>,
}

impl Trees {
    pub fn open(&self, repository: &Repository) -> Result<Tree> {
        let tree = self.folder.join(&repository.name);
        let indexed = repository.root.as_ref().map_or_else(|| tree.clone(), |root| tree.join(root));
        let tree = Tree::kept_in(self.store.clone(), &indexed, self.cache.clone());
        let tree = tree.with_context(|| format!("no tree of {}", repository.name))?;
        Ok(Tree { root: repository.root.clone(), ..tree })
    }
}

/// How far an index is: users search in all of these states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum State {
    /// Nothing but the words of the files, as the first search of a large project finds it.
    First,
    /// Everything of stage one, and no vector of the provider.
    Structure,
    /// Half of the chunks have vectors of the provider.
    Half,
    #[default]
    Complete,
}

/// A question as the engine is asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub query: String,
    pub mode: SearchMode,
    pub tests: TestFilter,
    /// Only commits before this one vote.
    pub history_before: Option<String>,
}

impl Asked {
    /// With tests ranked lower, as they are unless a user says otherwise.
    pub fn new(question: &LabelledQuery, mode: SearchMode) -> Self {
        Self { history_before: question.commit.clone(), ..Self::text(&question.query, mode) }
    }

    /// A text that was not made from a commit.
    pub fn text(query: &str, mode: SearchMode) -> Self {
        Self { query: query.to_owned(), mode, tests: TestFilter::Demote, history_before: None }
    }

    fn request(&self, limit: usize) -> SearchRequest {
        SearchRequest {
            mode: self.mode,
            tests: self.tests,
            limit,
            history_before: self.history_before.clone(),
            ..SearchRequest::query(&self.query)
        }
    }
}

impl Tree {
    /// A folder as a project with the default settings.
    pub fn at(folder: &Path, cache_dir: Option<PathBuf>) -> Result<Self> {
        Self::kept_in(StoreConfig::default(), folder, cache_dir)
    }

    fn kept_in(store: StoreConfig, folder: &Path, cache_dir: Option<PathBuf>) -> Result<Self> {
        let options = EngineOptions { cache_dir, ..EngineOptions::default() };
        // Only `index_words` asks for words first.
        let indexing = IndexingConfig { words_first_from: 0, ..IndexingConfig::default() };
        let config = Config { store, indexing, ..Config::default() };
        let engine = Engine::new(Project::at(folder)?, config, options);
        Ok(Self { engine: Arc::new(engine), root: None })
    }

    /// The same repository as a commit has it, out of the same index.
    pub fn of_commit(&self, commit: &str) -> Result<Self> {
        let engine = self.engine.at(commit, &SilentProgress, &CancelToken::default())?;
        Ok(Self { engine, root: self.root.clone() })
    }

    /// Brings the tree's index into a state. All but [`State::Complete`] make it anew: vectors that a cache has would be
    /// taken from there, so these want an empty one.
    pub fn bring_to(&self, state: State, mode: SearchMode) -> Result<()> {
        match state {
            State::First => self.index_words(),
            State::Structure => {
                self.engine.remove(Removal::Index)?;
                self.index(SearchMode::Fast).map(drop)
            }
            State::Half => self.index_half(),
            State::Complete => self.index(mode).map(drop),
        }
    }

    /// Brings the tree's index up to date; one that is up to date costs a walk over its files.
    pub fn index(&self, mode: SearchMode) -> Result<IndexReport> {
        let request = IndexRequest { stage_one_only: mode == SearchMode::Fast, ..IndexRequest::default() };
        Ok(self.engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default())?)
    }

    /// Makes the index anew as the first search of a large project does, of words alone.
    pub fn index_words(&self) -> Result<()> {
        self.engine.remove(Removal::Index)?;
        let request = IndexRequest::before_search();
        self.engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default())?;
        Ok(())
    }

    fn index_half(&self) -> Result<()> {
        self.engine.remove(Removal::Index)?;
        let cancel = CancelToken::default();
        let stop_at_half = |progress: &Progress| {
            if progress.phase == Phase::Embed && progress.done * 2 >= progress.total {
                cancel.cancel();
            }
        };
        let outcome = self.engine.index(&IndexRequest::default(), WhenLocked::Wait, &stop_at_half, &cancel);
        match outcome {
            Ok(_) | Err(EngineError::Cancelled) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The best hits, as a user would get them.
    pub fn search(&self, asked: &Asked, limit: usize) -> Result<Vec<Hit>> {
        Ok(self.engine.search(&asked.request(limit))?.hits)
    }

    /// The ten best as spans.
    pub fn answers(&self, asked: &Asked) -> Result<Vec<RankedSpan>> {
        let hits = self.search(asked, DEPTH)?;
        Ok(hits.iter().map(|hit| self.answer(hit)).collect())
    }

    /// Every candidate with its signals, best first.
    pub fn candidates(&self, asked: &Asked) -> Result<Vec<Hit>> {
        let mut request = SearchRequest { threshold: Some(0.0), explain: true, ..asked.request(PAGE) };
        let mut hits = Vec::new();
        loop {
            let response = self.engine.search(&request)?;
            hits.extend(response.hits);
            match response.next {
                Some(next) => request.cursor = Some(next),
                None => return Ok(hits),
            }
        }
    }

    /// The rank, from 1, of the first hit on a target among the first [`DEEP`].
    pub fn rank(&self, asked: &Asked, targets: &[Target]) -> Result<Option<usize>> {
        let request = SearchRequest { threshold: Some(0.0), ..asked.request(DEEP) };
        let hits = self.engine.search(&request)?.hits;
        let is_right = |hit: &Hit| targets.iter().any(|target| target.is_hit_by(&self.answer(hit)));
        Ok(hits.iter().position(is_right).map(|index| index + 1))
    }

    /// Every file of the index.
    pub fn files(&self) -> Result<Vec<SourceFile>> {
        Ok(self.engine.files()?)
    }

    pub fn project(&self) -> &Project {
        self.engine.project()
    }

    /// How many chunks the index holds, and how many of them have vectors of the provider.
    pub fn coverage(&self) -> Result<Coverage> {
        Ok(self.engine.status()?.coverage)
    }

    /// How many chunks the index holds.
    pub fn chunks(&self) -> Result<u64> {
        Ok(self.engine.status()?.chunks)
    }

    pub fn answer(&self, hit: &Hit) -> RankedSpan {
        let path = match &self.root {
            Some(root) => Path::new(root).join(&hit.path).to_string_lossy().replace('\\', "/"),
            None => hit.path.clone(),
        };
        RankedSpan { path, start_line: hit.start_line, end_line: hit.end_line }
    }
}
