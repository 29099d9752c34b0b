//! The words of one transaction's new chunks, merged from those of their files and written as a segment.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::block::{BlockPacker, BlockWriter, PackedBlock};
use super::file_terms::FileTerms;
use super::posting::{Length, Posting, PostingEncoder};
use super::term_dictionary::TermDictionary;

#[derive(Debug, Default)]
pub(crate) struct SegmentBuilder {
    documents: Vec<(i64, u32)>,
    lexicon: TermDictionary,
    /// By document.
    occurrences: Vec<Occurrence>,
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

    /// What the segment covers; `None` for one without chunks.
    pub fn extent(&self) -> Option<Extent> {
        let ((first_row, _), (last_row, _)) = (*self.documents.first()?, *self.documents.last()?);
        let words: i64 = self.documents.iter().map(|(_, words)| i64::from(*words)).sum();
        Some(Extent { first_row, last_row, documents: self.documents.len() as i64, words })
    }

    /// Calls `each` with every word, in their order, and its list.
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

/// A segment that is built by another thread while the rows of its chunks are written.
#[derive(Debug, Default)]
pub(crate) struct SegmentInBackground {
    packing: Option<Packing>,
    first_row: Option<i64>,
    /// Chunks that were deleted again, and their words.
    forgotten: (i64, i64),
}

/// The words of a file, and of its new chunks the row and the place among its chunks.
type NewChunks = (FileTerms, Vec<(i64, usize)>);

impl SegmentInBackground {
    /// Adds the new chunks of a file; rows must rise.
    pub fn add(&mut self, terms: FileTerms, chunks: Vec<(i64, usize)>) {
        let Some((first_row, _)) = chunks.first() else { return };
        self.first_row.get_or_insert(*first_row);
        let packing = self.packing.get_or_insert_with(Packing::start);
        // One that does not listen has panicked, which `finish` passes on.
        let _ = packing.sender.send((terms, chunks));
    }

    /// Takes a chunk out of the figures of this segment, and says whether it was in it.
    pub fn forget(&mut self, row: i64, words: i64) -> bool {
        let is_here = self.first_row.is_some_and(|first| first <= row);
        if is_here {
            self.forgotten.0 += 1;
            self.forgotten.1 += words;
        }
        is_here
    }

    /// Writes the segment. What `meanwhile` does is done while its words are sorted.
    pub fn finish(
        self,
        conn: &Connection,
        meanwhile: impl FnOnce() -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let packing = self.packing.map(|Packing { files, thread, .. }| (files, thread));
        meanwhile()?;
        let Some((files, thread)) = packing else { return Ok(()) };
        let packed = match thread {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => PackedSegment::of(&files.lock().unwrap_or_else(PoisonError::into_inner)),
        };
        let Some(PackedSegment { mut extent, blocks }) = packed else { return Ok(()) };
        extent.documents -= self.forgotten.0;
        extent.words -= self.forgotten.1;
        BlockWriter::new(conn, insert_segment(conn, &extent)?)?.write(blocks)
    }
}

#[derive(Debug)]
struct Packing {
    sender: Sender<NewChunks>,
    files: Arc<Mutex<Receiver<NewChunks>>>,
    /// `None` where the system has no thread left: then the segment is packed when it is finished.
    thread: Option<JoinHandle<Option<PackedSegment>>>,
}

impl Packing {
    fn start() -> Self {
        let (sender, files) = mpsc::channel();
        let files = Arc::new(Mutex::new(files));
        let received = Arc::clone(&files);
        let pack = move || PackedSegment::of(&received.lock().unwrap_or_else(PoisonError::into_inner));
        Self { sender, files, thread: thread::Builder::new().spawn(pack).ok() }
    }
}

/// A segment as it is written.
#[derive(Debug)]
struct PackedSegment {
    extent: Extent,
    blocks: Vec<PackedBlock>,
}

impl PackedSegment {
    /// `None` for one without chunks.
    fn of(files: &Receiver<NewChunks>) -> Option<Self> {
        let mut builder = SegmentBuilder::default();
        for (terms, chunks) in files {
            builder.begin_file(&terms);
            for (row, place) in chunks {
                builder.add(row, &terms, place);
            }
        }
        let (mut packer, mut blocks) = (BlockPacker::default(), Vec::new());
        builder.for_each_list(|word, list| blocks.extend(packer.push(word.as_bytes(), &list)));
        blocks.extend(packer.take());
        Some(Self { extent: builder.extent()?, blocks })
    }
}

fn insert_segment(conn: &Connection, extent: &Extent) -> rusqlite::Result<i64> {
    conn.prepare_cached("INSERT INTO segments (first_row, last_row, documents, words) VALUES (?, ?, ?, ?)")?
        .insert((extent.first_row, extent.last_row, extent.documents, extent.words))
}

/// Writes a segment list by list, in the order of their terms.
pub(super) struct SegmentWriter<'c> {
    blocks: BlockWriter<'c>,
    packer: BlockPacker,
    encoder: PostingEncoder,
}

impl<'c> SegmentWriter<'c> {
    pub fn new(conn: &'c Connection, extent: &Extent) -> rusqlite::Result<Self> {
        let blocks = BlockWriter::new(conn, insert_segment(conn, extent)?)?;
        Ok(Self { blocks, packer: BlockPacker::default(), encoder: PostingEncoder::default() })
    }

    /// Adds to the list of the term that is written next.
    pub fn extend(&mut self, postings: impl Iterator<Item = Posting>) {
        postings.for_each(|posting| self.encoder.push(posting));
    }

    /// Writes the list; a term without any is left out.
    pub fn write(&mut self, term: &[u8]) -> rusqlite::Result<()> {
        let Some(list) = self.encoder.finish() else { return Ok(()) };
        self.blocks.write(self.packer.push(term, &list))
    }

    pub fn finish(mut self) -> rusqlite::Result<()> {
        self.blocks.write(self.packer.take())
    }
}
