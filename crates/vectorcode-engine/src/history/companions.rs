//! Files that often change together: fixing a defect in the first file of a result has often required changing these
//! as well.
//!
//! The constants were chosen on 164 issues of the development set. Results depend little on them: of weights from 2 to
//! 14 (`search::companions`), those from 6 to 10 give similar results, and so do one, two and three leading files.

use rustc_hash::FxHashMap;

use super::{HistoryIndex, PresentFiles};

/// A commit with more files is a reorganisation, and says nothing about any two of them.
const MOST_FILES: usize = 15;
/// Two files that changed together only once did so by chance.
const LEAST_TOGETHER: u32 = 2;
/// Added to the number of commits in every share, so that a file that hardly ever changed gets a low one.
const PRIOR: f32 = 5.0;
/// The weight of the second file's companions, relative to those of the first.
const OF_THE_SECOND: f32 = 0.5;

/// How certainly each file changes together with one of the first files of a result, from 0 to 1, by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Companions {
    by_path: FxHashMap<String, f32>,
}

impl Companions {
    /// The companions of the first two files, from the ancestors of the checked-out commit or of `before`.
    pub fn of(index: &HistoryIndex, present: &PresentFiles, before: Option<&str>, first: &[&str]) -> Self {
        let usable = index.usable_commits(before);
        let mut companions = Self::default();
        for (path, weight) in first.iter().zip([1.0, OF_THE_SECOND]) {
            for (companion, share) in shares(index, present, &usable, path) {
                let best = companions.by_path.entry(present.path(companion).to_owned()).or_default();
                *best = best.max(weight * share);
            }
        }
        companions
    }

    pub fn share(&self, path: &str) -> f32 {
        self.by_path.get(path).copied().unwrap_or_default()
    }
}

/// The share of a file's changes that also changed each other file.
fn shares(
    index: &HistoryIndex,
    present: &PresentFiles,
    usable: &[bool],
    path: &str,
) -> impl Iterator<Item = (u32, f32)> {
    let mut together: FxHashMap<u32, u32> = FxHashMap::default();
    let mut changes = 0;
    for (commit, _) in index.commits().iter().zip(usable).filter(|(_, is_usable)| **is_usable) {
        if commit.files.len() > MOST_FILES {
            continue;
        }
        let places = || commit.files.iter().filter_map(|file| present.place(*file));
        if !places().any(|place| present.path(place) == path) {
            continue;
        }
        changes += 1;
        for place in places().filter(|place| present.path(*place) != path) {
            *together.entry(place).or_default() += 1;
        }
    }
    let often = together.into_iter().filter(|(_, count)| *count >= LEAST_TOGETHER);
    often.map(move |(place, count)| (place, count as f32 / (changes as f32 + PRIOR)))
}
