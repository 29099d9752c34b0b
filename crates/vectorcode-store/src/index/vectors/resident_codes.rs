//! The codes of all vectors of a stage in memory, and how to scan them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};

use super::QueryVector;
use super::block::{Block, block_of};
use super::code::CodeLayout;
use super::scan::{Scan, Shortlist, Wanted};
use super::scan_segment::{ScanSegment, SegmentBuilder};
use crate::index::corrupt::{Corrupt, DecodeResult};

/// No model has more dimensions; a larger number means damage.
const MAX_DIMENSIONS: usize = 1 << 16;
/// Scanning the codes of this many chunks takes less than a millisecond, and starting a thread takes a twentieth of that.
const ROWS_A_THREAD: usize = 131_072;
const ROWS_OF_A_LARGE_INDEX: usize = 32_768;
/// A trade-off: a scan reads each segment sequentially, so it is faster with larger ones, but an edit of one row reloads its
/// whole segment.
const BLOCKS_A_SEGMENT: i64 = 8;

/// The code layout for vectors with this many dimensions, if the number is plausible.
pub(crate) fn checked_layout(dimensions: usize) -> DecodeResult<CodeLayout> {
    if dimensions > MAX_DIMENSIONS { Err(Corrupt) } else { Ok(CodeLayout::of(dimensions)) }
}

/// Combines blocks, given in ascending order, into segments.
pub(crate) struct Segments {
    layout: CodeLayout,
    /// The number of the segment that the last block belongs to, and its blocks so far.
    begun: Option<(i64, SegmentBuilder)>,
}

impl Segments {
    pub fn new(layout: CodeLayout) -> Self {
        Self { layout, begun: None }
    }

    /// Adds a block. If it starts a new segment, returns the previous one.
    pub fn push(&mut self, id: i64, bytes: &[u8]) -> DecodeResult<Option<(i64, ScanSegment)>> {
        let block = Block::parse(&self.layout, id, bytes)?;
        let segment = segment_of(block.id);
        let whole = self.begun.take_if(|(before, _)| *before != segment);
        self.begun.get_or_insert_with(|| (segment, SegmentBuilder::new(self.layout))).1.push(&block);
        Ok(whole.map(|(before, builder)| (before, builder.finish())))
    }

    /// The last segment; `None` if there were no blocks.
    pub fn finish(self) -> Option<(i64, ScanSegment)> {
        self.begun.map(|(last, builder)| (last, builder.finish()))
    }
}

fn segment_of(block: i64) -> i64 {
    block / BLOCKS_A_SEGMENT
}

/// All codes of a stage in memory.
#[derive(Clone, Debug)]
pub(crate) struct ResidentCodes {
    layout: CodeLayout,
    /// Shared, so that cloning this is cheap.
    segments: BTreeMap<i64, Arc<ScanSegment>>,
}

impl ResidentCodes {
    /// No codes yet, for vectors with this many dimensions.
    pub fn new(dimensions: usize) -> DecodeResult<Self> {
        Ok(Self { layout: checked_layout(dimensions)?, segments: BTreeMap::new() })
    }

    /// Adds blocks, given in ascending order. All blocks of a segment must be given together, because a segment is replaced as a
    /// whole.
    pub fn put<'b>(&mut self, blocks: impl Iterator<Item = (i64, &'b [u8])>) -> DecodeResult<()> {
        let mut segments = Segments::new(self.layout);
        for (id, bytes) in blocks {
            let whole = segments.push(id, bytes)?;
            if let Some((id, segment)) = whole {
                self.put_segment(id, segment);
            }
        }
        if let Some((id, segment)) = segments.finish() {
            self.put_segment(id, segment);
        }
        Ok(())
    }

    pub fn layout(&self) -> CodeLayout {
        self.layout
    }

    pub fn put_segment(&mut self, id: i64, segment: ScanSegment) {
        self.segments.insert(id, Arc::new(segment));
    }

    /// Drops the segments that contain these rows and returns the ranges of blocks to read again.
    pub fn drop_segments_of(&mut self, rows: impl Iterator<Item = i64>) -> Vec<Range<i64>> {
        let dropped: BTreeSet<i64> = rows.map(|row| segment_of(block_of(row))).collect();
        for id in &dropped {
            self.segments.remove(id);
        }
        dropped.into_iter().map(|id| id * BLOCKS_A_SEGMENT..(id + 1) * BLOCKS_A_SEGMENT).collect()
    }

    fn len(&self) -> usize {
        self.segments.values().map(|segment| segment.len()).sum()
    }

    /// Memory use.
    pub fn bytes(&self) -> usize {
        self.len() * (self.layout.sign_bytes() + self.layout.rest_bytes() + size_of::<u32>())
    }

    /// Whether the index is so large that reading ahead on another thread pays off. Below this size, most of what a query reads
    /// is cached, and the query is done before a thread would have helped.
    pub fn is_large(&self) -> bool {
        self.len() >= ROWS_OF_A_LARGE_INDEX
    }

    /// Scans all codes, on several threads if the index is large.
    pub fn scan<'s>(&self, queries: &[&'s QueryVector], wanted: Wanted<'s>) -> Vec<Shortlist<'s>> {
        let segments: Vec<&ScanSegment> = self.segments.values().map(Arc::as_ref).collect();
        let threads = (self.len() / ROWS_A_THREAD).clamp(1, max_threads());
        let (first, others) = segments.split_at(segments.len().div_ceil(threads));
        std::thread::scope(|scope| {
            let parts = others.chunks(first.len().max(1));
            let start = |part| {
                let scan = move || scan_part(part, queries, wanted);
                (part, std::thread::Builder::new().spawn_scoped(scope, scan))
            };
            let others: Vec<_> = parts.map(start).collect();
            let mut shortlists = scan_part(first, queries, wanted);
            for (part, other) in others {
                let other = match other {
                    Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    // The system cannot start another thread.
                    Err(_) => scan_part(part, queries, wanted),
                };
                shortlists.iter_mut().zip(other).for_each(|(one, other)| one.merge(other));
            }
            shortlists
        })
    }
}

fn scan_part<'s>(
    segments: &[&ScanSegment],
    queries: &[&'s QueryVector],
    wanted: Wanted<'s>,
) -> Vec<Shortlist<'s>> {
    let mut scan = Scan::new(queries, wanted);
    for segment in segments {
        scan.add(segment);
    }
    scan.into_shortlists()
}

/// A server answers several queries at a time, so one of them does not get the whole machine.
fn max_threads() -> usize {
    static THREADS: LazyLock<usize> =
        LazyLock::new(|| std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4)));
    *THREADS
}
