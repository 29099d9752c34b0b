//! Writes segments. Words are sorted on another thread while the rows of their chunks are written.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use vectorcode_core::lock;

use super::block::{BlockPacker, BlockWriter, PackedBlock};
use crate::index::fulltext::{Extent, FileTerms, Posting, PostingEncoder, SegmentBuilder};

/// A segment that is built on another thread while the rows of its chunks are written.
#[derive(Debug, Default)]
pub(crate) struct SegmentInBackground {
    packing: Option<Packing>,
    first_row: Option<i64>,
    /// The number of chunks that were deleted again, and the number of their words.
    forgotten: (i64, i64),
}

/// The words of a file, and for each of its new chunks the row and the index among the file's chunks.
type NewChunks = (FileTerms, Vec<(i64, usize)>);

impl SegmentInBackground {
    /// Adds the new chunks of a file. Rows must be in ascending order.
    pub fn add(&mut self, terms: FileTerms, chunks: Vec<(i64, usize)>) {
        let Some((first_row, _)) = chunks.first() else { return };
        self.first_row.get_or_insert(*first_row);
        let packing = self.packing.get_or_insert_with(Packing::start);
        // If the receiver is gone, its thread has panicked, which `finish` propagates.
        let _ = packing.sender.send((terms, chunks));
    }

    /// Removes a chunk from the statistics of this segment; false if it is not in this segment.
    pub fn forget(&mut self, row: i64, words: i64) -> bool {
        let is_here = self.first_row.is_some_and(|first| first <= row);
        if is_here {
            self.forgotten.0 += 1;
            self.forgotten.1 += words;
        }
        is_here
    }

    /// Writes the segment. Runs `meanwhile` while its words are being sorted.
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
            None => PackedSegment::of(&lock(&files)),
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
    /// `None` if the system cannot start another thread: then the segment is packed in `finish`.
    thread: Option<JoinHandle<Option<PackedSegment>>>,
}

impl Packing {
    fn start() -> Self {
        let (sender, files) = mpsc::channel();
        let files = Arc::new(Mutex::new(files));
        let received = Arc::clone(&files);
        let pack = move || PackedSegment::of(&lock(&received));
        Self { sender, files, thread: thread::Builder::new().spawn(pack).ok() }
    }
}

/// A segment, ready to be written.
#[derive(Debug)]
struct PackedSegment {
    extent: Extent,
    blocks: Vec<PackedBlock>,
}

impl PackedSegment {
    /// `None` for a segment without chunks.
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

    /// Adds postings to the list of the next term.
    pub fn extend(&mut self, postings: impl Iterator<Item = Posting>) {
        postings.for_each(|posting| self.encoder.push(posting));
    }

    /// Writes the list; a term without postings is left out.
    pub fn write(&mut self, term: &[u8]) -> rusqlite::Result<()> {
        let Some(list) = self.encoder.finish() else { return Ok(()) };
        self.blocks.write(self.packer.push(term, &list))
    }

    pub fn finish(mut self) -> rusqlite::Result<()> {
        self.blocks.write(self.packer.take())
    }
}
