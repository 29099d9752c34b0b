//! A chunk that the question points at goes before the others of its file; the order of files stays as it is.

use rustc_hash::FxHashMap;

use super::candidates::Candidate;
use super::ranking::Ranked;

/// How far a chunk is put before the best of its file.
const LEAD: f32 = 0.01;

/// Puts the best chunk that the query points at before the others of its file.
pub(crate) fn lead(ranked: &mut [Ranked], pool: &[Candidate]) {
    if !pool.iter().any(|candidate| candidate.is_pointed_at) {
        return;
    }
    let mut best: FxHashMap<&str, f32> = FxHashMap::default();
    let mut leading: FxHashMap<&str, usize> = FxHashMap::default();
    for (place, ranked) in ranked.iter().enumerate() {
        let candidate = &pool[ranked.index];
        best.entry(&candidate.chunk.path).or_insert(ranked.relevance);
        if candidate.is_pointed_at {
            leading.entry(&candidate.chunk.path).or_insert(place);
        }
    }
    for (path, place) in leading {
        ranked[place].relevance = best[path] + LEAD;
    }
    ranked.sort_unstable_by(Ranked::best_first);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::candidate;

    #[test]
    fn a_chunk_that_is_pointed_at_leads_its_file_and_files_keep_their_order() {
        let mut pool = ["b.rs", "a.rs", "b.rs", "c.rs", "a.rs"].map(|path| candidate(path, "f", 1..=2, ""));
        pool[2].is_pointed_at = true;
        pool[4].is_pointed_at = true;
        let mut ranked: Vec<Ranked> =
            (0..5).map(|index| Ranked { index, relevance: 5.0 - index as f32 }).collect();
        lead(&mut ranked, &pool);
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [2, 0, 4, 1, 3]);
    }
}
