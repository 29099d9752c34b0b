//! A first index that has only the words of most files: large trees are searchable sooner so. A search reads the rest of the
//! files that answer it, a server that of all files in the background, and a question about structure says what it lacks.

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
/// Reading structure changes which hits are best, so the search is repeated until all of its best hits have theirs, at most this
/// often. The same question then gets the same answer.
const ROUNDS: usize = 5;
/// How long that may take, with the wait for a pass over all files to end. Enough for a busy machine; mostly it takes a tenth.
const BEST_TIME: Duration = Duration::from_secs(3);
/// How long a question about structure waits for that of the whole project.
const STRUCTURE_TIME: Duration = Duration::from_secs(5);

impl Engine {
    /// Whether definitions, references and imports of some files are still to be read.
    pub fn lacks_structure(&self) -> bool {
        self.reader().and_then(|reader| has_words_only(&*reader)).unwrap_or(false)
    }

    /// Reads the structure of all files, until the token is cancelled. A later call goes on.
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
        self.repairing(ask).map_err(|error| match error {
            EngineError::UnknownSymbol { name, .. } if self.lacks_structure() => {
                let (read, total) = self.structure_progress().unwrap_or_default();
                EngineError::StructureNotRead { name, read, total }
            }
            error => error,
        })
    }

    /// Of how many files the structure is read, and how many there are.
    fn structure_progress(&self) -> Result<(u64, u64), EngineError> {
        let reader = self.reader()?;
        let paths: Vec<String> = reader.source_files()?.into_iter().map(|file| file.path).collect();
        let states = reader.files_within(&paths)?;
        let read = states.iter().filter(|(_, state)| Detail::Structure.is_in(state)).count();
        Ok((read as u64, states.len() as u64))
    }

    fn wait_for_structure(&self) {
        if self.commit().is_some() || !self.lacks_structure() || self.is_held() {
            return;
        }
        if let Err(error) = self.read_structure(&CancelToken::expiring(STRUCTURE_TIME)) {
            tracing::debug!(%error, "the structure of the project was not read");
        }
    }

    /// Before a search: reads the structure of files that are likely to answer, so that they are cut along functions and ranked
    /// by what they define. Where somebody else writes for long, the words have to do.
    pub(crate) fn read_structure_for(&self, key: &SearchKey, cancel: &CancelToken) {
        // A second page has to be of the same ranking as the first.
        if self.commit().is_some()
            || key.depth == Depth::Glance
            || key.request.cursor.is_some()
            || !self.lacks_structure()
        {
            return;
        }
        // The words of all files are being read, which is not waited for.
        if !self.is_complete() || self.is_held() {
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
            // One that was interrupted a moment ago is waited for; it ends soon.
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

    /// What an answer about structure may lack, as a sentence.
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

/// The same question for the best by words and static vectors.
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
