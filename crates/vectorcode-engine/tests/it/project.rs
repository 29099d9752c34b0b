//! Test helper: a project with an engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use vectorcode_core::api::{Hit, IndexReport, IndexRequest, SearchMode, SearchRequest};
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{Embedders, Engine, EngineError, EngineOptions, Project, WhenLocked};
use vectorcode_testkit::{FakeEmbedder, TempProject};

pub struct Indexed {
    pub files: TempProject,
    pub embedder: Arc<FakeEmbedder>,
    pub cache: tempfile::TempDir,
    pub engine: Arc<Engine>,
}

impl Indexed {
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::of(TempProject::new(files), Config::default())
    }

    pub fn of(files: TempProject, config: Config) -> Self {
        let embedder = Arc::new(FakeEmbedder::new(32));
        let cache = tempfile::tempdir().unwrap();
        let engine = Arc::new(engine(&files, config, embedder.clone(), &cache));
        Self { files, embedder, cache, engine }
    }

    /// Another engine on the same files, as in another process.
    pub fn reopened(&self, embedder: Arc<FakeEmbedder>) -> Engine {
        engine(&self.files, Config::default(), embedder, &self.cache)
    }

    /// The same project with an engine that has not opened the index yet. Windows cannot replace an index that is
    /// open.
    pub fn closed(self) -> Self {
        let engine = Arc::new(self.reopened(self.embedder.clone()));
        Self { engine, ..self }
    }

    pub fn index(&self) -> IndexReport {
        index(&self.engine).unwrap()
    }

    pub fn search(&self, query: &str) -> Vec<Hit> {
        let request = SearchRequest { threshold: Some(0.0), ..SearchRequest::query(query) };
        self.engine.search(&request).unwrap().hits
    }

    pub fn finds(&self, query: &str, path: &str) -> bool {
        let is_there = |hit: &Hit| hit.path == path || hit.also_in.iter().any(|copy| copy == path);
        self.search(query).iter().any(is_there)
    }

    /// Whether the index has the file with this text; does not use the provider.
    pub fn finds_fast(&self, word: &str, path: &str) -> bool {
        let request =
            SearchRequest { threshold: Some(0.0), mode: SearchMode::Fast, ..SearchRequest::query(word) };
        let hits = self.engine.search(&request).unwrap().hits;
        hits.iter().any(|hit| hit.path == path && hit.content.contains(word))
    }
}

fn engine(
    files: &TempProject,
    config: Config,
    embedder: Arc<FakeEmbedder>,
    cache: &tempfile::TempDir,
) -> Engine {
    let options = EngineOptions {
        embedders: Embedders::fixed(embedder),
        cache_dir: Some(cache.path().to_path_buf()),
        ..EngineOptions::default()
    };
    Engine::new(Project::at(files.root()).unwrap(), config, options)
}

pub fn index(engine: &Engine) -> Result<IndexReport, EngineError> {
    index_with(engine, &IndexRequest::default())
}

pub fn index_with(engine: &Engine, request: &IndexRequest) -> Result<IndexReport, EngineError> {
    engine.index(request, WhenLocked::Wait, &SilentProgress, &CancelToken::default())
}

/// Waits for a condition that another thread will fulfil.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !holds() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A small Rust file about one topic.
pub fn about(topic: &str) -> String {
    format!(
        "/// Everything that is about {topic}, at some length, so that it makes a chunk of its own.\n\
         pub fn handle_{topic}(input: &str) -> String {{\n    let {topic} = input.trim();\n    format!(\"{topic}: {{}}\", {topic})\n}}\n"
    )
}
