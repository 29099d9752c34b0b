//! Suggests another spelling for a word that the index does not contain.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Nearly every shorter word is one typo away from another word.
const MIN_LETTERS: usize = 4;
/// From this length on, two letters may be wrong.
const LONG: usize = 8;

/// The words of all names, each with the number of names that contain it. They are grouped by length, because only words of nearly
/// the same length can be within a small edit distance (Damerau-Levenshtein).
#[derive(Debug, Default)]
pub(crate) struct NameWords(BTreeMap<usize, SameLength>);

#[derive(Debug, Default)]
struct SameLength {
    /// Separated by line breaks.
    words: String,
    about: Vec<AboutWord>,
}

#[derive(Clone, Copy, Debug)]
struct AboutWord {
    /// The number of names that contain it.
    count: i64,
    letters: LetterSet,
}

/// The letters of a word as a bit set; some letters share a bit. An edit adds at most one letter and removes at most one, so most
/// words that are too far apart are ruled out without computing the distance.
#[derive(Clone, Copy, Debug)]
struct LetterSet(u32);

impl LetterSet {
    fn of(word: &str) -> Self {
        Self(word.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % u32::BITS)))
    }

    /// Whether two words with these letters may be within this distance.
    fn may_be_within(self, distance: usize, other: Self) -> bool {
        let missing = |from: Self, of: Self| (of.0 & !from.0).count_ones() as usize;
        missing(self, other) <= distance && missing(other, self) <= distance
    }
}

impl NameWords {
    pub fn add(&mut self, word: &str, count: i64) {
        let same_length = self.0.entry(word.chars().count()).or_default();
        same_length.words.push_str(word);
        same_length.words.push('\n');
        same_length.about.push(AboutWord { count, letters: LetterSet::of(word) });
    }

    /// The nearest word. Ties go to the word in more names, then to the first in alphabetical order.
    pub fn nearest(&self, word: &str) -> Option<String> {
        let (length, letters, allowed) = (word.chars().count(), LetterSet::of(word), allowed_distance(word)?);
        self.0
            .range(length.saturating_sub(allowed)..=length + allowed)
            .flat_map(|(_, same_length)| same_length.words.lines().zip(&same_length.about))
            .filter(|(_, about)| letters.may_be_within(allowed, about.letters))
            .map(|(other, about)| (strsim::damerau_levenshtein(word, other), Reverse(about.count), other))
            .filter(|(distance, ..)| *distance <= allowed)
            .min()
            .map(|(.., other)| other.to_owned())
    }
}

/// How many letters may be wrong; `None` for numbers and for words that are too short for a suggestion.
pub(crate) fn allowed_distance(word: &str) -> Option<usize> {
    let letters = word.chars().count();
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    (letters >= MIN_LETTERS && !is_number).then_some(if letters < LONG { 1 } else { 2 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn letters_never_hide_a_word_that_is_near(word in "[abcé]{4,9}", other in "[abcdé]{3,10}") {
            let distance = strsim::damerau_levenshtein(&word, &other);
            prop_assert!(LetterSet::of(&word).may_be_within(distance, LetterSet::of(&other)));
        }
    }

    #[test]
    fn letters_tell_words_that_are_far_apart() {
        let may_be_near = |other| LetterSet::of("session").may_be_within(1, LetterSet::of(other));
        assert!(may_be_near("sesion") && may_be_near("sessoin") && may_be_near("sessions"));
        assert!(!may_be_near("version") && !may_be_near("function"));
    }
}
