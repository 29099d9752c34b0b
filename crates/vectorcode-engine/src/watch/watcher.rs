//! File events from the operating system, filtered by the project's own rules.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use notify::event::{Event, EventKind, ModifyKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use vectorcode_core::SkipReason;
use vectorcode_source::Scope;

use crate::activity::{ChangeFeed, Changes};
use crate::context;
use crate::engine::Engine;
use crate::error::EngineError;

/// On Linux a watch covers one directory and costs kernel memory, so ignored directories get none. On other systems
/// one watch covers a tree, and events from ignored directories are dropped when they arrive.
const WATCH_EACH_DIRECTORY: bool = cfg!(target_os = "linux");

/// Watches a project until dropped.
pub(crate) struct TreeWatcher {
    watcher: RecommendedWatcher,
    scope: Arc<RwLock<Scope>>,
}

impl TreeWatcher {
    pub(crate) fn start(engine: &Engine, feed: &Arc<ChangeFeed>) -> Result<Self, EngineError> {
        let scope = Arc::new(RwLock::new(engine.scope()?));
        let watcher = RecommendedWatcher::new(handler(&scope, feed), Config::default())?;
        let mut started = Self { watcher, scope };
        started.cover(engine.project().root())?;
        Ok(started)
    }

    /// Watches new directories among the changes, and applies changed ignore rules.
    pub(crate) fn follow(&mut self, changes: &Changes, engine: &Engine) -> Result<(), EngineError> {
        match changes {
            Changes::None => Ok(()),
            Changes::Everything => {
                *self.scope.write().unwrap_or_else(PoisonError::into_inner) = engine.scope()?;
                self.cover_new(engine.project().root())
            }
            Changes::Paths(paths) => paths.iter().try_for_each(|path| self.cover_new(path)),
        }
    }

    fn cover_new(&mut self, path: &Path) -> Result<(), EngineError> {
        if WATCH_EACH_DIRECTORY && path.is_dir() { self.cover(path) } else { Ok(()) }
    }

    fn cover(&mut self, directory: &Path) -> Result<(), EngineError> {
        if !WATCH_EACH_DIRECTORY {
            return Ok(self.watcher.watch(directory, RecursiveMode::Recursive)?);
        }
        let mut waiting = vec![directory.to_path_buf()];
        while let Some(directory) = waiting.pop() {
            match self.watcher.watch(&directory, RecursiveMode::NonRecursive) {
                // Its files cannot be read either.
                Err(error) if is_permission_denied(&error) => continue,
                // It was deleted during the walk.
                Err(_) if !directory.exists() => continue,
                other => other?,
            }
            waiting.extend(self.watched_below(&directory));
        }
        Ok(())
    }

    fn watched_below(&self, directory: &Path) -> Vec<PathBuf> {
        let scope = self.scope.read().unwrap_or_else(PoisonError::into_inner);
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .filter(|path| scope.enters(path))
            .collect()
    }
}

fn is_permission_denied(error: &notify::Error) -> bool {
    matches!(&error.kind, notify::ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied)
}

fn handler(
    scope: &Arc<RwLock<Scope>>,
    feed: &Arc<ChangeFeed>,
) -> impl Fn(notify::Result<Event>) + Send + 'static + use<> {
    let (scope, feed) = (scope.clone(), feed.clone());
    move |event| match event {
        Ok(event) if event.need_rescan() => feed.add_everything(),
        Ok(event) if changes_content(event.kind) => {
            let scope = scope.read().unwrap_or_else(PoisonError::into_inner);
            event.paths.into_iter().for_each(|path| record(&scope, &feed, path));
        }
        Ok(_) => {}
        Err(error) => {
            tracing::debug!(%error, "file events were lost");
            feed.add_everything();
        }
    }
}

fn changes_content(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)))
}

fn record(scope: &Scope, feed: &ChangeFeed, path: PathBuf) {
    if Scope::is_rule_file(&path) || context::is_definition_file(&path) {
        feed.add_everything();
    } else if may_change_index(scope, &path) {
        feed.add(path);
    }
}

/// Whether a change at this path may affect the index.
fn may_change_index(scope: &Scope, path: &Path) -> bool {
    // The index has no such file, and cannot be queried for it.
    if !has_utf8_name(scope, path) {
        return false;
    }
    match scope.classify(path) {
        // A deleted file is unreadable too.
        Ok(_) | Err(SkipReason::Unreadable) => true,
        // A deleted directory: its name has no extension to judge by, and its type is no longer known.
        Err(SkipReason::UnknownType) if !path.exists() => true,
        Err(_) => path.is_dir() && scope.enters(path),
    }
}

/// Whether the path is valid UTF-8, as paths in the index are. The root's own path does not count.
fn has_utf8_name(scope: &Scope, path: &Path) -> bool {
    path.strip_prefix(scope.root()).unwrap_or(path).to_str().is_some()
}
