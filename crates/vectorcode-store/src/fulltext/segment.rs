//! The words of one transaction's new chunks, gathered and written as a segment.

use rusqlite::{CachedStatement, Connection};
use rustc_hash::FxHashMap;
use vectorcode_core::{Chunk, ContentClass};

use super::posting::{Length, Posting, PostingEncoder};
use super::tokens;

/// How much an occurrence counts, by where it stands, in halves.
const PATH_WEIGHT: u16 = 5;
const SYMBOL_WEIGHT: u16 = 12;
const SIGNATURE_WEIGHT: u16 = 6;
const PROSE_WEIGHT: u16 = 3;
const CODE_WEIGHT: u16 = 2;

#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    documents: Vec<(i64, u32)>,
    terms: FxHashMap<String, Vec<Occurrence>>,
}

/// A word in a document of this segment, and its weight so far.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    document: u32,
    weight: u16,
}

impl SegmentBuilder {
    /// Adds a chunk; rows must rise.
    pub fn add<'s>(&mut self, row: i64, chunk: &Chunk, signatures: impl Iterator<Item = &'s str>) {
        self.documents.push((row, 0));
        self.add_text(&chunk.path, PATH_WEIGHT);
        for text in [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten() {
            self.add_text(text, SYMBOL_WEIGHT);
        }
        for signature in signatures {
            self.add_text(signature, SIGNATURE_WEIGHT);
        }
        for line in chunk.content.lines() {
            let is_prose = chunk.class == ContentClass::Docs || tokens::is_comment(line);
            self.add_text(line, if is_prose { PROSE_WEIGHT } else { CODE_WEIGHT });
        }
    }

    fn add_text(&mut self, text: &str, weight: u16) {
        let document = self.documents.len() as u32 - 1;
        let mut count = 0;
        tokens::for_each_token(text, |token| {
            count += 1;
            let Some(occurrences) = self.terms.get_mut(token) else {
                self.terms.insert(token.to_owned(), vec![Occurrence { document, weight }]);
                return;
            };
            match occurrences.last_mut() {
                Some(last) if last.document == document => last.weight = last.weight.saturating_add(weight),
                _ => occurrences.push(Occurrence { document, weight }),
            }
        });
        if let Some((_, words)) = self.documents.last_mut() {
            *words += count;
        }
    }

    /// Writes the segment. Its words go in in their order, which is the fastest way to fill a table.
    pub fn write(self, conn: &Connection) -> rusqlite::Result<()> {
        let (Some((first_row, _)), Some((last_row, _))) = (self.documents.first(), self.documents.last())
        else {
            return Ok(());
        };
        let words = self.documents.iter().map(|(_, words)| i64::from(*words)).sum();
        let (first_row, last_row, documents) = (*first_row, *last_row, self.documents.len() as i64);
        let mut writer = SegmentWriter::new(conn, &Extent { first_row, last_row, documents, words })?;
        let mut terms: Vec<_> = self.terms.into_iter().collect();
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let facts: Vec<(i64, Length)> =
            self.documents.iter().map(|(row, words)| (*row, Length::of(*words))).collect();
        for (term, occurrences) in &terms {
            let postings = occurrences.iter().map(|occurrence| {
                let (row, length) = facts[occurrence.document as usize];
                Posting { row, weight: occurrence.weight.min(255) as u8, length }
            });
            writer.write(term, postings)?;
        }
        Ok(())
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
            Some(list) => self.insert.execute((self.segment, term, list)).map(drop),
            None => Ok(()),
        }
    }
}
