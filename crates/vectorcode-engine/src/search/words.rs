//! Finds which words of a query a text contains, and weighs them: rare words count more.

use std::ops::Range;

use vectorcode_core::stem::{cut_to_stem, stem};
use vectorcode_core::words::for_each_word;
use vectorcode_core::{StemHash, WordHashes};

use super::query::{JoinedWord, Query, QueryWord};

/// The words of a query as a bit set: bit n stands for word n.
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

    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The indexes of the words in the set, in order.
    fn indexes(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let index = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            (index < 64).then_some(index)
        })
    }

    /// The first `count` words.
    pub fn first(count: usize) -> Self {
        Self(if count >= 64 { u64::MAX } else { (1 << count) - 1 })
    }
}

/// Finds a query's words, in any of their forms, in other texts.
#[derive(Debug)]
pub(crate) struct WordMatcher<'q> {
    words: &'q [QueryWord],
    /// How informative each word is in a name; if empty, all count the same.
    name_weights: &'q [f32],
    prefixes: Vec<Prefix>,
    /// The fingerprints that the words leave in a text that contains them, each with the words it stands for.
    prints: Vec<(StemHash, WordSet)>,
}

/// What a name has in common with a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NameOverlap {
    /// The query's words that occur in the name.
    pub words: WordSet,
    /// The share of the name's letters that belong to words of the query.
    pub precision: f32,
}

impl<'q> WordMatcher<'q> {
    pub fn new(words: &'q [QueryWord]) -> Self {
        Self::with(words, &[], &[])
    }

    /// Matches all words of a query.
    pub fn of(query: &'q Query) -> Self {
        Self::with(&query.words, &query.joined, &query.name_weights)
    }

    /// Matches the words of a report's title, or all words of a short query.
    pub fn of_title(query: &'q Query) -> Self {
        Self::with(query.title_words(), &query.joined, &query.name_weights)
    }

    fn with(words: &'q [QueryWord], joined: &'q [JoinedWord], name_weights: &'q [f32]) -> Self {
        debug_assert!(words.len() <= 64, "a WordSet has 64 bits");
        let prefixes = words.iter().map(|word| Prefix::of_stem(&word.stem)).collect();
        // The first of several words with the same stem stands for all of them.
        let is_first = |index: usize| !words[..index].iter().any(|other| other.stem == words[index].stem);
        let single = (0..words.len())
            .filter(|index| is_first(*index))
            .map(|index| (StemHash::of_stem(&words[index].stem), WordSet(1 << index)));
        let pairs = joined
            .iter()
            .map(|joined| (StemHash::of_stem(&stem(&joined.word)), WordSet(0b11 << joined.first)));
        let prints = single.chain(pairs).collect();
        Self { words, name_weights, prefixes, prints }
    }

    /// The query's words that occur in a text.
    pub fn words_in(&self, text: &WordHashes) -> WordSet {
        let held = self.prints.iter().filter(|(print, _)| text.contains(*print));
        held.fold(WordSet::default(), |found, (_, words)| found.union(*words))
    }

    /// Where the query's words occur in `text`, in order.
    pub fn ranges_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut form = String::new();
        for_each_word(text, |word| {
            if self.index_of(word, &mut form).or_else(|| self.index_of_pair(word)).is_some() {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                ranges.push(start..start + word.len());
            }
        });
        ranges
    }

    /// Compares a short name with the query. Two words of the query that the name writes as one both count.
    pub fn overlap(&self, name: &str) -> NameOverlap {
        let (mut words, mut known, mut letters) = (WordSet::default(), 0.0, 0);
        let weight =
            |index: usize, length: usize| self.name_weights.get(index).unwrap_or(&1.0) * length as f32;
        let mut form = String::new();
        let mut unknown: Option<&str> = None;
        for_each_word(name, |word| {
            letters += word.len();
            let before = unknown.take();
            if let Some(index) = self.index_of(word, &mut form) {
                words.insert(index);
                known += weight(index, word.len());
            } else if let Some(index) = self.index_of_pair(word) {
                words.insert(index);
                words.insert(index + 1);
                known += weight(index, word.len());
            } else if let Some((before, index)) =
                before.and_then(|b| Some((b, self.index_of_whole(b, word)?)))
            {
                words.insert(index);
                known += weight(index, before.len() + word.len());
            } else {
                unknown = Some(word);
            }
        });
        NameOverlap { words, precision: if letters == 0 { 0.0 } else { known / letters as f32 } }
    }

    /// The query's words that begin like `word`; no others can be forms of it.
    fn alike(&self, word: &str) -> WordSet {
        let start = Prefix::of_word(word);
        let mut alike = WordSet::default();
        for (index, own) in self.prefixes.iter().enumerate() {
            alike.0 |= u64::from(own.begins(start)) << index;
        }
        alike
    }

    /// `form` is a buffer that is reused between calls.
    fn index_of(&self, word: &str, form: &mut String) -> Option<usize> {
        if self.alike(word) == WordSet::default() {
            return None;
        }
        form.clear();
        form.push_str(word);
        form.make_ascii_lowercase();
        let as_written = self.words.iter().position(|own| own.word == *form);
        cut_to_stem(form);
        let by_stem = self.words.iter().position(|own| own.stem == *form);
        as_written.into_iter().chain(by_stem).min()
    }

    /// The word of the query that a name writes as two: `skiplist` as `skip_list`.
    fn index_of_whole(&self, first: &str, second: &str) -> Option<usize> {
        self.words.iter().position(|own| {
            let begins = own.word.get(..first.len()).is_some_and(|head| head.eq_ignore_ascii_case(first));
            begins && own.word[first.len()..].eq_ignore_ascii_case(second)
        })
    }

    /// The first of two neighbouring words that make up `word`: `web socket` in `websocket`.
    fn index_of_pair(&self, word: &str) -> Option<usize> {
        self.words.windows(2).position(|pair| {
            let (first, second) = (&pair[0].word, &pair[1]);
            let begins = word.get(..first.len()).is_some_and(|head| head.eq_ignore_ascii_case(first));
            begins && {
                let rest = word[first.len()..].to_ascii_lowercase();
                rest == second.word || stem(&rest) == second.stem
            }
        })
    }
}

/// The first three bytes of a stem, or as many as it has, in a form that is compared in one operation.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    bytes: u32,
    mask: u32,
}

impl Prefix {
    const LENGTH: usize = 3;

    fn of_stem(stem: &str) -> Self {
        let mut mask = [0; 4];
        mask[..stem.len().min(Self::LENGTH)].fill(0xff);
        let mask = u32::from_le_bytes(mask);
        Self { bytes: first_bytes(stem) & mask, mask }
    }

    /// `word` consists of letters or digits; the result is in lower case.
    fn of_word(word: &str) -> u32 {
        first_bytes(word) | 0x0020_2020
    }

    fn begins(self, word: u32) -> bool {
        word & self.mask == self.bytes
    }
}

fn first_bytes(text: &str) -> u32 {
    let mut bytes = [0; 4];
    bytes.iter_mut().zip(text.bytes()).take(Prefix::LENGTH).for_each(|(to, from)| *to = from);
    u32::from_le_bytes(bytes)
}

/// The weight of each word of the query; the weights sum to 1.
#[derive(Clone, Debug)]
pub(crate) struct WordWeights(Vec<f32>);

impl WordWeights {
    /// Inverse document frequency: of `documents` texts, `frequencies[n]` contain word n.
    pub fn new(frequencies: &[u64], documents: u64) -> Self {
        let idf = |frequency: &u64| (1.0 + (documents as f32 + 1.0) / (*frequency as f32 + 1.0)).ln();
        let weights: Vec<f32> = frequencies.iter().map(idf).collect();
        let sum: f32 = weights.iter().sum();
        Self(weights.into_iter().map(|weight| weight / sum).collect())
    }

    /// The total weight of the words in `set`: 1 if it contains all.
    pub fn of(&self, set: WordSet) -> f32 {
        set.indexes().map(|index| self.0.get(index).unwrap_or(&0.0)).sum()
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
        let found = matcher.words_in(&WordHashes::of("fn matchRoutes() {}"));
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
    fn words_written_together_or_apart_meet() {
        let mut query = Query::parse("skip list insert");
        query.joined = vec![JoinedWord { word: "skiplist".into(), first: 0 }];
        let found = WordMatcher::of(&query).words_in(&WordHashes::of("a skiplist node"));
        assert!(found.contains(0) && found.contains(1) && !found.contains(2));
        let query = Query::parse("skiplist");
        let overlap = WordMatcher::of(&query).overlap("skip_list");
        assert!(overlap.words.contains(0) && (overlap.precision - 1.0).abs() < 1e-6);
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
