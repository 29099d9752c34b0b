//! The words of one transaction's new chunks, gathered and written as a segment.

use rusqlite::{CachedStatement, Connection};
use vectorcode_core::{Chunk, ContentClass};

use super::posting::{Length, Posting, PostingEncoder};
use super::term_dictionary::TermDictionary;
use super::tokenizer;

/// How much an occurrence counts, by where it occurs, in halves.
const PATH_WEIGHT: u16 = 5;
const SYMBOL_WEIGHT: u16 = 12;
const SIGNATURE_WEIGHT: u16 = 6;
const PROSE_WEIGHT: u16 = 3;
const CODE_WEIGHT: u16 = 2;

#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    documents: Vec<(i64, u32)>,
    lexicon: TermDictionary,
    /// The place in `occurrences` of the latest of each word.
    latest: Vec<u32>,
    /// By document.
    occurrences: Vec<Occurrence>,
    /// Documents that were deleted again, and their words.
    forgotten: (i64, i64),
}

/// A word in a document of this segment, and its weight so far.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    word: u32,
    document: u32,
    weight: u16,
}

impl SegmentBuilder {
    /// Adds a chunk, whose row follows with [`Self::set_row`], and returns how many words it has.
    pub fn add<'s>(&mut self, chunk: &Chunk, signatures: impl Iterator<Item = &'s str>) -> u32 {
        self.documents.push((0, 0));
        self.add_text(&chunk.path, PATH_WEIGHT);
        for text in [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten() {
            self.add_text(text, SYMBOL_WEIGHT);
        }
        for signature in signatures {
            self.add_text(signature, SIGNATURE_WEIGHT);
        }
        let lower = chunk.content.to_ascii_lowercase();
        for (line, lower) in chunk.content.lines().zip(lower.lines()) {
            let is_prose = chunk.class == ContentClass::Docs || tokenizer::is_comment(line);
            self.add_tokens(line, lower, if is_prose { PROSE_WEIGHT } else { CODE_WEIGHT });
        }
        self.documents.last().map_or(0, |(_, words)| *words)
    }

    /// Adds a term that is not a word of the text, and does not count as one. It comes after [`Self::add`] of its chunk.
    #[cfg(feature = "postgres")]
    pub fn add_term(&mut self, term: &str) {
        self.count_term(term, 1);
    }

    /// The row of the chunk that was added last; rows must rise.
    pub fn set_row(&mut self, row: i64) {
        if let Some(last) = self.documents.last_mut() {
            last.0 = row;
        }
    }

    /// Takes a chunk out of the figures of this segment, and says whether it was in it.
    pub fn forget(&mut self, row: i64, words: i64) -> bool {
        let is_here = self.documents.first().is_some_and(|(first, _)| *first <= row);
        if is_here {
            self.forgotten.0 += 1;
            self.forgotten.1 += words;
        }
        is_here
    }

    fn add_text(&mut self, text: &str, weight: u16) {
        self.add_tokens(text, &text.to_ascii_lowercase(), weight);
    }

    fn add_tokens(&mut self, text: &str, lower: &str, weight: u16) {
        let mut count = 0;
        tokenizer::for_each_token_of(text, lower, |token| {
            count += 1;
            self.count_term(token, weight);
        });
        if let Some((_, words)) = self.documents.last_mut() {
            *words += count;
        }
    }

    fn count_term(&mut self, term: &str, weight: u16) {
        let document = self.documents.len() as u32 - 1;
        let word = self.lexicon.number(term);
        let latest = self.latest.get(word).and_then(|place| self.occurrences.get_mut(*place as usize));
        match latest {
            Some(latest) if latest.document == document => {
                latest.weight = latest.weight.saturating_add(weight);
            }
            _ => self.push(Occurrence { word: word as u32, document, weight }),
        }
    }

    fn push(&mut self, occurrence: Occurrence) {
        let (word, place) = (occurrence.word as usize, self.occurrences.len() as u32);
        match self.latest.get_mut(word) {
            Some(latest) => *latest = place,
            None => self.latest.push(place),
        }
        self.occurrences.push(occurrence);
    }

    /// Writes the segment. Its words go in in their order, which is the fastest way to fill a table.
    pub fn write(self, conn: &Connection) -> rusqlite::Result<()> {
        let Some(extent) = self.extent() else { return Ok(()) };
        let mut writer = SegmentWriter::new(conn, &extent)?;
        self.for_each_list(|word, list| writer.insert(word, &list))
    }

    /// What the segment covers; `None` for one without chunks.
    pub fn extent(&self) -> Option<Extent> {
        let ((first_row, _), (last_row, _)) = (*self.documents.first()?, *self.documents.last()?);
        let words: i64 = self.documents.iter().map(|(_, words)| i64::from(*words)).sum();
        let documents = self.documents.len() as i64 - self.forgotten.0;
        Some(Extent { first_row, last_row, documents, words: words - self.forgotten.1 })
    }

    /// Calls `each` with every word, in their order, and its list.
    pub fn for_each_list<E>(&self, mut each: impl FnMut(&str, Vec<u8>) -> Result<(), E>) -> Result<(), E> {
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
                each(self.lexicon.word(word), list)?;
            }
        }
        Ok(())
    }

    fn words_in_order(&self) -> Vec<usize> {
        let mut words: Vec<usize> = (0..self.lexicon.len()).collect();
        words.sort_unstable_by_key(|word| self.lexicon.word(*word));
        words
    }

    /// The occurrences of each word together, in the order of their documents, and where those of each word begin.
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

/// Writes the lists of one segment, in the order of their words.
pub(crate) struct SegmentWriter<'c> {
    segment: i64,
    insert: CachedStatement<'c>,
    encoder: PostingEncoder,
}

impl<'c> SegmentWriter<'c> {
    pub fn new(conn: &'c Connection, extent: &Extent) -> rusqlite::Result<Self> {
        let segment = conn
            .prepare_cached(
                "INSERT INTO segments (first_row, last_row, documents, words) VALUES (?, ?, ?, ?)",
            )?
            .insert((extent.first_row, extent.last_row, extent.documents, extent.words))?;
        let insert = conn.prepare_cached("INSERT INTO postings (segment, term, list) VALUES (?, ?, ?)")?;
        Ok(Self { segment, insert, encoder: PostingEncoder::default() })
    }

    pub fn write(&mut self, term: &str, postings: impl Iterator<Item = Posting>) -> rusqlite::Result<()> {
        postings.for_each(|posting| self.encoder.push(posting));
        match self.encoder.finish() {
            Some(list) => self.insert(term, &list),
            None => Ok(()),
        }
    }

    fn insert(&mut self, term: &str, list: &[u8]) -> rusqlite::Result<()> {
        self.insert.execute((self.segment, term, list)).map(drop)
    }
}
