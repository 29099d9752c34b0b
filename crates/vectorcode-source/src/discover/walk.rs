//! The walk of a whole project, on all cores.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};
use vectorcode_core::{CancelToken, SkipReason, canonical};

use super::rules::{self, DirectoryRules};
use super::scope::{FoundFile, Scope};
use super::skipped::Skipped;
use crate::SourceError;

/// What a walk found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// In alphabetical order of their paths.
    pub files: Vec<FoundFile>,
    pub skipped: Skipped,
}

impl Scope {
    /// All files of the project. A cancelled walk is an error, because half a list looks like deleted files.
    pub fn discover(&self, cancel: &CancelToken) -> Result<Discovery, SourceError> {
        self.discover_under(Path::new(""), cancel)
    }

    /// All files below one directory of the project, or a single file, given by its absolute path or relative to
    /// the root.
    pub fn discover_under(&self, start: &Path, cancel: &CancelToken) -> Result<Discovery, SourceError> {
        let start = self.root().join(start);
        if start.is_dir() && !start.is_symlink() {
            return self.walk(&start, cancel);
        }
        let mut discovery = Discovery::default();
        match self.judge(&start) {
            Ok(file) => discovery.files.push(file),
            Err(reason) => discovery.skipped.add(reason, &start.to_string_lossy()),
        }
        Ok(discovery)
    }

    /// The `ignore` crate walks; the filters are ours, because its own cannot bring back a file from below an
    /// ignored directory.
    fn walk(&self, start: &Path, cancel: &CancelToken) -> Result<Discovery, SourceError> {
        let start =
            canonical(start).map_err(|cause| SourceError::Root { path: start.to_path_buf(), cause })?;
        let merged = Mutex::new(Discovery::default());
        let walk = WalkBuilder::new(start).standard_filters(false).follow_links(false).build_parallel();
        walk.run(|| {
            let mut worker =
                Worker { scope: self, merged: &merged, own: Discovery::default(), directory: None };
            Box::new(move |entry| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                worker.visit(entry)
            })
        });
        if cancel.is_cancelled() {
            return Err(SourceError::Cancelled);
        }
        let mut discovery = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
        discovery.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(discovery)
    }
}

/// One thread of the walk. It collects by itself and hands over at its end, so that threads do not wait.
struct Worker<'w> {
    scope: &'w Scope,
    merged: &'w Mutex<Discovery>,
    own: Discovery,
    /// The rules of the directory last seen, which is most often that of the next entry too.
    directory: Option<(String, Arc<DirectoryRules>)>,
}

impl Worker<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return self.skip(SkipReason::Unreadable, &error.to_string()),
        };
        if entry.path() == self.scope.root() {
            return WalkState::Continue;
        }
        let path = match self.scope.relative(entry.path()) {
            Ok(path) => path,
            Err(reason) => return self.skip(reason, &entry.path().to_string_lossy()),
        };
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return self.enter(path);
        }
        let rules = self.rules_of(rules::parent(&path));
        match self.scope.judge_file(&rules, &path, || entry.path().symlink_metadata()) {
            Ok(file) => self.own.files.push(file),
            Err(reason) => return self.skip(reason, &path),
        }
        WalkState::Continue
    }

    fn enter(&mut self, path: String) -> WalkState {
        let rules = self.scope.directory(&path);
        if !rules.is_open() {
            return self.skip(SkipReason::Ignored, &path);
        }
        self.directory = Some((path, rules));
        WalkState::Continue
    }

    /// Skips the entry, and with it all that a directory holds.
    fn skip(&mut self, reason: SkipReason, path: &str) -> WalkState {
        self.own.skipped.add(reason, path);
        WalkState::Skip
    }

    fn rules_of(&mut self, directory: &str) -> Arc<DirectoryRules> {
        if let Some((path, rules)) = &self.directory
            && path == directory
        {
            return Arc::clone(rules);
        }
        let rules = self.scope.directory(directory);
        self.directory = Some((directory.to_owned(), Arc::clone(&rules)));
        rules
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        merged.files.append(&mut self.own.files);
        merged.skipped.merge(&self.own.skipped);
    }
}
