//! Detects which added files are renamed deleted ones, by comparing lines.

use std::collections::HashMap;

/// Percentage of the longer text's lines that must be in both texts. git's default is 50, of bytes.
const MIN_SHARED_PERCENT: usize = 60;
/// A text with fewer lines resembles many others, so it must be identical.
const FEW_LINES: usize = 5;
/// With more pairs of files than this, only identical texts are matched, which is cheap.
const MAX_PAIRS: usize = 10_000;

/// Pairs of a deleted and an added text that are the same file, as indexes into the lists.
pub(super) fn renames<'t>(deleted: &[&'t str], added: &[&'t str]) -> Vec<(usize, usize)> {
    let is_thorough = deleted.len() * added.len() <= MAX_PAIRS;
    let counted = |texts: &[&'t str]| -> Vec<Option<LineCounts<'t>>> {
        texts.iter().map(|text| is_thorough.then(|| LineCounts::of(text))).collect()
    };
    let (old_lines, new_lines) = (counted(deleted), counted(added));
    let percent = |old: usize, new: usize| match (&old_lines[old], &new_lines[new]) {
        _ if deleted[old] == added[new] => 100,
        (Some(old), Some(new)) => old.shared_percent(new),
        _ => 0,
    };
    let all = (0..deleted.len()).flat_map(|old| (0..added.len()).map(move |new| (old, new)));
    let mut pairs: Vec<(usize, usize, usize)> = all
        .filter(|(old, _)| !deleted[*old].trim().is_empty())
        .map(|(old, new)| (percent(old, new), old, new))
        .filter(|(percent, ..)| *percent >= MIN_SHARED_PERCENT)
        .collect();
    // The most similar pairs first; each file is in at most one pair.
    pairs.sort_by_key(|(percent, old, new)| (std::cmp::Reverse(*percent), *old, *new));
    let (mut old_taken, mut new_taken) = (vec![false; deleted.len()], vec![false; added.len()]);
    pairs.retain(|(_, old, new)| {
        let is_free = !old_taken[*old] && !new_taken[*new];
        if is_free {
            (old_taken[*old], new_taken[*new]) = (true, true);
        }
        is_free
    });
    pairs.into_iter().map(|(_, old, new)| (old, new)).collect()
}

/// How often each line occurs in a text, ignoring blank lines and indentation.
struct LineCounts<'t> {
    counts: HashMap<&'t str, usize>,
    total: usize,
}

impl<'t> LineCounts<'t> {
    fn of(text: &'t str) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            *counts.entry(line).or_default() += 1;
        }
        Self { total: counts.values().sum(), counts }
    }

    /// How many lines both have, as a percentage of the longer one.
    fn shared_percent(&self, other: &Self) -> usize {
        let longer = self.total.max(other.total);
        if longer < FEW_LINES {
            return 0;
        }
        let in_both =
            |(line, count): (&&str, &usize)| other.counts.get(line).map_or(0, |there| *count.min(there));
        100 * self.counts.iter().map(in_both).sum::<usize>() / longer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_nearly_equal_texts_are_paired_best_first() {
        let text = |name: &str| format!("fn {name}() {{\n    one();\n    two();\n    three();\n}}\n");
        let (old, near, other) = (text("old"), text("near"), "fn x() {}\n".to_owned());
        assert_eq!(renames(&[&old], &[&other, &near]), [(0, 1)]);
        assert_eq!(renames(&[&old], &[&near, &old]), [(0, 1)]);
        assert_eq!(renames(&[&other], &[&old]), []);
        assert_eq!(renames(&[""], &[""]), [], "empty files match any other");
    }
}
