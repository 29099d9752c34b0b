//! The files in a pool of candidates, and the facts derived from their paths, computed once per file.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::Candidate;
use super::path_kind::{PathKind, folders_and_name, spoken_name};
use super::query::Query;
use super::question::{Mention, MentionKind, OTHER_FILE, PathParts};
use super::words::{NameOverlap, WordMatcher, WordSet};

/// What a path says about all chunks of its file.
pub(crate) struct PathFacts {
    pub kind: PathKind,
    pub name: NameOverlap,
    /// Words of the query in the names of the folders.
    pub folders: WordSet,
    /// Words of the query anywhere in the path.
    pub words: WordSet,
    pub depth: f32,
    /// How certainly the query names this path, from 0 to 1.
    pub named: f32,
    /// The index of the query's name that is also the name of the file.
    pub name_written: Option<usize>,
    /// What its name has in common with the title of a report.
    pub title_name: NameOverlap,
    /// Words of the title in the names of the folders.
    pub title_folders: WordSet,
    pub mentioned: Mentioned,
    /// The lines of this file that the query names.
    pub named_lines: Vec<u32>,
}

/// How certainly the query names a file, for each way of naming one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Mentioned {
    pub as_path: f32,
    pub as_module: f32,
    /// In a stack trace: the first frame in the project's own code counts most.
    pub in_trace: f32,
}

impl Mentioned {
    fn of(path: &PathParts, mentions: &[WeighedMention<'_>]) -> Self {
        let mut mentioned = Self::default();
        for WeighedMention { mention, weight, alike } in mentions {
            let likeness = mention.likeness(path) * weight * sure_of_one(*alike, || mention.is_all_of(path));
            let known = match mention.kind {
                MentionKind::Path => &mut mentioned.as_path,
                MentionKind::Module => &mut mentioned.as_module,
                MentionKind::Frame => &mut mentioned.in_trace,
            };
            *known = known.max(likeness);
        }
        mentioned
    }
}

/// How certainly one file is meant when `alike` files end as the query writes it. A path written in full is certain.
fn sure_of_one(alike: usize, is_written_in_full: impl FnOnce() -> bool) -> f32 {
    if alike <= 1 || is_written_in_full() { 1.0 } else { 1.0 / (alike as f32).sqrt() }
}

/// A mention in the query, and how much it counts.
struct WeighedMention<'q> {
    mention: &'q Mention,
    weight: f32,
    /// How many files may be meant. 1 for a frame that includes a folder, because its function tells which file is
    /// meant.
    alike: usize,
}

/// A frame counts less the more of the project's own frames precede it. Frames of libraries do not count here.
fn weighed<'q>(mentions: &'q [Mention], paths: &[PathParts]) -> Vec<WeighedMention<'q>> {
    let mut frames = 0;
    let alike = |mention: &Mention| paths.iter().filter(|path| mention.likeness(path) >= 1.0).count();
    let weigh = |mention: &'q Mention| {
        if mention.kind == MentionKind::Path {
            return WeighedMention { mention, weight: 1.0, alike: alike(mention) };
        }
        if mention.kind == MentionKind::Module {
            return WeighedMention { mention, weight: 1.0, alike: 1 };
        }
        let weight = 4.0 / (4.0 + frames as f32);
        let is_own = paths.iter().any(|path| mention.likeness(path) > OTHER_FILE);
        frames += usize::from(is_own);
        let alike = if mention.segments.len() == 1 { alike(mention) } else { 1 };
        WeighedMention { mention, weight, alike }
    };
    mentions.iter().map(weigh).collect()
}

/// A path that the query names, and how many files it may refer to.
struct NamedPath<'q> {
    path: &'q str,
    alike: usize,
}

impl NamedPath<'_> {
    fn likeness(&self, path: &str) -> f32 {
        let is_written_in_full = || path.eq_ignore_ascii_case(self.path);
        if is_named(path, self.path) { sure_of_one(self.alike, is_written_in_full) } else { 0.0 }
    }
}

/// What folders say about every file in them.
#[derive(Clone, Copy)]
struct FolderFacts {
    kind: PathKind,
    /// Words of the query in the names of the folders.
    words: WordSet,
    /// Words of the title in the names of the folders.
    title_words: WordSet,
    depth: f32,
}

impl FolderFacts {
    fn of(folders: &str, query: &Query, matchers: &Matchers<'_>) -> Self {
        let words = matchers.all.overlap(folders).words;
        let title_words = if query.report.is_some() { matchers.title.overlap(folders).words } else { words };
        let depth = if folders.is_empty() { 0 } else { 1 + folders.matches('/').count() };
        Self { kind: PathKind::of_folders(folders), words, title_words, depth: depth as f32 / 10.0 }
    }
}

impl PathFacts {
    fn of(
        path: &str,
        folders: FolderFacts,
        query: &Query,
        matchers: &Matchers<'_>,
        mentions: &[WeighedMention<'_>],
        named: &[NamedPath<'_>],
    ) -> Self {
        let parts = (!mentions.is_empty()).then(|| PathParts::of(path));
        let spoken = spoken_name(path);
        let file_name = folders_and_name(path).1;
        let name = matchers.all.overlap(spoken);
        Self {
            kind: folders.kind.and_name(file_name),
            name,
            folders: folders.words,
            words: folders.words.union(matchers.all.overlap(file_name).words),
            depth: folders.depth,
            named: named.iter().map(|named| named.likeness(path)).fold(0.0, f32::max),
            name_written: name_written(spoken, query),
            // A short query is its own title.
            title_name: if query.report.is_some() { matchers.title.overlap(spoken) } else { name },
            title_folders: folders.title_words,
            mentioned: parts.as_ref().map_or_else(Mentioned::default, |parts| Mentioned::of(parts, mentions)),
            named_lines: parts.map_or_else(Vec::new, |parts| named_lines(&parts, query)),
        }
    }
}

/// The index of the query's name that equals the name of this file, ignoring case and separators.
fn name_written(name: &str, query: &Query) -> Option<usize> {
    if query.names.is_empty() {
        return None;
    }
    let plain = name.replace(['_', '-'], "").to_lowercase();
    query.names.iter().position(|own| own.text.replace('_', "").to_lowercase() == plain)
}

/// The lines of a file that the query points at.
fn named_lines(path: &PathParts, query: &Query) -> Vec<u32> {
    let pointing = query.mentions.iter().filter(|mention| !mention.places.is_empty());
    let pointing = pointing.filter(|mention| mention.likeness(path) >= 1.0);
    pointing.flat_map(|mention| &mention.places).filter_map(|place| place.line).collect()
}

/// Matchers that find the words of a query in other texts: all words, and those of a report's title.
pub(crate) struct Matchers<'q> {
    pub all: WordMatcher<'q>,
    pub title: WordMatcher<'q>,
}

impl<'q> Matchers<'q> {
    pub fn of(query: &'q Query) -> Self {
        Self { all: WordMatcher::of(query), title: WordMatcher::of_title(query) }
    }
}

/// The files of a pool. There are far fewer files than chunks.
pub(crate) struct Files {
    pub facts: Vec<PathFacts>,
    /// For each candidate, the index of its file in `facts`.
    pub of_candidates: Vec<usize>,
}

impl Files {
    pub fn of(pool: &[Candidate], query: &Query, matchers: &Matchers<'_>) -> Self {
        let paths: FxHashSet<&str> = pool.iter().map(|candidate| &*candidate.chunk.path).collect();
        let mentions = weighed(&query.mentions, &parts(&paths, query));
        let named = query.paths.iter().map(|named| NamedPath {
            path: named,
            alike: paths.iter().filter(|path| is_named(path, named)).count(),
        });
        let named: Vec<NamedPath<'_>> = named.collect();
        let mut facts = Vec::new();
        let mut known: FxHashMap<&str, usize> = FxHashMap::default();
        // Many files share their folders.
        let mut known_folders: FxHashMap<&str, FolderFacts> = FxHashMap::default();
        let mut facts_of = |path| {
            let folders = folders_and_name(path).0;
            let of_folders =
                known_folders.entry(folders).or_insert_with(|| FolderFacts::of(folders, query, matchers));
            PathFacts::of(path, *of_folders, query, matchers, &mentions, &named)
        };
        let of_candidates = pool
            .iter()
            .map(|candidate| {
                let path = &*candidate.chunk.path;
                *known.entry(path).or_insert_with(|| {
                    facts.push(facts_of(path));
                    facts.len() - 1
                })
            })
            .collect();
        Self { facts, of_candidates }
    }

    /// The facts of a candidate's file.
    pub fn facts(&self, candidate: usize) -> &PathFacts {
        &self.facts[self.of_candidates[candidate]]
    }
}

/// The paths of a pool, prepared for comparison with mentions; empty if the query has none.
fn parts(paths: &FxHashSet<&str>, query: &Query) -> Vec<PathParts> {
    if query.mentions.is_empty() {
        return Vec::new();
    }
    paths.iter().map(|path| PathParts::of(path)).collect()
}

/// Whether `named` is the end of `path`, with or without its extension, or an absolute form of it.
fn is_named(path: &str, named: &str) -> bool {
    let path = path.to_lowercase();
    let without_extension = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
    let ends_with = |whole: &str, end: &str| {
        whole.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    // A path without folders is the end of too many absolute paths.
    let is_absolute_form = path.contains('/') && ends_with(named, &path);
    ends_with(&path, named) || ends_with(without_extension, named) || is_absolute_form
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::{candidate, probe};

    #[test]
    fn a_path_that_ends_several_files_means_each_of_them_less() {
        let paths = ["src/index.js", "hooks/src/index.js", "compat/src/index.js", "src/render.js"];
        let pool = paths.map(|path| candidate(path, "f", 1..=2, ""));
        let facts = |text: &str| {
            let query = probe(text).query;
            let files = Files::of(&pool, &query, &Matchers::of(&query));
            files.facts.iter().map(|file| (file.mentioned.as_path, file.named)).collect::<Vec<_>>()
        };
        let in_full = facts("it fails in src/index.js");
        assert_eq!(in_full[0], (1.0, 1.0), "written in full");
        assert!(in_full[1].0 < 0.6 && in_full[1].1 < 0.6 && in_full[3] == (0.0, 0.0));
        assert_eq!(facts("it fails in src/render.js")[3], (1.0, 1.0));
    }

    #[test]
    fn a_frame_without_a_folder_means_each_of_several_files_less() {
        let pool =
            ["demo/one/main.c", "demo/two/main.c", "src/pool.c"].map(|path| candidate(path, "f", 1..=2, ""));
        let query = probe("#0  run (p=0x0) at src/pool.c:59\n#1  0x00 in main () at main.c:20").query;
        let files = Files::of(&pool, &query, &Matchers::of(&query));
        let in_trace: Vec<f32> = files.facts.iter().map(|file| file.mentioned.in_trace).collect();
        assert!(in_trace[2] > 0.9 && in_trace[0] < 0.6 && in_trace[1] < 0.6, "{in_trace:?}");
    }
}
