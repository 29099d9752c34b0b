//! How much of a query's words a text holds, each word weighed by how rare it is.

use std::ops::Range;

use vectorcode_core::words::for_each_word;

use super::query::QueryWord;
use super::stem::stem;

/// The words of a query as a set of bits: the n-th bit is the n-th word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordSet(u64);

impl WordSet {
    fn insert(&mut self, index: usize) {
        self.0 |= 1 << index;
    }

    pub fn contains(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Finds a query's words, in any of their forms, inside other texts.
#[derive(Debug)]
pub(crate) struct WordMatcher<'q> {
    words: &'q [QueryWord],
    /// Whether some word begins with this byte: most words of a text are told apart by it.
    first_bytes: [bool; 256],
}

/// What a name has in common with a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NameOverlap {
    /// The query's words that are in the name.
    pub words: WordSet,
    /// The part of the name's letters that the query speaks of.
    pub precision: f32,
}

impl<'q> WordMatcher<'q> {
    pub fn new(words: &'q [QueryWord]) -> Self {
        debug_assert!(words.len() <= 64, "a WordSet has 64 bits");
        let mut first_bytes = [false; 256];
        for first in words.iter().filter_map(|word| word.stem.bytes().next()) {
            first_bytes[first as usize] = true;
        }
        Self { words, first_bytes }
    }

    /// The query's words that occur in `text`.
    pub fn words_in(&self, text: &str) -> WordSet {
        let mut found = WordSet::default();
        for_each_word(text, |word| {
            if let Some(index) = self.index_of(word) {
                found.insert(index);
            }
        });
        found
    }

    /// Where the query's words stand in `text`, in order.
    pub fn places_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        for_each_word(text, |word| {
            if self.index_of(word).or_else(|| self.index_of_pair(word)).is_some() {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                places.push(start..start + word.len());
            }
        });
        places
    }

    /// Compares a short name with the query; two words of the query that the name writes as one count as both.
    pub fn overlap(&self, name: &str) -> NameOverlap {
        let (mut words, mut known, mut letters) = (WordSet::default(), 0, 0);
        for_each_word(name, |word| {
            letters += word.len();
            if let Some(index) = self.index_of(word) {
                words.insert(index);
                known += word.len();
            } else if let Some(index) = self.index_of_pair(word) {
                words.insert(index);
                words.insert(index + 1);
                known += word.len();
            }
        });
        NameOverlap { words, precision: if letters == 0 { 0.0 } else { known as f32 / letters as f32 } }
    }

    fn index_of(&self, word: &str) -> Option<usize> {
        if !self.first_bytes[word.as_bytes()[0].to_ascii_lowercase() as usize] {
            return None;
        }
        let begins_alike = |own: &QueryWord| {
            let shared = own.stem.len().min(3);
            word.len() >= shared
                && word.as_bytes()[..shared].eq_ignore_ascii_case(&own.stem.as_bytes()[..shared])
        };
        if !self.words.iter().any(begins_alike) {
            return None;
        }
        let word = word.to_ascii_lowercase();
        let stem = stem(&word);
        self.words.iter().position(|own| own.word == word || own.stem == stem)
    }

    /// The first of two neighbouring words that make up `word`: `web socket` in `websocket`.
    fn index_of_pair(&self, word: &str) -> Option<usize> {
        let word = word.to_ascii_lowercase();
        self.words.windows(2).position(|pair| {
            word.strip_prefix(pair[0].word.as_str())
                .is_some_and(|rest| rest == pair[1].word || stem(rest) == pair[1].stem)
        })
    }
}

/// How telling each word of the query is, summing to 1.
#[derive(Clone, Debug)]
pub(crate) struct WordWeights(Vec<f32>);

impl WordWeights {
    /// Inverse document frequency: `documents` texts, of which `frequencies[n]` hold word n.
    pub fn new(frequencies: &[u64], documents: u64) -> Self {
        let idf = |frequency: &u64| (1.0 + (documents as f32 + 1.0) / (*frequency as f32 + 1.0)).ln();
        let weights: Vec<f32> = frequencies.iter().map(idf).collect();
        let sum: f32 = weights.iter().sum();
        Self(weights.into_iter().map(|weight| weight / sum).collect())
    }

    /// The weight of the words in `set`: 1 when it holds all.
    pub fn of(&self, set: WordSet) -> f32 {
        self.0.iter().enumerate().filter(|(index, _)| set.contains(*index)).map(|(_, weight)| weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::Query;

    #[test]
    fn words_are_found_in_any_form() {
        let query = Query::parse("route matching for websocket");
        let matcher = WordMatcher::new(&query.words);
        let found = matcher.words_in("fn matchRoutes() {}");
        assert!(found.contains(0) && found.contains(1) && !found.contains(2));
    }

    #[test]
    fn a_name_may_join_two_words() {
        let query = Query::parse("web socket upgrade");
        let overlap = WordMatcher::new(&query.words).overlap("websocket");
        assert!(overlap.words.contains(0) && overlap.words.contains(1));
        assert!((overlap.precision - 1.0).abs() < 1e-6);
    }

    #[test]
    fn rare_words_weigh_more() {
        let weights = WordWeights::new(&[1, 100], 100);
        let (mut rare, mut common) = (WordSet::default(), WordSet::default());
        rare.insert(0);
        common.insert(1);
        assert!(weights.of(rare) > 3.0 * weights.of(common));
        assert!((weights.of(rare.union(common)) - 1.0).abs() < 1e-6);
    }
}
