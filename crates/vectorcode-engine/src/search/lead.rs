//! Puts a chunk that the query points at before the other chunks of its file; the order of files does not change.

use rustc_hash::FxHashMap;

use super::candidates::Candidate;
use super::ranking::Ranked;

/// How far such a chunk is placed above the best of its file.
const LEAD: f32 = 0.01;

/// Puts the first chunk that the query points at before the other chunks of its file.
pub(crate) fn lead(ranked: &mut [Ranked], pool: &[Candidate]) {
    if !pool.iter().any(|candidate| candidate.pointed_at.is_some()) {
        return;
    }
    let mut best: FxHashMap<&str, f32> = FxHashMap::default();
    let mut leading: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for (place, ranked) in ranked.iter().enumerate() {
        let candidate = &pool[ranked.index];
        let path = &*candidate.chunk.path;
        best.entry(path).or_insert(ranked.relevance);
        if let Some(rank) = candidate.pointed_at {
            let first = leading.entry(path).or_insert((rank, place));
            *first = (*first).min((rank, place));
        }
    }
    for (path, (_, place)) in leading {
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
        pool[0].pointed_at = Some(1);
        pool[2].pointed_at = Some(0);
        pool[4].pointed_at = Some(0);
        let mut ranked: Vec<Ranked> =
            (0..5).map(|index| Ranked { index, relevance: 5.0 - index as f32 }).collect();
        lead(&mut ranked, &pool);
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [2, 0, 4, 1, 3]);
    }
}
