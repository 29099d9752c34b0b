//! The files of a pool of candidates, and what their paths tell: computed once for all chunks of a file.

use rustc_hash::{FxHashMap, FxHashSet};

use super::candidates::Candidate;
use super::path_kind::{PathKind, folders_and_name, spoken_name};
use super::query::Query;
use super::question::{Mention, MentionKind, OTHER_FILE, PathParts};
use super::words::{NameOverlap, WordMatcher, WordSet};

/// What a path tells about all chunks of its file.
pub(crate) struct PathFacts {
    pub kind: PathKind,
    pub name: NameOverlap,
    /// Words of the query in the folders' names.
    pub folders: WordSet,
    /// Words of the query anywhere in the path.
    pub words: WordSet,
    pub depth: f32,
    /// How surely the query names the path.
    pub named: f32,
    /// The place of the query's name that the file has.
    pub name_written: Option<usize>,
    /// What its name has in common with the title of a report.
    pub title_name: NameOverlap,
    /// Words of the title in the folders' names.
    pub title_folders: WordSet,
    pub mentioned: Mentioned,
    /// The lines of it that the query names.
    pub named_lines: Vec<u32>,
}

/// How surely the query names a file, in each way of naming one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Mentioned {
    pub as_path: f32,
    pub as_module: f32,
    /// In a stack trace: the first frame of the project's own counts most.
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

/// How surely one of so many files is meant that all end as the query writes it. The one that is written in full is.
fn sure_of_one(alike: usize, is_written_in_full: impl FnOnce() -> bool) -> f32 {
    if alike <= 1 || is_written_in_full() { 1.0 } else { 1.0 / (alike as f32).sqrt() }
}

/// What a query names, and how much it counts.
struct WeighedMention<'q> {
    mention: &'q Mention,
    weight: f32,
    /// How many files may be meant. Of those that a frame names with a folder, its function tells which one is.
    alike: usize,
}

/// Frames count less the more frames of the project's own are within them. Those of libraries say nothing here.
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

/// A path that a query names, and how many files it may name.
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

/// What folders tell about every file in them.
#[derive(Clone, Copy)]
struct FolderFacts {
    kind: PathKind,
    /// Words of the query in their names.
    words: WordSet,
    /// Words of the title in their names.
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
            // A short question is its own title.
            title_name: if query.report.is_some() { matchers.title.overlap(spoken) } else { name },
            title_folders: folders.title_words,
            mentioned: parts.as_ref().map_or_else(Mentioned::default, |parts| Mentioned::of(parts, mentions)),
            named_lines: parts.map_or_else(Vec::new, |parts| named_lines(&parts, query)),
        }
    }
}

/// Which name of the query a file of this name is called by.
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

/// What finds the words of a query in other texts: all words, and those of a report's title.
pub(crate) struct Matchers<'q> {
    pub all: WordMatcher<'q>,
    pub title: WordMatcher<'q>,
}

impl<'q> Matchers<'q> {
    pub fn of(query: &'q Query) -> Self {
        Self { all: WordMatcher::of(query), title: WordMatcher::of_title(query) }
    }
}

/// The files of a pool. They are far fewer than its chunks.
pub(crate) struct Files {
    pub facts: Vec<PathFacts>,
    /// For each candidate: the index of its file in `facts`.
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

    /// Of the file of a candidate.
    pub fn facts(&self, candidate: usize) -> &PathFacts {
        &self.facts[self.of_candidates[candidate]]
    }
}

/// The files of a pool, ready to be compared with mentions; nothing where there are none.
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
    // A path without folders is the end of too many others.
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
        assert_eq!(in_full[0], (1.0, 1.0), "that one is written in full");
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
