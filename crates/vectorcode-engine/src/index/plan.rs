//! Compares the tree with the index: which files to read, and which to remove.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_core::api::SkippedCount;
use vectorcode_core::{CancelToken, ContentClass, is_within};
use vectorcode_source::{FoundFile, Scope};
use vectorcode_store::{ContentParts, ContentVersion, FileState, IndexReader, StoredContent};

use crate::error::EngineError;
use crate::time::now_ns;

/// How much of a file is indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Only the words, in windows of lines, if anything more would need a parser: searchable in a third of the time.
    Words,
    /// Also definitions, references and imports, and chunks that follow them.
    #[default]
    Structure,
}

impl Detail {
    /// The version of what this program writes for a file. Files with another version are read again.
    pub(crate) fn content_version(self) -> ContentVersion {
        let extractor = match self {
            Self::Words => NOTHING_EXTRACTED,
            Self::Structure => vectorcode_source::EXTRACTOR_VERSION,
        };
        ContentVersion::new(ContentParts {
            chunker: vectorcode_source::CHUNKER_VERSION,
            extractor,
            tokenizer: vectorcode_store::TOKENIZER_VERSION,
            embedded_text: vectorcode_core::EMBEDDED_TEXT_VERSION,
        })
    }

    /// Whether the index has at least this much detail of a file.
    pub(crate) fn is_in(self, state: &FileState) -> bool {
        let versions = match self {
            Self::Words => &[Self::Structure, Self::Words][..],
            Self::Structure => &[Self::Structure],
        };
        versions.iter().any(|detail| detail.content_version() == state.content_version)
    }
}

/// Stands for the extractor's version in files of which only the words were read.
const NOTHING_EXTRACTED: u16 = 0;

/// The point in time up to which the last run over the whole tree saw all changes, in the `meta` table (nanoseconds
/// since 1970).
pub(crate) const KNOWN_UNTIL: &str = "known_until_ns";

/// A file that is written normally gets its modification and change times within this interval, even if it is renamed
/// into place.
const OTHER_TIME_NS: u64 = 2_000_000_000;

/// File systems take change times from a clock that may be behind by this much.
const CLOCK_LAG_NS: i64 = 10_000_000;

/// Number of files that are read in sequence, because neighbours by path are usually close on the disk too.
const NEIGHBOURS: usize = 16;

/// How many files were linked to content that the index already had.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReusedContents {
    pub(crate) changed: u64,
    /// Of these, files that were new in the worktree.
    pub(crate) added: u64,
}

/// The work of one run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files that are new, whose time or size differs from the index, or that were written by another content
    /// version.
    pub(crate) candidates: Vec<FoundFile>,
    /// The index entries of candidates that are not new.
    pub(crate) known: HashMap<String, FileState>,
    /// The content that the index has at the paths of the candidates, from any worktree or commit.
    pub(crate) contents: HashMap<String, Vec<StoredContent>>,
    /// Files that need no reading because their content was known.
    pub(crate) reused: ReusedContents,
    /// Files of the index that no longer exist, or that the rules no longer admit.
    pub(crate) removed: Vec<String>,
    /// Folders and files of the index that cannot be read now. Their index entries stay.
    pub(crate) unreachable: Vec<String>,
    pub(crate) found: u64,
    /// How much of each candidate is read.
    pub(crate) detail: Detail,
    /// Known only after a walk of the whole tree.
    pub(crate) skipped: Option<Vec<SkippedCount>>,
    /// When the walk of the tree began.
    pub(crate) started_ns: i64,
}

/// Plans an update of the whole tree, at this level of detail.
pub(crate) fn whole_tree(
    scope: &Scope,
    reader: &dyn IndexReader,
    wanted: Detail,
    cancel: &CancelToken,
) -> Result<Plan, EngineError> {
    let started_ns = now_ns() - CLOCK_LAG_NS;
    let discovery = scope.discover(cancel)?;
    let mut plan = Plan { skipped: Some(discovery.skipped.counts()), started_ns, ..Plan::default() };
    plan.compare(discovery.files, reader.files()?, wanted, known_until(reader)?);
    plan.keep_unreachable(discovery.unreachable);
    plan.candidates = spread_over_tree(plan.candidates);
    Ok(plan)
}

/// Puts files, given sorted by path, in reading order: code first, and within each class spread over the whole tree,
/// at first with large gaps that the next rounds halve. A search does not wait until a large tree has been read. In
/// path order it would find only `Documentation` and `arch` of Linux, and nothing of `kernel` or `mm`.
fn spread_over_tree(files: Vec<FoundFile>) -> Vec<FoundFile> {
    let mut ordered: Vec<(usize, FoundFile)> = files.into_iter().enumerate().collect();
    ordered.sort_by_key(|(place, file)| {
        let is_code = file.language.class == ContentClass::Code;
        // Reversed bits order the multiples of a power of two before the numbers between them.
        (!is_code, (place / NEIGHBOURS).reverse_bits(), *place)
    });
    ordered.into_iter().map(|(_, file)| file).collect()
}

/// Plans an update of some files and directories, given relative to the root.
pub(crate) fn some_paths(
    scope: &Scope,
    reader: &dyn IndexReader,
    paths: &[String],
    wanted: Detail,
    cancel: &CancelToken,
) -> Result<Plan, EngineError> {
    let mut found: HashMap<String, FoundFile> = HashMap::new();
    let mut unreachable = Vec::new();
    for path in paths {
        let below = scope.discover_under(Path::new(path), cancel)?;
        found.extend(below.files.into_iter().map(|file| (file.path.clone(), file)));
        unreachable.extend(below.unreachable);
    }
    let known = reader.files_within(paths)?;
    let mut plan = Plan::default();
    plan.compare(found.into_values().collect(), known, wanted, known_until(reader)?);
    plan.keep_unreachable(unreachable);
    Ok(plan)
}

fn known_until(reader: &dyn IndexReader) -> Result<i64, EngineError> {
    let until = reader.meta(KNOWN_UNTIL)?.and_then(|until| until.parse().ok()).unwrap_or(i64::MAX);
    // A run with a future time was made before the clock was set back: it says nothing about the times of files.
    let is_ahead = until != i64::MAX && until > now_ns();
    Ok(if is_ahead { i64::MIN } else { until })
}

/// Whether a file was changed after the last run over the whole tree and then given another modification time, as
/// done by tools that preserve file times. It is read again even if its time and size match the index. If its content
/// matches too (its permissions or its name were changed), nothing else happens.
fn was_given_another_time(file: &FoundFile, known_until: i64) -> bool {
    file.changed_ns > known_until && file.changed_ns.abs_diff(file.mtime_ns) > OTHER_TIME_NS
}

impl Plan {
    fn compare(
        &mut self,
        found: Vec<FoundFile>,
        mut known: HashMap<String, FileState>,
        wanted: Detail,
        known_until: i64,
    ) {
        self.found = found.len() as u64;
        for file in found {
            match known.remove(&file.path) {
                Some(state)
                    if state.mtime_ns == file.mtime_ns
                        && state.size == file.size
                        && !was_given_another_time(&file, known_until)
                        && wanted.is_in(&state) => {}
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

    /// Keeps index entries for places that may exist but cannot be read: a folder without permission, a disk that is
    /// not mounted.
    fn keep_unreachable(&mut self, mut unreachable: Vec<String>) {
        let removed = &mut self.removed;
        unreachable.retain(|place| {
            let before = removed.len();
            removed.retain(|path| !is_within(path, place));
            removed.len() < before
        });
        self.unreachable = unreachable;
    }

    /// How many bytes of code there are to parse.
    pub(crate) fn code_bytes(&self) -> u64 {
        self.candidates.iter().filter(|file| file.language.has_grammar()).map(|file| file.size).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use vectorcode_core::SilentProgress;
    use vectorcode_core::api::IndexRequest;
    use vectorcode_core::config::Config;
    use vectorcode_source::by_path;
    use vectorcode_testkit::{FakeEmbedder, TempProject};

    use super::*;
    use crate::{Embedders, Engine, EngineOptions, Project, WhenLocked};

    fn found(path: String) -> FoundFile {
        let language = by_path(&path).expect("a known extension");
        FoundFile { path, mtime_ns: 0, changed_ns: 0, size: 0, language }
    }

    #[test]
    fn an_early_end_has_seen_code_of_all_folders() {
        let folders = ["arch", "block", "drivers", "fs", "kernel", "lib", "mm", "net", "sound", "virt"];
        let in_folder = |folder| (0..100).map(move |n| found(format!("{folder}/{n:03}.c")));
        let documents = (0..100).map(|n| found(format!("Documentation/{n:03}.md")));
        let files: Vec<FoundFile> = documents.chain(folders.into_iter().flat_map(in_folder)).collect();
        let ordered = spread_over_tree(files);
        assert_eq!(ordered.len(), 1100);
        assert!(ordered[1000..].iter().all(|file| file.path.ends_with(".md")), "documents come last");
        for folder in folders {
            let early = ordered[..400].iter().filter(|file| file.path.starts_with(folder)).count();
            assert!((20..=60).contains(&early), "{early} of 100 files of {folder}");
        }
    }

    /// Covers tools that preserve file times, and clocks that are set back: nobody can set the change time (ctime).
    #[cfg(unix)] // Windows records no change time.
    #[test]
    fn an_edit_that_keeps_time_and_size_is_read_whatever_the_clock_said_before() {
        let years = |count: u32| Duration::from_hours(24 * 365) * count;
        for time in [SystemTime::now() - years(1), SystemTime::now() + years(400)] {
            let files = TempProject::new(&[("a.rs", "fn apples() {}\n")]);
            let write = |text: &str| {
                files.write("a.rs", text);
                std::fs::File::options()
                    .write(true)
                    .open(files.path("a.rs"))
                    .unwrap()
                    .set_modified(time)
                    .unwrap();
            };
            let embedders = Embedders::fixed(Arc::new(FakeEmbedder::new(8)));
            let options = EngineOptions { embedders, ..EngineOptions::default() };
            let engine = Engine::new(Project::at(files.root()).unwrap(), Config::default(), options);
            let index = || {
                let request = IndexRequest { stage_one_only: true, ..IndexRequest::default() };
                engine.index(&request, WhenLocked::Wait, &SilentProgress, &CancelToken::default()).unwrap()
            };
            write("fn apples() {}\n");
            index();
            let next_year = now_ns() + years(1).as_nanos() as i64;
            engine.store().writer().unwrap().set_meta(KNOWN_UNTIL, &next_year.to_string()).unwrap();
            write("fn orange() {}\n");
            assert_eq!(index().files_changed, 1, "{time:?}");
        }
    }
}
