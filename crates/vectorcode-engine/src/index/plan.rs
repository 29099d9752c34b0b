//! Compares the tree with the index: which files to read, which to remove.

use std::collections::HashMap;
use std::path::Path;

use vectorcode_core::api::SkippedCount;
use vectorcode_core::{CancelToken, ContentClass, is_within};
use vectorcode_source::{FoundFile, Scope};
use vectorcode_store::{ContentParts, ContentVersion, FileState, IndexReader, StoredContent};

use crate::error::EngineError;
use crate::time::now_ns;

/// How much of a file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Its words, in windows of lines, where more would need a parser: searchable in a third of the time.
    Words,
    /// Definitions, references and imports too, and chunks along them.
    #[default]
    Structure,
}

impl Detail {
    /// What this program makes of a file. Files that were written by another version are read again.
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

    /// Whether the index has at least this much of a file.
    pub(crate) fn is_in(self, state: &FileState) -> bool {
        let versions = match self {
            Self::Words => &[Self::Structure, Self::Words][..],
            Self::Structure => &[Self::Structure],
        };
        versions.iter().any(|detail| detail.content_version() == state.content_version)
    }
}

/// In place of the extractor's version, for files of which only the words were read.
const NOTHING_EXTRACTED: u16 = 0;

/// Up to when the last run over the whole tree knew the files, in the `meta` table (nanoseconds since 1970).
pub(crate) const KNOWN_UNTIL: &str = "known_until_ns";

/// A file that is written in the ordinary way gets both times within this time, even if it is renamed into place.
const OTHER_TIME_NS: u64 = 2_000_000_000;

/// File systems take the time of a change from a clock that may be this much behind.
const CLOCK_LAG_NS: i64 = 10_000_000;

/// Files that are read together, because they are near each other on the disk too.
const NEIGHBOURS: usize = 16;

/// How many files took contents that the index had.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Linked {
    pub(crate) changed: u64,
    /// Of these, files that the work tree did not have.
    pub(crate) added: u64,
}

/// The work of one run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Files whose time or size differs from the index, that another version of the program wrote, or that are new.
    pub(crate) candidates: Vec<FoundFile>,
    /// What the index knows of those that are not new.
    pub(crate) known: HashMap<String, FileState>,
    /// What the index has at the paths of the candidates, whoever has it.
    pub(crate) contents: HashMap<String, Vec<StoredContent>>,
    /// Files that were no candidates because their content was known.
    pub(crate) linked: Linked,
    /// Files of the index that are gone, or that the rules no longer admit.
    pub(crate) removed: Vec<String>,
    /// Folders and files of the index that cannot be read now. What it has of them stays.
    pub(crate) unreachable: Vec<String>,
    pub(crate) found: u64,
    /// How much is read of the candidates.
    pub(crate) detail: Detail,
    /// Only a walk of the whole tree knows these.
    pub(crate) skipped: Option<Vec<SkippedCount>>,
    /// When the tree was walked.
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
    plan.candidates = from_all_over(plan.candidates);
    Ok(plan)
}

/// Puts files that are sorted by path in the order in which they are read: code first, and each kind from all over the tree,
/// at first with large gaps, which the next rounds halve. A search does not wait until a large tree is read. In the order
/// of paths, what answers it would be `Documentation` and `arch` of Linux, and nothing of `kernel` or `mm`.
fn from_all_over(files: Vec<FoundFile>) -> Vec<FoundFile> {
    let mut ordered: Vec<(usize, FoundFile)> = files.into_iter().enumerate().collect();
    ordered.sort_by_key(|(place, file)| {
        let is_code = file.language.class == ContentClass::Code;
        // Reversed bits order the multiples of a power of two before the numbers between them.
        (!is_code, (place / NEIGHBOURS).reverse_bits(), *place)
    });
    ordered.into_iter().map(|(_, file)| file).collect()
}

/// Plans for some files and directories, given relative to the root.
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
    // A run in the future was before the clock was set back: it tells nothing about times.
    let is_ahead = until != i64::MAX && until > now_ns();
    Ok(if is_ahead { i64::MIN } else { until })
}

/// Whether a file was changed after the last run over the whole tree, and its time was then set to another one, as some tools
/// do that keep the times of files. It is read again even if time and size are those of the index. If its content is the
/// same too (its permissions were changed, or its name), nothing comes of it.
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

    /// Leaves in the index what may be there and cannot be seen: a folder without permission, a disk that is not mounted.
    fn keep_unreachable(&mut self, mut unreachable: Vec<String>) {
        let removed = &mut self.removed;
        unreachable.retain(|place| {
            let before = removed.len();
            removed.retain(|path| !is_within(path, place));
            removed.len() < before
        });
        self.unreachable = unreachable;
    }

    /// How many bytes there are to parse.
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
        let ordered = from_all_over(files);
        assert_eq!(ordered.len(), 1100);
        assert!(ordered[1000..].iter().all(|file| file.path.ends_with(".md")), "documents come last");
        for folder in folders {
            let early = ordered[..400].iter().filter(|file| file.path.starts_with(folder)).count();
            assert!((20..=60).contains(&early), "{early} of 100 files of {folder}");
        }
    }

    /// Tools that keep the times of files, and clocks that are set back: the change itself has a time that nobody can set.
    #[cfg(unix)] // Windows notes no time of such a change.
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
