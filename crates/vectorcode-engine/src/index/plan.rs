//! Compares the tree with the index: which files to read, which to remove.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_core::api::SkippedCount;
use vectorcode_core::{CancelToken, is_within};
use vectorcode_source::{FoundFile, Scope};
use vectorcode_store::{ContentParts, ContentVersion, FileState, IndexReader};

use crate::EngineError;

/// What this program makes of a file. Files that were written by another version are read again.
pub(crate) fn content_version() -> ContentVersion {
    ContentVersion::new(ContentParts {
        chunker: vectorcode_source::CHUNKER_VERSION,
        extractor: vectorcode_source::EXTRACTOR_VERSION,
        tokenizer: vectorcode_store::TOKENIZER_VERSION,
        embedded_text: vectorcode_core::EMBEDDED_TEXT_VERSION,
    })
}

/// The work of one run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files whose time or size differs from the index, that another version of the program wrote, or that are new.
    pub(crate) candidates: Vec<FoundFile>,
    /// What the index knows of those that are not new.
    pub(crate) known: HashMap<String, FileState>,
    /// Files of the index that are gone, or that the rules no longer admit.
    pub(crate) removed: Vec<String>,
    pub(crate) found: u64,
    /// Only a walk of the whole tree knows these.
    pub(crate) skipped: Option<Vec<SkippedCount>>,
}

/// Plans for the whole tree.
pub(crate) fn whole_tree(
    scope: &Scope,
    reader: &dyn IndexReader,
    cancel: &CancelToken,
) -> Result<Plan, EngineError> {
    let discovery = scope.discover(cancel)?;
    let mut plan = Plan { skipped: Some(discovery.skipped.counts()), ..Plan::default() };
    plan.compare(discovery.files, reader.files()?);
    Ok(plan)
}

/// Plans for some files and directories, given relative to the root.
pub(crate) fn some_paths(
    scope: &Scope,
    reader: &dyn IndexReader,
    paths: &[String],
    cancel: &CancelToken,
) -> Result<Plan, EngineError> {
    let mut found: HashMap<String, FoundFile> = HashMap::new();
    for path in paths {
        let below = scope.discover_under(Path::new(path), cancel)?;
        found.extend(below.files.into_iter().map(|file| (file.path.clone(), file)));
    }
    let is_meant = |path: &str| paths.iter().any(|meant| is_within(path, meant));
    let known = reader.files()?.into_iter().filter(|(path, _)| is_meant(path)).collect();
    let mut plan = Plan::default();
    plan.compare(found.into_values().collect(), known);
    Ok(plan)
}

impl Plan {
    fn compare(&mut self, found: Vec<FoundFile>, mut known: HashMap<String, FileState>) {
        self.found = found.len() as u64;
        for file in found {
            match known.remove(&file.path) {
                Some(state)
                    if state.mtime_ns == file.mtime_ns
                        && state.size == file.size
                        && state.content_version == content_version() => {}
                Some(state) => {
                    self.known.insert(file.path.clone(), state);
                    self.candidates.push(file);
                }
                None => self.candidates.push(file),
            }
        }
        self.removed = known.into_keys().collect();
        self.removed.sort_unstable();
    }
}
