//! Files that change together: whoever mends a defect in the first file of an answer has often had to change these as well.
//!
//! Constants were chosen on 164 development issues (docs/notes/quality.md): of weights from 2 to 14 those from 6 to 10 are alike,
//! and so are one, two and three leading files.

use rustc_hash::FxHashMap;

use super::{HistoryIndex, PresentFiles};

/// A commit of more files is a reorganisation, and says nothing about any two of them.
const MOST_FILES: usize = 15;
/// Two files that changed together once did so by chance.
const LEAST_TOGETHER: u32 = 2;
/// Commits that count against every share, so that it is worth little for a file that hardly ever changed.
const PRIOR: f32 = 5.0;
/// What the companions of the second file count, against those of the first.
const OF_THE_SECOND: f32 = 0.5;

/// How surely each file changes together with one of the first files of an answer, from 0 to 1, by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Companions {
    by_path: FxHashMap<String, f32>,
}

impl Companions {
    /// Those of the first two files, from the commits that may speak.
    pub fn of(index: &HistoryIndex, present: &PresentFiles, before: Option<&str>, first: &[&str]) -> Self {
        let speakers = index.speakers(before);
        let mut companions = Self::default();
        for (path, weight) in first.iter().zip([1.0, OF_THE_SECOND]) {
            for (companion, share) in shares(index, present, &speakers, path) {
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

/// The part of the changes of a file that also changed each other one.
fn shares(
    index: &HistoryIndex,
    present: &PresentFiles,
    speakers: &[bool],
    path: &str,
) -> impl Iterator<Item = (u32, f32)> {
    let mut together: FxHashMap<u32, u32> = FxHashMap::default();
    let mut changes = 0;
    for (commit, _) in index.commits().iter().zip(speakers).filter(|(_, speaks)| **speaks) {
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
