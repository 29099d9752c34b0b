//! Collects the words of a file's chunks, on the thread that read the file.
//!
//! Splitting and looking up every word was two thirds of the cost of full text on the single writer thread. What remains for it
//! are the distinct words of each file, a tenth as many, and their occurrences, which are only renumbered.

use std::mem;

use vectorcode_core::{Chunk, ContentClass};

use super::term_dictionary::TermDictionary;
use super::tokenizer;

/// The weight of an occurrence, depending on where it occurs, in halves.
const PATH_WEIGHT: u16 = 5;
const SYMBOL_WEIGHT: u16 = 12;
const SIGNATURE_WEIGHT: u16 = 6;
const PROSE_WEIGHT: u16 = 3;
const CODE_WEIGHT: u16 = 2;

#[derive(Debug, Default)]
pub(crate) struct FileTerms {
    lexicon: TermDictionary,
    /// In the order of the chunks.
    occurrences: Vec<TermOccurrence>,
    /// For each word, the index in `occurrences` of its latest occurrence.
    latest: Vec<u32>,
    chunks: Vec<ChunkTerms>,
    /// Scratch space of the tokenizer, which needs it for every line.
    buffer: String,
}

/// A word of a chunk, by its number in the file's dictionary, with its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermOccurrence {
    pub term: u32,
    pub weight: u16,
}

#[derive(Clone, Copy, Debug)]
struct ChunkTerms {
    /// The index of its first occurrence.
    first: usize,
    /// The number of words, including repeated ones.
    words: u32,
}

impl FileTerms {
    /// Adds the next chunk of the file.
    pub fn add<'s>(&mut self, chunk: &Chunk, signatures: impl Iterator<Item = &'s str>) {
        self.chunks.push(ChunkTerms { first: self.occurrences.len(), words: 0 });
        self.add_text(&chunk.path, PATH_WEIGHT);
        for text in [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten() {
            self.add_text(text, SYMBOL_WEIGHT);
        }
        for signature in signatures {
            self.add_text(signature, SIGNATURE_WEIGHT);
        }
        let lower = chunk.content.to_ascii_lowercase();
        for line in chunk.content.lines() {
            let start = tokenizer::offset(line, &chunk.content);
            let is_prose = chunk.class == ContentClass::Docs || tokenizer::is_comment(line);
            let weight = if is_prose { PROSE_WEIGHT } else { CODE_WEIGHT };
            self.add_tokens(line, &lower[start..start + line.len()], weight);
        }
    }

    /// The number of words in a chunk.
    pub fn words(&self, chunk: usize) -> u32 {
        self.chunks.get(chunk).map_or(0, |terms| terms.words)
    }

    /// The distinct words of all chunks.
    pub(super) fn lexicon(&self) -> &TermDictionary {
        &self.lexicon
    }

    pub(super) fn occurrences(&self, chunk: usize) -> &[TermOccurrence] {
        let first = |chunk: usize| self.chunks.get(chunk).map_or(self.occurrences.len(), |terms| terms.first);
        &self.occurrences[first(chunk)..first(chunk + 1)]
    }

    fn add_text(&mut self, text: &str, weight: u16) {
        self.add_tokens(text, &text.to_ascii_lowercase(), weight);
    }

    /// Adds a term to the latest chunk that is not a word of its text and is not counted as one.
    pub fn add_term(&mut self, term: &str) {
        self.count_term(term, 1);
    }

    fn add_tokens(&mut self, text: &str, lower: &str, weight: u16) {
        let mut count = 0;
        let mut buffer = mem::take(&mut self.buffer);
        tokenizer::for_each_token_of(text, lower, &mut buffer, |token| {
            count += 1;
            self.count_term(token, weight);
        });
        self.buffer = buffer;
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.words += count;
        }
    }

    fn count_term(&mut self, term: &str, weight: u16) {
        let first = self.chunks.last().map_or(0, |chunk| chunk.first);
        let term = self.lexicon.number(term);
        let place = self.occurrences.len() as u32;
        match self.latest.get_mut(term) {
            Some(latest) if *latest as usize >= first => {
                let occurrence = &mut self.occurrences[*latest as usize];
                occurrence.weight = occurrence.weight.saturating_add(weight);
                return;
            }
            Some(latest) => *latest = place,
            None => self.latest.push(place),
        }
        self.occurrences.push(TermOccurrence { term: term as u32, weight });
    }
}
