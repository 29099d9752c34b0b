//! The words of one transaction's new chunks, merged from those of their files and written as a segment.

use rusqlite::{CachedStatement, Connection};

use super::file_terms::FileTerms;
use super::posting::{Length, Posting, PostingEncoder};
use super::term_dictionary::TermDictionary;

#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    documents: Vec<(i64, u32)>,
    lexicon: TermDictionary,
    /// By document.
    occurrences: Vec<Occurrence>,
    /// Documents that were deleted again, and their words.
    forgotten: (i64, i64),
    /// The numbers that the words of the file in hand have here.
    numbers: Vec<u32>,
}

/// The word of a file has no number yet: none of its new chunks holds it.
const UNNUMBERED: u32 = u32::MAX;

/// A word in a document of this segment, and its weight.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    word: u32,
    document: u32,
    weight: u16,
}

impl SegmentBuilder {
    /// The chunks that are added next are those of the file with these words.
    pub fn begin_file(&mut self, terms: &FileTerms) {
        self.numbers.clear();
        self.numbers.resize(terms.lexicon().len(), UNNUMBERED);
    }

    /// Adds a chunk of the file in hand; rows must rise.
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

    /// Takes a chunk out of the figures of this segment, and says whether it was in it.
    pub fn forget(&mut self, row: i64, words: i64) -> bool {
        let is_here = self.documents.first().is_some_and(|(first, _)| *first <= row);
        if is_here {
            self.forgotten.0 += 1;
            self.forgotten.1 += words;
        }
        is_here
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
