//! Maps the file paths in the history to the files of today.
//!
//! Projects are reorganised: `flask/app.py` becomes `src/flask/app.py`, `src/store.js` becomes `src/store.ts`. Older
//! commits refer to paths that no longer exist. Such a path is mapped to the present file whose path ends most like
//! it, if that file is unique. In seven repositories this agrees with the renames that git detects by content in 75
//! to 100 of 100 cases (50 in one), and finds about two thirds of them without reading a blob.

use rustc_hash::{FxHashMap, FxHashSet};
use vectorcode_core::file_name;
use vectorcode_store::StoredHistory;

/// The files of the index that occur in the history.
#[derive(Debug, Default)]
pub(crate) struct PresentFiles {
    paths: Vec<String>,
    /// For each path of the history, the index in `paths` of the file it maps to today.
    places: Vec<Option<u32>>,
}

impl PresentFiles {
    pub fn new(history: &StoredHistory, files: &[String]) -> Self {
        let (mut paths, mut known) = (Vec::new(), FxHashMap::default());
        let mut place = |path: String| {
            *known.entry(path.clone()).or_insert_with(|| {
                paths.push(path);
                paths.len() as u32 - 1
            })
        };
        let today = present_paths(&history.paths, files).into_iter();
        let places = today.map(|path| path.map(&mut place)).collect();
        Self { paths, places }
    }

    /// The file that a path of the history maps to; `None` if it no longer exists.
    pub fn place(&self, file: u32) -> Option<u32> {
        self.places.get(file as usize).copied().flatten()
    }

    pub fn path(&self, place: u32) -> &str {
        self.paths.get(place as usize).map_or("", String::as_str)
    }
}

/// For each path of the history, in order, the present file that it maps to.
fn present_paths(history: &[String], present: &[String]) -> Vec<Option<String>> {
    let known: FxHashSet<&str> = present.iter().map(String::as_str).collect();
    let mut by_stem: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for path in present {
        by_stem.entry(stem(path)).or_default().push(path);
    }
    let today = |path: &String| {
        if known.contains(path.as_str()) {
            return Some(path.clone());
        }
        likest(path, by_stem.get(stem(path))?).map(str::to_owned)
    };
    history.iter().map(today).collect()
}

/// The candidate with the most path components in common with `path`, counted from the end, if it is unique.
fn likest<'p>(path: &str, candidates: &[&'p str]) -> Option<&'p str> {
    let shared = |candidate: &str| shared_ending(path, candidate);
    let best = candidates.iter().copied().max_by_key(|candidate| shared(candidate))?;
    let is_unique = candidates.iter().filter(|candidate| shared(candidate) == shared(best)).count() == 1;
    is_unique.then_some(best)
}

/// How many path components two paths have in common, counted from the end; a different extension counts slightly
/// less.
fn shared_ending(one: &str, other: &str) -> usize {
    let folders = |path: &'_ str| path.rsplit('/').skip(1).map(str::to_owned).collect::<Vec<_>>();
    let common = folders(one).iter().zip(&folders(other)).take_while(|(one, other)| one == other).count();
    2 * common + usize::from(file_name(one) == file_name(other))
}

/// The name of a file without its last extension.
fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn today(history: &[&str], present: &[&str]) -> Vec<Option<String>> {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        present_paths(&owned(history), &owned(present))
    }

    #[test]
    fn a_path_that_is_gone_stands_for_the_file_whose_path_ends_like_it() {
        let present =
            ["src/flask/app.py", "src/flask/json/tag.py", "tests/app.py", "src/store.ts", "README.md"];
        let found = today(
            &["flask/app.py", "flask/json/tag.py", "src/store.js", "README.md", "flask/gone.py"],
            &present,
        );
        let expected = [
            Some("src/flask/app.py"),
            Some("src/flask/json/tag.py"),
            Some("src/store.ts"),
            Some("README.md"),
            None,
        ];
        assert_eq!(found, expected.map(|path| path.map(str::to_owned)));
    }

    #[test]
    fn a_path_that_two_files_end_like_stands_for_neither() {
        assert_eq!(today(&["old/index.js"], &["a/index.js", "b/index.js"]), [None]);
        assert_eq!(today(&["lib/.env"], &["a/.gitignore"]), [None]);
    }
}
