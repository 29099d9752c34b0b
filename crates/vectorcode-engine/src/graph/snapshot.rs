//! The edges between files at one version of the index, cached until the index changes or they are no longer used.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use vectorcode_core::{ContentClass, VersionedCache, lock};
use vectorcode_graph::{FileGraph, FileId, Import, Tree, TreeFile};
use vectorcode_source::traits_of;
use vectorcode_store::{IndexReader, SourceFile};

use crate::error::EngineError;
use crate::project::FileSource;

#[derive(Debug)]
pub(crate) struct Snapshot {
    pub files: FileGraph,
    is_code: Vec<bool>,
}

impl Snapshot {
    fn read(source: FileSource<'_>, reader: &dyn IndexReader) -> Result<Self, EngineError> {
        let sources = reader.source_files()?;
        let is_code = |file: &SourceFile| file.class == ContentClass::Code;
        let codes: Vec<bool> = sources.iter().map(is_code).collect();
        let tree_file = |file: SourceFile| TreeFile {
            traits: traits_of(&file.language),
            path: file.path,
            language: file.language,
            is_test: file.is_test,
        };
        let tree = Tree::new(sources.into_iter().map(tree_file).collect());
        let imports = reader.imports()?;
        let imports = imports
            .into_iter()
            .filter_map(|(path, statement)| Some(Import { from: tree.get(&path)?, statement }))
            .collect();
        let manifest = |path: &str| source.read_text(path).ok();
        Ok(Self { files: FileGraph::new(tree, imports, &manifest), is_code: codes })
    }

    pub fn is_code(&self, file: FileId) -> bool {
        self.is_code.get(file.0 as usize).copied().unwrap_or(false)
    }
}

/// Caches the last snapshot while the index stays the same and the snapshot is used.
#[derive(Debug, Default)]
pub(crate) struct SnapshotCell {
    snapshot: VersionedCache<i64, Snapshot>,
    used_at: Mutex<Option<Instant>>,
}

impl SnapshotCell {
    pub fn current(
        &self,
        source: FileSource<'_>,
        reader: &dyn IndexReader,
    ) -> Result<Arc<Snapshot>, EngineError> {
        let snapshot =
            self.snapshot.get_or_read(reader.files_version()?, || Snapshot::read(source, reader))?;
        *self.last_use() = Some(Instant::now());
        Ok(snapshot)
    }

    /// Drops the snapshot if it has not been used for `time`.
    pub fn forget_unused(&self, time: Duration) {
        if self.last_use().take_if(|used_at| used_at.elapsed() >= time).is_some() {
            self.snapshot.forget_unless_busy();
        }
    }

    fn last_use(&self) -> MutexGuard<'_, Option<Instant>> {
        lock(&self.used_at)
    }
}
