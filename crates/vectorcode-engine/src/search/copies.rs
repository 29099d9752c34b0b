//! Merges copies: code that occurs in several files (`index.d.ts` and `index.d.cts`, generated twins, vendored files)
//! becomes one hit that lists the other files. A list of ten should not spend three places on one result.
//!
//! Copies are recognised without reading their texts: by symbol, number of lines and words. So twins that differ only
//! in punctuation also count, such as files generated for two module systems.

use rustc_hash::FxHashMap;

use super::candidates::Candidate;
use super::merge::Group;

/// Chunks with fewer words are alike by chance: `mod tests;`, a getter.
const MIN_WORDS: usize = 6;

/// What copies have in common: symbol, number of lines, words.
type Shape<'p> = (Option<&'p str>, u32, &'p [u8]);

/// Folds each group into the first earlier group with the same code in another file; the others keep their order.
pub(crate) fn fold(groups: Vec<Group>, pool: &[Candidate]) -> Vec<Group> {
    let mut of_shape: FxHashMap<Shape<'_>, usize> = FxHashMap::default();
    let mut folded: Vec<Group> = Vec::with_capacity(groups.len());
    let path = |index: usize| &pool[index].chunk.path;
    for group in groups {
        let shapes = || group.members().iter().filter_map(|member| Some((*member, shape(&pool[*member])?)));
        let original = shapes().find_map(|(member, shape)| {
            let place = *of_shape.get(&shape)?;
            (path(folded[place].best.index) != path(member)).then_some(place)
        });
        if let Some(place) = original {
            let (copies, copy) = (&mut folded[place].copies, group.best.index);
            // A file may contain the same code twice.
            if copies.iter().all(|known| path(*known) != path(copy)) {
                copies.push(copy);
            }
        } else {
            shapes().for_each(|(_, shape)| _ = of_shape.entry(shape).or_insert(folded.len()));
            folded.push(group);
        }
    }
    folded
}

/// `None` for a chunk that is too short to compare.
fn shape(candidate: &Candidate) -> Option<Shape<'_>> {
    let chunk = &candidate.chunk;
    let lines = chunk.span.end_line - chunk.span.start_line;
    (chunk.words.len() >= MIN_WORDS).then(|| (chunk.symbol.as_deref(), lines, chunk.words.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ranking::Ranked;
    use crate::search::testing::candidate;

    const CODE: &str =
        "pub fn merge_headers(own: Headers, defaults: Headers) -> Headers { own.or(defaults) }";

    fn folded(pool: &[Candidate]) -> Vec<(usize, Vec<usize>)> {
        let groups = (0..pool.len()).map(|index| Group::alone(Ranked { index, relevance: 0.0 })).collect();
        fold(groups, pool).into_iter().map(|group| (group.best.index, group.copies)).collect()
    }

    #[test]
    fn the_same_code_in_other_files_is_one_hit() {
        let pool = [
            candidate("index.d.ts", "merge_headers", 1..=1, CODE),
            candidate(
                "other.ts",
                "merge",
                1..=1,
                "pub fn merge(left: Tree, right: Tree, by: Order) -> Tree;",
            ),
            candidate("index.d.cts", "merge_headers", 7..=7, &CODE.replace('{', "{ ")),
            candidate("vendor/index.d.ts", "merge_headers", 1..=1, CODE),
            candidate("index.d.cts", "merge_headers", 20..=20, CODE),
        ];
        assert_eq!(folded(&pool), [(0, vec![2, 3]), (1, vec![])]);
    }

    #[test]
    fn other_names_other_lengths_and_short_code_stay_apart() {
        let pool = [
            candidate("a.rs", "merge_headers", 1..=1, CODE),
            candidate("b.rs", "join_headers", 1..=1, CODE),
            candidate("c.rs", "merge_headers", 1..=4, CODE),
            candidate("a.rs", "merge_headers", 9..=9, CODE),
            candidate("d.rs", "id", 1..=1, "fn id() {}"),
            candidate("e.rs", "id", 1..=1, "fn id() {}"),
        ];
        assert_eq!(folded(&pool).len(), pool.len());
    }
}
