//! Builds a segment: merges the words of the files that one transaction writes.

use super::file_terms::FileTerms;
use super::posting::{Length, Posting, PostingEncoder};
use super::term_dictionary::TermDictionary;

#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    documents: Vec<(i64, u32)>,
    lexicon: TermDictionary,
    /// In the order of the documents.
    occurrences: Vec<Occurrence>,
    /// For each word number of the current file, the number of the same word in this segment.
    numbers: Vec<u32>,
}

/// A word of the file that has no number in the segment yet, because none of the file's new chunks contains it.
const UNNUMBERED: u32 = u32::MAX;

/// A word in a document of this segment, with its weight.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    word: u32,
    document: u32,
    weight: u16,
}

impl SegmentBuilder {
    /// Starts a file: the chunks added next belong to the file with these words.
    pub fn begin_file(&mut self, terms: &FileTerms) {
        self.numbers.clear();
        self.numbers.resize(terms.lexicon().len(), UNNUMBERED);
    }

    /// Adds a chunk of the current file. Rows must be in ascending order.
    pub fn add(&mut self, row: i64, terms: &FileTerms, chunk: usize) {
        let document = self.documents.len() as u32;
        self.documents.push((row, terms.words(chunk)));
        for occurrence in terms.occurrences(chunk) {
            let number = &mut self.numbers[occurrence.term as usize];
            if *number == UNNUMBERED {
                *number = self.lexicon.number_from(terms.lexicon(), occurrence.term as usize) as u32;
            }
            self.occurrences.push(Occurrence { word: *number, document, weight: occurrence.weight });
        }
    }

    /// What the segment covers; `None` if it has no chunks.
    pub fn extent(&self) -> Option<Extent> {
        let ((first_row, _), (last_row, _)) = (*self.documents.first()?, *self.documents.last()?);
        let words: i64 = self.documents.iter().map(|(_, words)| i64::from(*words)).sum();
        Some(Extent { first_row, last_row, documents: self.documents.len() as i64, words })
    }

    /// Calls `each` with every word and its posting list, in alphabetical order.
    pub fn for_each_list(&self, mut each: impl FnMut(&str, Vec<u8>)) {
        let facts: Vec<(i64, Length)> =
            self.documents.iter().map(|(row, words)| (*row, Length::of(*words))).collect();
        let (by_word, starts) = self.occurrences_by_word();
        let mut encoder = PostingEncoder::default();
        for word in self.words_in_order() {
            for occurrence in &by_word[starts[word]..starts[word + 1]] {
                let (row, length) = facts[occurrence.document as usize];
                encoder.push(Posting { row, weight: occurrence.weight.min(255) as u8, length });
            }
            if let Some(list) = encoder.finish() {
                each(self.lexicon.word(word), list);
            }
        }
    }

    fn words_in_order(&self) -> Vec<usize> {
        let mut words: Vec<usize> = (0..self.lexicon.len()).collect();
        words.sort_unstable_by_key(|word| self.lexicon.word(*word));
        words
    }

    /// The occurrences grouped by word, in the order of their documents, and the index at which each word's group starts.
    fn occurrences_by_word(&self) -> (Vec<Occurrence>, Vec<usize>) {
        let mut starts = vec![0; self.lexicon.len() + 1];
        for occurrence in &self.occurrences {
            starts[occurrence.word as usize + 1] += 1;
        }
        for word in 0..self.lexicon.len() {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        let mut by_word = self.occurrences.clone();
        for occurrence in &self.occurrences {
            let place = &mut next[occurrence.word as usize];
            by_word[*place] = *occurrence;
            *place += 1;
        }
        (by_word, starts)
    }
}

/// What a segment covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub first_row: i64,
    pub last_row: i64,
    pub documents: i64,
    pub words: i64,
}
