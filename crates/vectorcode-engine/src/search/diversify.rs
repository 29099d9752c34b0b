//! Diversity across files: a second chunk of a file precedes the first of another file only if it is clearly better.

use rustc_hash::FxHashMap;

use super::ranking::Ranked;

/// How much relevance a chunk loses for each earlier chunk of the same file.
const REPEAT_COST: f32 = 2.0;
/// The penalty stops growing after this many chunks, so that the remaining chunks of a file keep their order.
const MAX_REPEATS: usize = 4;

/// Reorders a ranked list; `file_of` returns the file of a candidate. The penalty is subtracted from the relevances.
pub(crate) fn diversify<'p>(ranked: &[Ranked], file_of: impl Fn(usize) -> &'p str) -> Vec<Ranked> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    // The list is sorted, so the chunks of a file come by falling relevance and each is penalised for the better
    // ones.
    let mut paid: Vec<Ranked> = ranked
        .iter()
        .map(|ranked| {
            let repeats = seen.entry(file_of(ranked.index)).or_default();
            let cost = REPEAT_COST * (*repeats).min(MAX_REPEATS) as f32;
            *repeats += 1;
            Ranked { relevance: ranked.relevance - cost, ..*ranked }
        })
        .collect();
    paid.sort_unstable_by(Ranked::best_first);
    paid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(candidates: &[(&'static str, f32)]) -> Vec<usize> {
        let ranked: Vec<Ranked> = candidates
            .iter()
            .enumerate()
            .map(|(index, (_, relevance))| Ranked { index, relevance: *relevance })
            .collect();
        diversify(&ranked, |index| candidates[index].0).into_iter().map(|ranked| ranked.index).collect()
    }

    #[test]
    fn another_file_goes_before_a_repeat() {
        assert_eq!(order(&[("a", 5.0), ("a", 4.9), ("b", 4.0)]), [0, 2, 1]);
    }

    #[test]
    fn a_much_better_repeat_stays_ahead() {
        assert_eq!(order(&[("a", 9.0), ("a", 8.9), ("b", 4.0)]), [0, 1, 2]);
    }
}
