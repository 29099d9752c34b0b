//! The files of a pool of candidates, and what their paths tell: computed once for all chunks of a file.

use std::collections::HashMap;

use super::candidates::Candidate;
use super::path_kind::{PathKind, spoken_name};
use super::query::Query;
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
    /// The query names the path.
    pub is_named: bool,
    /// The file has the name of an identifier of the query.
    pub is_identifier: bool,
}

impl PathFacts {
    pub fn of(path: &str, query: &Query, matcher: &WordMatcher<'_>) -> Self {
        let name = spoken_name(path);
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        let plain = name.replace(['_', '-'], "").to_lowercase();
        Self {
            kind: PathKind::of(path),
            name: matcher.overlap(name),
            folders: matcher.overlap(folders).words,
            words: matcher.overlap(path).words,
            depth: path.matches('/').count() as f32 / 10.0,
            is_named: query.paths.iter().any(|named| is_named(path, named)),
            is_identifier: query.identifiers.iter().any(|own| own.replace('_', "").to_lowercase() == plain),
        }
    }
}

/// The files of a pool. They are far fewer than its chunks.
pub(crate) struct Files {
    pub facts: Vec<PathFacts>,
    /// For each candidate: the index of its file in `facts`.
    pub of_candidates: Vec<usize>,
}

impl Files {
    pub fn of(pool: &[Candidate], facts_of: impl Fn(&str) -> PathFacts) -> Self {
        let mut facts = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let of_candidates = pool
            .iter()
            .map(|candidate| {
                let path = candidate.stored.chunk.path.as_str();
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

/// Whether `named` is the end of `path`, with or without its extension, or an absolute form of it.
fn is_named(path: &str, named: &str) -> bool {
    let path = path.to_lowercase();
    let without_extension = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
    let ends_with = |whole: &str, end: &str| {
        whole.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    ends_with(&path, named) || ends_with(without_extension, named) || ends_with(named, &path)
}
