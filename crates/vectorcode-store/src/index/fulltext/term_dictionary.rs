//! A dictionary of the distinct words of a file or a transaction, numbered in order of first occurrence.
//!
//! Every word of every chunk is looked up here, so this is an open-addressing hash table with all words in one string: a lookup
//! touches little memory, and there is no allocation per word.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Most files have fewer distinct words than half of this.
const FIRST_SLOTS: usize = 1 << 10;
const EMPTY: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct TermDictionary {
    /// All words, concatenated.
    text: String,
    words: Vec<Word>,
    /// Word numbers by hash, with linear probing; never more than half full.
    slots: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Word {
    hash: u32,
    start: u32,
    end: u32,
}

impl TermDictionary {
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn word(&self, number: usize) -> &str {
        let Word { start, end, .. } = self.words[number];
        &self.text[start as usize..end as usize]
    }

    /// The number of a word. A new word gets the next free number.
    pub fn number(&mut self, word: &str) -> usize {
        self.number_of(word, hash(word))
    }

    /// The number of a word of another dictionary, whose hash is reused.
    pub fn number_from(&mut self, other: &Self, number: usize) -> usize {
        self.number_of(other.word(number), other.words[number].hash)
    }

    fn number_of(&mut self, word: &str, hash: u32) -> usize {
        if self.words.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            match self.slots[slot] {
                EMPTY => return self.add(word, hash, slot),
                number if self.words[number as usize].hash == hash && self.word(number as usize) == word => {
                    return number as usize;
                }
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    fn add(&mut self, word: &str, hash: u32, slot: usize) -> usize {
        let number = self.words.len();
        let start = self.text.len() as u32;
        self.text.push_str(word);
        self.words.push(Word { hash, start, end: self.text.len() as u32 });
        self.slots[slot] = number as u32;
        number
    }

    fn grow(&mut self) {
        let count = (self.slots.len() * 2).max(FIRST_SLOTS);
        self.slots = vec![EMPTY; count];
        for (number, word) in self.words.iter().enumerate() {
            let mut slot = word.hash as usize & (count - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = number as u32;
        }
    }
}

fn hash(word: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(word.as_bytes());
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_its_number_as_others_come() {
        let mut lexicon = TermDictionary::default();
        let words: Vec<String> = (0..20_000).map(|number| format!("word{number}")).collect();
        for (number, word) in words.iter().enumerate() {
            assert_eq!(lexicon.number(word), number);
        }
        for (number, word) in words.iter().enumerate() {
            assert_eq!((lexicon.number(word), lexicon.word(number)), (number, word.as_str()));
        }
        assert_eq!(lexicon.len(), words.len());
    }
}
