//! The state of the index: what it holds, what is missing, and what the user should know about it.

mod activity;
mod pending;
mod progress;
mod usage;

use vectorcode_core::api::{Activity, Coverage, PendingFile, SpecialFiles, StatusResponse};
use vectorcode_core::{CancelToken, FileFlags, Phase, VERSION, shared_file_system};
use vectorcode_source::FoundFile;
use vectorcode_store::{IndexReader, IndexSize, LockRole};

pub(super) use self::usage::delete_usage;
pub use self::usage::{Use, UseTimer};
use super::Engine;
use crate::activity::Changes;
use crate::error::EngineError;
use crate::index::{self, CREATED, Detail, LAST_SYNC, skipped_counts};

/// If at most this many files have changed, they are read in full to tell whether they will be indexed. Otherwise
/// only their first bytes are.
const MAX_READ: usize = 256;

/// How much an index holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexCounts {
    pub files: u64,
    pub chunks: u64,
    /// Chunks that the provider has not embedded yet.
    pub pending: u64,
    pub last_sync_at: Option<String>,
    pub watched: bool,
}

impl Engine {
    pub fn status(&self) -> Result<StatusResponse, EngineError> {
        let mut status = self.with_repair(|| self.read_status())?;
        status.notes.extend(self.take_repair_note());
        Ok(status)
    }

    fn read_status(&self) -> Result<StatusResponse, EngineError> {
        let reader = self.reader()?;
        let stats = reader.stats()?;
        let coverage = Coverage { embedded: stats.embedded, total: stats.chunks };
        Ok(StatusResponse {
            project_root: self.project.root().display().to_string(),
            space: reader.spaces()?.provider,
            version: reader.meta("vectorcode_version")?.unwrap_or_else(|| VERSION.into()),
            created_at: reader.meta(CREATED)?.unwrap_or_default(),
            last_sync_at: reader.meta(LAST_SYNC)?,
            files: stats.files,
            chunks: stats.chunks,
            symbols: stats.symbols,
            commits: stats.commits,
            languages: stats.languages,
            database_bytes: stats.database_bytes,
            coverage,
            skipped: skipped_counts(&*reader)?,
            special: special_files(&stats.flags),
            pending: self.changed_files(&*reader)?,
            activity: with_coverage(self.activity(), coverage),
            watched: self.is_watched(),
            notes: self
                .artifacts()?
                .problems()
                .chain(self.settings.problems())
                .chain(self.watch_state.note())
                .chain(self.unfinished_note())
                .chain(self.structure_note())
                .chain(self.paused_note(stats.chunks.saturating_sub(stats.embedded + stats.refused)))
                .chain(self.store().database().map(|place| format!("The index is kept in {place}.")))
                .chain(self.index_place_note())
                .chain(self.project.shared_index_note())
                .chain(self.shared_files_note())
                .collect(),
        })
    }

    /// Whether some process watches the tree for changes.
    pub fn is_watched(&self) -> bool {
        self.store().is_locked(LockRole::Watch)
    }

    /// Where the index is: a directory or a database.
    pub fn index_place(&self) -> String {
        let directory =
            self.project.shared_index().map_or(self.project.index_directory(), |shared| &shared.directory);
        self.store().database().unwrap_or_else(|| directory.display().to_string())
    }

    /// Says why the index is not in the usual directory.
    pub(crate) fn index_place_note(&self) -> Option<String> {
        if self.store().database().is_some() { None } else { self.project.index_place_note() }
    }

    /// Says that a server scans the tree because the file system does not report all changes.
    fn shared_files_note(&self) -> Option<String> {
        let kind = shared_file_system(self.project.root())?;
        Some(format!(
            "The project is on a file system that does not report all changes ({kind}), so a server scans it every few \
             seconds. A local disk is faster; in WSL, that is a folder below /home."
        ))
    }

    /// How much the index holds, without looking at the disk.
    pub fn index_counts(&self) -> Result<IndexCounts, EngineError> {
        let reader = self.reader()?;
        let IndexSize { files, chunks } = reader.size()?;
        Ok(IndexCounts {
            files,
            chunks,
            pending: reader.pending_count()?,
            last_sync_at: reader.meta(LAST_SYNC)?,
            watched: self.is_watched(),
        })
    }

    /// The notes that go with every response.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> + use<> {
        self.take_repair_note()
            .into_iter()
            .chain(self.settings.problems())
            .chain(self.watch_state.note())
            .chain(self.unfinished_note())
            .chain(self.note_on_pending())
    }

    /// The notes that go with a response about structure.
    pub(crate) fn notes_on_structure(&self) -> impl Iterator<Item = String> + use<> {
        self.notes().chain(self.structure_note())
    }

    /// Says that no run has finished yet, so any answer may be incomplete.
    fn unfinished_note(&self) -> Option<String> {
        if self.is_complete() {
            return None;
        }
        let files = match self.reader().and_then(|reader| Ok(reader.size()?.files)).ok()? {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        };
        let why =
            if self.is_paused() { "The first index was cancelled" } else { "The index is still being built" };
        Some(format!("{why}, with {files} so far: results are incomplete."))
    }

    /// Says which work is paused because a caller cancelled it.
    fn paused_note(&self, pending_vectors: u64) -> Option<String> {
        self.is_paused().then(|| {
            format!(
                "Background work was cancelled: {pending_vectors} chunks have no vector. Changed files are still indexed; \
                 a reindex resumes the rest."
            )
        })
    }

    /// Files whose modification time or size on disk differs from the index.
    pub(super) fn changed_files(&self, reader: &dyn IndexReader) -> Result<Vec<PendingFile>, EngineError> {
        self.files_changed_by(self.watch_state.pending_changes(), reader)
    }

    /// The files among the pending changes that differ from the index.
    pub(super) fn files_changed_by(
        &self,
        pending: Changes,
        reader: &dyn IndexReader,
    ) -> Result<Vec<PendingFile>, EngineError> {
        if pending == Changes::None {
            return Ok(Vec::new());
        }
        let (scope, cancel) = (self.scope()?, CancelToken::default());
        let plan = match pending {
            Changes::Paths(paths) => {
                let paths = paths.iter().map(|path| self.project.relative(path));
                let paths = paths.collect::<Result<Vec<_>, _>>()?;
                index::some_paths(&scope, reader, &paths, Detail::Words, &cancel)?
            }
            Changes::None | Changes::Everything => index::whole_tree(&scope, reader, Detail::Words, &cancel)?,
        };
        // A file that cannot be read or is refused is not in the index and never will be: it holds a secret, or it is
        // a notebook with invalid JSON.
        let few = plan.candidates.len() <= MAX_READ;
        let is_fit = |file: &FoundFile| if few { scope.read(file).is_ok() } else { !scope.is_binary(file) };
        let indexable = |file: &FoundFile| plan.known.contains_key(&file.path) || is_fit(file);
        let changed = plan.candidates.into_iter().filter(indexable).map(|file| PendingFile {
            modified_secs_ago: crate::time::seconds_since(file.mtime_ns),
            path: file.path,
        });
        let gone = plan.removed.into_iter().map(|path| PendingFile { path, modified_secs_ago: 0 });
        Ok(changed.chain(gone).collect())
    }
}

/// Background embedding runs in slices, so the progress of one slice says little; the overall progress is the
/// coverage. A rebuild reports its own progress, because the old index is complete.
fn with_coverage(activity: Activity, coverage: Coverage) -> Activity {
    match activity {
        Activity::Running { phase: Phase::Embed, per_second, process, .. }
            if coverage.embedded < coverage.total =>
        {
            let Coverage { embedded: done, total } = coverage;
            Activity::Running { phase: Phase::Embed, done, total, per_second, process }
        }
        activity => activity,
    }
}

fn special_files(flags: &[(FileFlags, u64)]) -> SpecialFiles {
    let mut special = SpecialFiles::default();
    for (flags, files) in flags {
        special.add(*flags, *files);
    }
    special
}
