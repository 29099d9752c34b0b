//! The operating system's file events, filtered by the project's own rules.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use notify::event::{Event, EventKind, ModifyKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use vectorcode_core::SkipReason;
use vectorcode_source::Scope;

use super::changes::{Changes, Collector};
use crate::{Engine, EngineError, context};

/// On Linux a watch is per directory and costs memory of the kernel, so ignored ones get none. Elsewhere one watch
/// covers a tree, and events of ignored directories are dropped as they come.
const WATCH_EACH_DIRECTORY: bool = cfg!(target_os = "linux");

/// Watches a project as long as it lives.
pub(crate) struct TreeWatcher {
    watcher: RecommendedWatcher,
    scope: Arc<RwLock<Scope>>,
}

impl TreeWatcher {
    pub(crate) fn start(engine: &Engine, collector: &Arc<Collector>) -> Result<Self, EngineError> {
        let scope = Arc::new(RwLock::new(engine.scope()?));
        let watcher = RecommendedWatcher::new(handler(&scope, collector), Config::default())?;
        let mut started = Self { watcher, scope };
        started.cover(engine.project().root())?;
        Ok(started)
    }

    /// Takes up what came with the changes: new directories, and new rules.
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
                // It went while we were walking.
                Err(_) if !directory.exists() => continue,
                other => other?,
            }
            waiting.extend(self.entered_below(&directory));
        }
        Ok(())
    }

    fn entered_below(&self, directory: &Path) -> Vec<PathBuf> {
        let scope = self.scope.read().unwrap_or_else(PoisonError::into_inner);
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .filter(|path| scope.enters(path))
            .collect()
    }
}

fn handler(
    scope: &Arc<RwLock<Scope>>,
    collector: &Arc<Collector>,
) -> impl Fn(notify::Result<Event>) + Send + 'static + use<> {
    let (scope, collector) = (scope.clone(), collector.clone());
    move |event| match event {
        Ok(event) if event.need_rescan() => collector.add_everything(),
        Ok(event) if changes_content(event.kind) => {
            let scope = scope.read().unwrap_or_else(PoisonError::into_inner);
            event.paths.into_iter().for_each(|path| note(&scope, &collector, path));
        }
        Ok(_) => {}
        Err(error) => {
            tracing::debug!(%error, "file events were lost");
            collector.add_everything();
        }
    }
}

fn changes_content(kind: EventKind) -> bool {
    !matches!(kind, EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)))
}

fn note(scope: &Scope, collector: &Collector, path: PathBuf) {
    if Scope::is_rule_file(&path) || context::is_definition_file(&path) {
        collector.add_everything();
    } else if matters(scope, &path) {
        collector.add(path);
    }
}

/// Whether the index may have to change with this path.
fn matters(scope: &Scope, path: &Path) -> bool {
    match scope.judge(path) {
        // Unreadable is also what a deleted file is.
        Ok(_) | Err(SkipReason::Unreadable) => true,
        // A deleted directory has no extension that tells, and no kind any more.
        Err(SkipReason::UnknownType) if !path.exists() => true,
        Err(_) => path.is_dir() && scope.enters(path),
    }
}
