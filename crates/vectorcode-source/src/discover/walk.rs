//! Walks a whole project in parallel, on all cores.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ignore::{DirEntry, WalkBuilder, WalkState};
use vectorcode_core::{CancelToken, SkipReason, canonical, is_within, lock, parent_folder, with_slashes};

use super::rules::DirectoryRules;
use super::scope::{FoundFile, Scope};
use super::skipped::{Listing, Skipped};
use super::tree::{CommittedFiles, FileMetadata, Tree};
use crate::SourceError;

/// The result of [`Scope::choose`]: files of a commit that belong to the index.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    pub known: Vec<String>,
    pub new: Vec<FoundFile>,
    /// Number of files whose content is not in the repository, as in a partial clone.
    pub missing: u64,
}

/// The result of a walk.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// Sorted by path.
    pub files: Vec<FoundFile>,
    pub skipped: Skipped,
    /// Folders that could not be listed, and files that could not be reached. What is below them is unknown; it does not
    /// count as deleted.
    pub unreachable: Vec<String>,
}

impl Discovery {
    fn listing(listing: Listing) -> Self {
        Self { skipped: Skipped::new(listing), ..Self::default() }
    }
}

impl Scope {
    /// Finds all files of the project. A cancelled walk returns an error, because with a partial list the missing
    /// files would look deleted.
    pub fn discover(&self, cancel: &CancelToken) -> Result<Discovery, SourceError> {
        self.discover_under(Path::new(""), cancel)
    }

    /// Finds all files below one directory of the project, or a single file. The path is absolute or relative to the
    /// root.
    pub fn discover_under(&self, start: &Path, cancel: &CancelToken) -> Result<Discovery, SourceError> {
        self.discover_listing(start, Listing::Examples, cancel)
    }

    /// Like [`Scope::discover_under`], with a choice of how many skipped paths to keep.
    pub fn discover_listing(
        &self,
        start: &Path,
        listing: Listing,
        cancel: &CancelToken,
    ) -> Result<Discovery, SourceError> {
        let start = self.root().join(start);
        if let Tree::Commit(files) = self.tree() {
            return self.list(&**files, &start, listing, cancel);
        }
        if start.is_dir() && !start.is_symlink() {
            return self.walk(&start, listing, cancel);
        }
        let mut discovery = Discovery::listing(listing);
        match self.classify(&start) {
            Ok(file) => discovery.files.push(file),
            Err(reason) => {
                let path = self.relative(&start).unwrap_or_else(|_| start.to_string_lossy().into_owned());
                discovery.skipped.add(reason, &path);
                let is_unreachable = start.symlink_metadata().is_err_and(|error| may_be_there(&error));
                discovery.unreachable.extend(self.relative(&start).ok().filter(|_| is_unreachable));
            }
        }
        self.check_exhaustion()?;
        Ok(discovery)
    }

    /// The files of a commit at or below a path.
    fn list(
        &self,
        files: &dyn CommittedFiles,
        start: &Path,
        listing: Listing,
        cancel: &CancelToken,
    ) -> Result<Discovery, SourceError> {
        let mut discovery = Discovery::listing(listing);
        let Ok(start) = self.relative(start) else { return Ok(discovery) };
        for path in files.paths().iter().filter(|path| is_within(path, &start)) {
            check(cancel)?;
            match self.classify(Path::new(path)) {
                Ok(file) => discovery.files.push(file),
                Err(reason) => discovery.skipped.add(reason, path),
            }
        }
        Ok(discovery)
    }

    /// The files of a commit that belong to the index. Files for which `is_known` is true were read before: only the rules
    /// are checked for them, because even the size of a file requires reading its object.
    pub fn choose(
        &self,
        is_known: impl Fn(&str) -> bool,
        cancel: &CancelToken,
    ) -> Result<Chosen, SourceError> {
        let mut chosen = Chosen::default();
        let Tree::Commit(files) = self.tree() else { return Ok(chosen) };
        for path in files.paths() {
            check(cancel)?;
            if is_known(path) {
                if self.admits(path) {
                    chosen.known.push(path.clone());
                }
            } else {
                match self.classify(Path::new(path)) {
                    Ok(file) => chosen.new.push(file),
                    Err(SkipReason::Unreadable) => chosen.missing += 1,
                    Err(_) => {}
                }
            }
        }
        Ok(chosen)
    }

    /// The `ignore` crate does the walk. The filters are our own, because those of the crate cannot include a file
    /// below an ignored directory.
    fn walk(&self, start: &Path, listing: Listing, cancel: &CancelToken) -> Result<Discovery, SourceError> {
        let start =
            canonical(start).map_err(|cause| SourceError::Root { path: start.to_path_buf(), cause })?;
        let merged = Mutex::new(Discovery::listing(listing));
        let threads = startable_threads().map_err(|cause| SourceError::ResourceExhaustion { cause })?;
        let mut walk = WalkBuilder::new(start);
        let walk = walk.standard_filters(false).follow_links(false).threads(threads).build_parallel();
        walk.run(|| {
            let mut worker =
                Worker { scope: self, merged: &merged, own: Discovery::listing(listing), directory: None };
            Box::new(move |entry| {
                if cancel.is_cancelled() {
                    return WalkState::Quit;
                }
                worker.visit(entry)
            })
        });
        check(cancel)?;
        self.check_exhaustion()?;
        let mut discovery = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
        discovery.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(discovery)
    }
}

/// How many threads a walk can use: up to one per core and at most twelve, like the `ignore` crate's own choice. If a thread
/// cannot be started, that crate panics, and its other threads wait for that one forever. So starting them is tried first.
fn startable_threads() -> io::Result<usize> {
    let wanted = thread::available_parallelism().map_or(1, usize::from).min(12);
    let gate = Mutex::new(());
    let mut tried: Vec<io::Result<_>> = thread::scope(|scope| {
        // The threads end only after all have been tried, so that all of them exist at the same time.
        let _closed = gate.lock();
        let wait = || drop(gate.lock());
        (0..wanted).map(|_| thread::Builder::new().spawn_scoped(scope, wait).map(|_| ())).collect()
    });
    match tried.iter().filter(|started| started.is_ok()).count() {
        0 => tried.swap_remove(0).map(|()| 1),
        started => Ok(started),
    }
}

/// One thread of the walk. It collects its own results and merges them at the end, so that threads do not wait for a
/// lock.
struct Worker<'w> {
    scope: &'w Scope,
    merged: &'w Mutex<Discovery>,
    own: Discovery,
    /// The rules of the last directory, cached because the next entry is usually in the same one.
    directory: Option<(String, Arc<DirectoryRules>)>,
}

impl Worker<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                self.note_unlisted(&error);
                return self.skip(SkipReason::Unreadable, &error.to_string());
            }
        };
        if entry.path() == self.scope.root() {
            return WalkState::Continue;
        }
        let path = match self.scope.relative(entry.path()) {
            Ok(path) => path,
            Err(reason) => {
                let below = entry.path().strip_prefix(self.scope.root()).unwrap_or(entry.path());
                return self.skip(reason, &with_slashes(&below.to_string_lossy()));
            }
        };
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return self.enter(path);
        }
        let rules = self.rules_of(parent_folder(&path));
        let mut is_unreachable = false;
        let metadata = || {
            let found = entry.path().symlink_metadata();
            found.map(FileMetadata::from).inspect_err(|error| is_unreachable = may_be_there(error))
        };
        match self.scope.classify_file(&rules, &path, metadata) {
            Ok(file) => self.own.files.push(file),
            Err(reason) if is_unreachable => {
                self.own.unreachable.push(path.clone());
                return self.skip(reason, &path);
            }
            Err(reason) => return self.skip(reason, &path),
        }
        WalkState::Continue
    }

    fn enter(&mut self, path: String) -> WalkState {
        let rules = self.scope.directory(&path);
        if !rules.is_open() {
            return self.skip(self.scope.why_closed(&path), &path);
        }
        self.directory = Some((path, rules));
        WalkState::Continue
    }

    fn note_unlisted(&mut self, error: &ignore::Error) {
        let Some(cause) = error.io_error().filter(|cause| may_be_there(cause)) else { return };
        self.scope.note_exhaustion(cause);
        // An error without a path may concern any path.
        let path = path_of(error).map_or_else(|| Ok(String::new()), |path| self.scope.relative(path));
        self.own.unreachable.extend(path);
    }

    /// Skips the entry. For a directory, this skips everything in it.
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
        let mut merged = lock(self.merged);
        merged.files.append(&mut self.own.files);
        merged.skipped.merge(&self.own.skipped);
        merged.unreachable.append(&mut self.own.unreachable);
    }
}

fn check(cancel: &CancelToken) -> Result<(), SourceError> {
    if cancel.is_cancelled() { Err(SourceError::Cancelled) } else { Ok(()) }
}

/// Whether a path that cannot be reached may still exist: missing permissions, or an error of the disk or network.
fn may_be_there(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
