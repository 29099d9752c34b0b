//! A clone of a project: files, repository, index and an embedder that counts its calls.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vectorcode_core::api::{IndexReport, IndexRequest};
use vectorcode_core::config::{Config, ShareConfig};
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{Embedders, Engine, EngineOptions, Project, WhenLocked};
use vectorcode_team::{AutoPull, Location, PullReport, PullRequest, PushReport, PushRequest, TeamError};
use vectorcode_testkit::{FakeEmbedder, TempProject, TestRepository};

pub const ORIGIN: &str = "git@example.com:team/shop.git";
const DIMENSIONS: usize = 32;

pub struct Clone {
    pub files: TempProject,
    pub repository: TestRepository,
    pub embedder: Arc<FakeEmbedder>,
    pub settings: ShareConfig,
    pub engine: Engine,
}

/// A project with these commits. Two clones of it have the same commits.
pub fn clone_of(commits: &[&[(&str, Option<&str>)]]) -> Clone {
    clone_with(commits, "origin", ORIGIN, &ShareConfig::default())
}

pub fn clone_with(
    commits: &[&[(&str, Option<&str>)]],
    remote: &str,
    url: &str,
    settings: &ShareConfig,
) -> Clone {
    let files = TempProject::empty();
    let repository = TestRepository::init(files.root());
    let config_text = std::fs::read_to_string(files.path(".git/config")).unwrap();
    let with_remote = format!("{config_text}[remote \"{remote}\"]\n\turl = {url}\n");
    std::fs::write(files.path(".git/config"), with_remote).unwrap();
    let embedder = Arc::new(FakeEmbedder::new(DIMENSIONS));
    let options = EngineOptions {
        embedders: Embedders::fixed(embedder.clone()),
        shared_vectors: Some(Arc::new(AutoPull)),
        ..EngineOptions::default()
    };
    let config = Config { share: settings.clone(), ..Config::default() };
    let engine = Engine::new(Project::at(files.root()).unwrap(), config, options);
    let mut clone = Clone { files, repository, embedder, settings: settings.clone(), engine };
    for files in commits {
        clone.commit(files);
    }
    clone
}

impl Clone {
    /// Writes files and commits them.
    pub fn commit(&mut self, files: &[(&str, Option<&str>)]) {
        for (path, text) in files {
            match text {
                Some(text) => self.files.write(path, text),
                None => self.files.remove(path),
            }
        }
        self.repository.commit("change", files);
    }

    pub fn index(&self) -> IndexReport {
        self.run(&IndexRequest::default())
    }

    pub fn read_files(&self) -> IndexReport {
        self.run(&IndexRequest { stage_one_only: true, ..IndexRequest::default() })
    }

    fn run(&self, request: &IndexRequest) -> IndexReport {
        self.engine.index(request, WhenLocked::Wait, &SilentProgress, &CancelToken::default()).unwrap()
    }

    pub fn push(&self, folder: &Path) -> Result<PushReport, TeamError> {
        self.push_keeping(folder, None)
    }

    pub fn push_keeping(&self, folder: &Path, keep: Option<usize>) -> Result<PushReport, TeamError> {
        push(&self.engine, &self.settings, folder, keep)
    }

    pub fn pull(&self, location: &Location) -> Result<PullReport, TeamError> {
        let request = PullRequest {
            location,
            settings: &self.settings,
            progress: &|_, _| {},
            cancel: &CancelToken::default(),
        };
        vectorcode_team::pull(&self.engine, &request)
    }

    pub fn pull_from(&self, folder: &Path) -> Result<PullReport, TeamError> {
        self.pull(&Location::Folder(folder.into()))
    }

    /// How many texts this clone has embedded.
    pub fn embedded(&self) -> usize {
        self.embedder.documents().len()
    }
}

/// Separate from the clone, whose repository cannot leave its thread.
pub fn push(
    engine: &Engine,
    settings: &ShareConfig,
    folder: &Path,
    keep: Option<usize>,
) -> Result<PushReport, TeamError> {
    let request = PushRequest {
        location: &Location::Folder(folder.into()),
        settings,
        dry_run: false,
        keep,
        progress: &|_, _| {},
        cancel: &CancelToken::default(),
    };
    vectorcode_team::push(engine, &request)
}

/// A function of a few lines with unique content.
pub fn function(name: &str) -> String {
    format!(
        "/// Counts the {name} of a shop.\npub fn count_{name}(shop: &Shop) -> usize {{\n    shop.{name}.len()\n}}\n"
    )
}

/// All objects below a folder whose path contains `part`.
pub fn objects(folder: &Path, part: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if vectorcode_core::with_slashes(&path.to_string_lossy()).contains(part) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
