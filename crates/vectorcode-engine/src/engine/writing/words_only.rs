//! A first index that has only the words of most files, so that large trees become searchable sooner. A search reads
//! the structure of the files that match best, a server reads that of all files in the background, and a structure
//! query reports what is missing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use vectorcode_core::api::{IndexRequest, SearchMode, SearchRequest, SearchTarget};
use vectorcode_core::{CancelToken, SilentProgress};

use crate::engine::{Engine, WhenLocked};
use crate::error::EngineError;
use crate::index::{Detail, has_words_only};
use crate::search::{Depth, SearchKey};

/// The structure of the files with at least this many best hits is read before a search is answered.
const BEST_HITS: usize = 10;
/// Reading structure changes which hits are best, so the search is repeated until all of its best hits have theirs,
/// at most this often. Repeating the same query then gives the same result.
const ROUNDS: usize = 5;
/// Time limit for that, including the wait for a structure pass that is still ending. Generous for a busy machine; it
/// mostly takes a tenth.
const BEST_TIME: Duration = Duration::from_secs(3);
/// How long a structure query waits for the structure of the whole project.
const STRUCTURE_TIME: Duration = Duration::from_secs(5);

impl Engine {
    /// Whether definitions, references and imports of some files have not been read yet.
    pub fn lacks_structure(&self) -> bool {
        self.reader().and_then(|reader| has_words_only(&*reader)).unwrap_or(false)
    }

    /// Reads the structure of all files until the token is cancelled. A later call continues.
    pub(crate) fn read_structure(&self, cancel: &CancelToken) -> Result<(), EngineError> {
        self.read_structure_in(Vec::new(), WhenLocked::Wait, cancel)
    }

    /// Answers a query about structure after reading the files that still lack it, or after waiting for the process that is
    /// reading them. If that takes too long, a note says that the answer is incomplete.
    pub(crate) fn with_structure<T>(
        &self,
        ask: impl Fn() -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.wait_for_structure();
        self.with_repair(ask).map_err(|error| match error {
            EngineError::UnknownSymbol { name, .. } if self.lacks_structure() => {
                let (read, total) = self.structure_progress().unwrap_or_default();
                EngineError::StructureNotRead { name, read, total }
            }
            error => error,
        })
    }

    /// The number of files whose structure has been read, and of all files.
    fn structure_progress(&self) -> Result<(u64, u64), EngineError> {
        let reader = self.reader()?;
        let paths: Vec<String> = reader.source_files()?.into_iter().map(|file| file.path).collect();
        let states = reader.files_within(&paths)?;
        let read = states.iter().filter(|(_, state)| Detail::Structure.is_in(state)).count();
        Ok((read as u64, states.len() as u64))
    }

    fn wait_for_structure(&self) {
        if self.commit().is_some() || !self.lacks_structure() || self.is_paused() {
            return;
        }
        if let Err(error) = self.read_structure(&CancelToken::expiring(STRUCTURE_TIME)) {
            tracing::debug!(%error, "the structure of the project was not read");
        }
    }

    /// Before a search: reads the structure of the files that are likely to match, so that they are chunked by
    /// function and ranked by what they define. If another process holds the write lock for long, the words have to
    /// do.
    pub(crate) fn read_structure_for(&self, key: &SearchKey, cancel: &CancelToken) {
        // A second page must come from the same ranking as the first.
        if self.commit().is_some()
            || key.depth == Depth::Glance
            || key.request.cursor.is_some()
            || !self.lacks_structure()
        {
            return;
        }
        // The words of all files are still being read, which is not waited for.
        if !self.is_complete() || self.is_paused() {
            return;
        }
        if key.request.is_about_structure() {
            return self.wait_for_structure();
        }
        if let Err(error) = self.read_structure_of_best(key, cancel) {
            tracing::debug!(%error, "the structure of the best hits was not read");
        }
    }

    fn read_structure_of_best(&self, key: &SearchKey, cancel: &CancelToken) -> Result<(), EngineError> {
        let until = CancelToken::expiring(BEST_TIME);
        for _ in 0..ROUNDS {
            let files = self.files_without_structure(key, cancel)?;
            if files.is_empty() || until.is_cancelled() {
                break;
            }
            // Waits for a structure pass that was interrupted just now; it ends soon.
            self.watch_state().interrupt_structure_pass();
            self.read_structure_in(files, WhenLocked::Wait, &until)?;
        }
        Ok(())
    }

    fn files_without_structure(
        &self,
        key: &SearchKey,
        cancel: &CancelToken,
    ) -> Result<Vec<PathBuf>, EngineError> {
        let result = self.indexed_result(&by_words(key), cancel)?;
        let mut best: BTreeSet<String> = result.paths().map(str::to_owned).collect();
        if let SearchTarget::Location { path, .. } = &key.request.target {
            best.insert(path.clone());
        }
        let best: Vec<String> = best.into_iter().collect();
        let states = self.reader()?.files_within(&best)?;
        let unread = states.into_iter().filter(|(_, state)| !Detail::Structure.is_in(state));
        Ok(unread.map(|(path, _)| PathBuf::from(path)).collect())
    }

    fn read_structure_in(
        &self,
        paths: Vec<PathBuf>,
        when_locked: WhenLocked,
        cancel: &CancelToken,
    ) -> Result<(), EngineError> {
        let request = IndexRequest { paths, ..IndexRequest::before_structure() };
        self.index(&request, when_locked, &SilentProgress, cancel).map(drop)
    }

    /// What a structure response may lack, as a sentence.
    pub(crate) fn structure_note(&self) -> Option<String> {
        self.lacks_structure().then(|| {
            let advice = if self.is_watched() {
                "Ask again in a few seconds."
            } else {
                "`vectorcode index` reads them."
            };
            let (read, total) = self.structure_progress().unwrap_or_default();
            format!(
                "Definitions, calls and imports of {} of {total} files are not read yet. {advice}",
                total.saturating_sub(read)
            )
        })
    }
}

/// The same request ranked by words and static vectors only.
fn by_words(key: &SearchKey) -> SearchKey {
    let request = SearchRequest {
        limit: BEST_HITS.max(key.request.limit),
        threshold: Some(0.0),
        mode: SearchMode::Fast,
        explain: false,
        ..key.request.clone()
    };
    SearchKey { request, ..key.clone() }
}
