//! Reads the files of a commit into the index, except those whose content it already has.
//!
//! The same rules as on disk decide which files are indexed, because ignore files and attributes are read from the commit
//! too (`vectorcode_source::Scope::of_commit`).

use vectorcode_core::{CancelToken, Phase, ProgressSink};
use vectorcode_source::Scope;
use vectorcode_store::{FileRow, IndexWriter, StoredContent, TreeKey};

use super::meter::Meter;
use super::plan::{Detail, Plan};
use super::stage_one::{Destination, KnownVectors, StageOne};
use crate::error::EngineError;
use crate::project::CommitFiles;

/// One commit to read. The caller holds the write lock.
pub(crate) struct CommitTree<'a> {
    pub(crate) key: &'a TreeKey,
    pub(crate) files: &'a CommitFiles,
    /// The scope of the commit, not of the working tree.
    pub(crate) scope: &'a Scope,
    pub(crate) known_vectors: Option<KnownVectors<'a>>,
    pub(crate) threads: usize,
    pub(crate) sink: &'a dyn ProgressSink,
    pub(crate) cancel: &'a CancelToken,
}

impl CommitTree<'_> {
    pub(crate) fn read(&self, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
        let stored = writer.reader().contents()?;
        let known = |path: &str| self.row_among(path, stored.get(path)?);
        let chosen = self.scope.choose(|path| known(path).is_some(), self.cancel)?;
        let mut rows: Vec<FileRow> = chosen.known.iter().filter_map(|path| known(path)).collect();
        if !chosen.new.is_empty() {
            let plan = Plan { candidates: chosen.new, ..Plan::default() };
            self.read_new(&plan, writer)?;
            let stored = writer.reader().contents()?;
            let paths = plan.candidates.iter().map(|file| &file.path);
            rows.extend(paths.filter_map(|path| self.row_among(path, stored.get(path)?)));
        }
        Ok(writer.write_tree(self.key, &rows, chosen.missing)?)
    }

    fn read_new(&self, plan: &Plan, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
        let mut meter = Meter::start(self.sink, Phase::Chunk, plan.candidates.len() as u64);
        let (scope, known_vectors) = (self.scope, self.known_vectors);
        let (threads, cancel, destination) = (self.threads, self.cancel, Destination::Commit);
        StageOne { scope, plan, known_vectors, destination, threads, cancel }.run(writer, &mut meter)?;
        meter.finish();
        // A partial tree would be mistaken for the whole.
        if cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }

    /// The commit's content at this path, if the index has it in the current content version.
    fn row_among(&self, path: &str, stored: &[StoredContent]) -> Option<FileRow> {
        let blob = self.files.blob(path)?;
        let is_current = |content: &&StoredContent| Detail::Words.is_in(&content.state);
        let found = stored.iter().filter(is_current).find(|content| content.state.blob == Some(blob));
        found.map(|content| content.file)
    }
}
