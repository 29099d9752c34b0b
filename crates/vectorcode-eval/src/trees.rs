//! The repositories of a dataset as projects: indexed in place, then searched.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use vectorcode_core::api::{Coverage, Hit, IndexReport, IndexRequest, SearchMode, SearchRequest, TestFilter};
use vectorcode_core::config::{Config, IndexingConfig, StoreConfig};
use vectorcode_core::{CancelToken, Phase, Progress, SilentProgress};
use vectorcode_engine::{Engine, EngineError, EngineOptions, Project, Removal, SourceFile, WhenLocked};
use vectorcode_measure::DEEP;
use vectorcode_measure::metrics::{DEPTH, RankedSpan, Target};

use crate::dataset::{LabelledQuery, Repository};

/// Page size for reading all candidates of a question.
const PAGE: usize = 1000;

/// Where the trees and the shared embedding cache are.
#[derive(Clone, Debug)]
pub struct Trees {
    pub folder: PathBuf,
    pub cache: Option<PathBuf>,
    /// Where the indexes are stored.
    pub store: StoreConfig,
}

/// One repository, ready to be searched.
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

/// States of an index. Users search in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum State {
    /// Only full text, as in the first search of a large project.
    First,
    /// Everything of stage one, but no vectors of the provider.
    Structure,
    /// Half of the chunks have vectors of the provider.
    Half,
    #[default]
    Complete,
}

/// A question in the form that the engine receives.
#[derive(Clone, Debug)]
pub struct TreeQuery {
    pub query: String,
    pub mode: SearchMode,
    pub tests: TestFilter,
    /// Only older commits influence the ranking.
    pub history_before: Option<String>,
}

impl TreeQuery {
    /// Tests are ranked lower, which is the default for users.
    pub fn new(question: &LabelledQuery, mode: SearchMode) -> Self {
        Self { history_before: question.commit.clone(), ..Self::text(&question.query, mode) }
    }

    /// A query that was not made from a commit.
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
        // Only `index_words` indexes words first.
        let indexing = IndexingConfig { words_first_from: 0, ..IndexingConfig::default() };
        let config = Config { store, indexing, ..Config::default() };
        let engine = Engine::new(Project::at(folder)?, config, options);
        Ok(Self { engine: Arc::new(engine), root: None })
    }

    /// The repository at a commit, searched through the same index.
    pub fn of_commit(&self, commit: &str) -> Result<Self> {
        let engine = self.engine.at(commit, &SilentProgress, &CancelToken::default())?;
        Ok(Self { engine, root: self.root.clone() })
    }

    /// Brings the tree's index to a state. All states except [`State::Complete`] rebuild it. They need an empty cache,
    /// because vectors in the cache would be used.
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

    /// Updates the tree's index. If it is up to date, this costs one walk over the files.
    pub fn index(&self, mode: SearchMode) -> Result<IndexReport> {
        let request = IndexRequest { stage_one_only: mode == SearchMode::Fast, ..IndexRequest::default() };
        Ok(self.engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default())?)
    }

    /// Rebuilds the index like the first search of a large project: only full text.
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

    /// The best hits, as a user would see them.
    pub fn search(&self, asked: &TreeQuery, limit: usize) -> Result<Vec<Hit>> {
        Ok(self.engine.search(&asked.request(limit))?.hits)
    }

    /// The ten best hits as spans.
    pub fn answers(&self, asked: &TreeQuery) -> Result<Vec<RankedSpan>> {
        let hits = self.search(asked, DEPTH)?;
        Ok(hits.iter().map(|hit| self.answer(hit)).collect())
    }

    /// Every candidate with its signals, best first.
    pub fn candidates(&self, asked: &TreeQuery) -> Result<Vec<Hit>> {
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

    /// The rank, counted from 1, of the first hit on a target among the first [`DEEP`] hits.
    pub fn rank(&self, asked: &TreeQuery, targets: &[Target]) -> Result<Option<usize>> {
        let request = SearchRequest { threshold: Some(0.0), ..asked.request(DEEP) };
        let hits = self.engine.search(&request)?.hits;
        let is_right = |hit: &Hit| targets.iter().any(|target| target.is_hit_by(&self.answer(hit)));
        Ok(hits.iter().position(is_right).map(|index| index + 1))
    }

    /// Every file in the index.
    pub fn files(&self) -> Result<Vec<SourceFile>> {
        Ok(self.engine.files()?)
    }

    pub fn project(&self) -> &Project {
        self.engine.project()
    }

    /// The number of chunks in the index, and how many of them have vectors of the provider.
    pub fn coverage(&self) -> Result<Coverage> {
        Ok(self.engine.status()?.coverage)
    }

    /// The number of chunks in the index.
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
