//! Splits a list of texts into batches that a provider accepts as one request.

use std::borrow::Cow;

/// Consecutive batches of `texts`, each of at most `most_texts` texts and `most_bytes` bytes. A longer text is a batch of its
/// own: the server decides whether it accepts it.
pub(super) fn batches<'a, 't>(
    mut texts: &'a [Cow<'t, str>],
    most_texts: usize,
    most_bytes: usize,
) -> impl Iterator<Item = &'a [Cow<'t, str>]> {
    std::iter::from_fn(move || {
        let (batch, rest) = texts.split_at(fitting(texts, most_texts, most_bytes));
        texts = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

/// How many of the first texts fit into one batch; at least one, unless there are none.
fn fitting(texts: &[Cow<'_, str>], most_texts: usize, most_bytes: usize) -> usize {
    let mut bytes = 0;
    let fitting = texts.iter().take(most_texts).take_while(|text| {
        bytes += text.len();
        bytes <= most_bytes
    });
    fitting.count().max(texts.len().min(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(texts: &[&str], most_texts: usize, most_bytes: usize) -> Vec<usize> {
        let texts: Vec<Cow<'_, str>> = texts.iter().map(|text| Cow::from(*text)).collect();
        batches(&texts, most_texts, most_bytes).map(<[_]>::len).collect()
    }

    #[test]
    fn requests_are_bounded_by_count_and_by_bytes() {
        assert_eq!(sizes(&["a"; 5], 2, 100), [2, 2, 1]);
        assert_eq!(sizes(&["aa", "bb", "cc", "dd", "ee"], 9, 5), [2, 2, 1]);
        assert_eq!(sizes(&[], 2, 100), [0; 0]);
    }

    #[test]
    fn a_text_above_the_bound_goes_alone() {
        assert_eq!(sizes(&["a", "bbbbbbbb", "c"], 9, 4), [1, 1, 1]);
    }
}
