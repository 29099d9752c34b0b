//! Puts a chunk that the query points at before the other chunks of its file; the order of files does not change.

use rustc_hash::FxHashMap;

use super::candidates::Candidate;
use super::ranking::Ranked;

/// Puts the first chunk that the query points at before the other chunks of its file. It gets the next larger relevance after
/// that of the file's best chunk: no other file lies in between, and later steps see nearly the same differences.
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
        ranked[place].relevance = best[path].next_up();
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

    #[test]
    fn a_file_does_not_pass_one_that_is_hardly_better() {
        let mut pool = ["a.rs", "b.rs", "b.rs"].map(|path| candidate(path, "f", 1..=2, ""));
        pool[2].pointed_at = Some(0);
        let relevances = [5.0, 4.995, 1.0].into_iter().enumerate();
        let mut ranked: Vec<Ranked> =
            relevances.map(|(index, relevance)| Ranked { index, relevance }).collect();
        lead(&mut ranked, &pool);
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [0, 2, 1]);
    }
}
