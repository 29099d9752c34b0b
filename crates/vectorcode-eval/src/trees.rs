//! The repositories of a dataset as projects: indexed where they lie, then asked.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use vectorcode_core::api::{Cursor, Hit, IndexReport, IndexRequest, SearchMode, SearchRequest};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{Engine, EngineOptions, Project, WhenLocked};
use vectorcode_measure::metrics::{DEPTH, RankedSpan};

use crate::dataset::Repository;

/// Hits in one page while all candidates of a question are read.
const PAGE: usize = 100;

/// Where the trees and the shared embedding cache lie.
#[derive(Clone, Debug)]
pub struct Trees {
    pub folder: PathBuf,
    pub cache: Option<PathBuf>,
}

/// One repository, ready to be asked.
#[derive(Debug)]
pub struct Tree {
    engine: Engine,
    root: Option<String>,
}

impl Trees {
    pub fn open(&self, repository: &Repository) -> Result<Tree> {
        let tree = self.folder.join(&repository.name);
        let indexed = repository.root.as_ref().map_or_else(|| tree.clone(), |root| tree.join(root));
        let project = Project::at(&indexed).with_context(|| format!("no tree of {}", repository.name))?;
        let options = EngineOptions { cache_dir: self.cache.clone(), ..EngineOptions::default() };
        Ok(Tree { engine: Engine::new(project, Config::default(), options), root: repository.root.clone() })
    }
}

impl Tree {
    /// Brings the tree's index up to date; one that is up to date costs a walk over its files.
    pub fn index(&self, mode: SearchMode) -> Result<IndexReport> {
        let request = IndexRequest { stage_one_only: mode == SearchMode::Fast, ..IndexRequest::default() };
        Ok(self.engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default())?)
    }

    /// The ten best, as a user would get them.
    pub fn answers(&self, query: &str, mode: SearchMode) -> Result<Vec<RankedSpan>> {
        let request = SearchRequest { mode, limit: DEPTH, ..SearchRequest::query(query) };
        let hits = self.engine.search(&request)?.hits;
        Ok(hits.iter().map(|hit| self.answer(hit)).collect())
    }

    /// Every candidate with its signals, best first.
    pub fn candidates(&self, query: &str, mode: SearchMode) -> Result<Vec<Hit>> {
        let mut request =
            SearchRequest { mode, limit: PAGE, threshold: 0.0, explain: true, ..SearchRequest::query(query) };
        let mut hits = Vec::new();
        loop {
            let response = self.engine.search(&request)?;
            hits.extend(response.hits);
            match response.next {
                Some(Cursor(next)) => request.cursor = Some(Cursor(next)),
                None => return Ok(hits),
            }
        }
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
