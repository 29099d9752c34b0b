//! The merge policy: decides which segments to merge, so that queries read few segments and deleted chunks are purged.
//!
//! It uses size classes with a fan-in of eight, like `LogMergePolicy` in Lucene and tantivy: every posting is rewritten about
//! once for each power of eight by which the index grows, and a query reads at most seven segments of a size class.

use super::segment::Extent;

/// This many segments of one size class are merged into one.
const FAN_IN: usize = 8;
/// If one chunk in this many is deleted, all segments are merged.
const DEAD_SHARE: i64 = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub id: i64,
    pub extent: Extent,
}

impl Segment {
    fn size_class(&self) -> u32 {
        self.extent.documents.max(1).ilog(FAN_IN as i64)
    }
}

/// Whether enough chunks are deleted that all segments should be merged.
pub(crate) fn should_merge_all(segments: &[Segment], dead: i64) -> bool {
    let documents = segments.iter().fold(0_i64, |sum, segment| sum.saturating_add(segment.extent.documents));
    dead > 0 && dead.saturating_mul(DEAD_SHARE) >= documents.saturating_add(dead)
}

/// The newest segments, if enough of them are in one size class. Only neighbours are merged, so that the rows of a segment stay
/// contiguous; smaller segments in between are included.
pub(crate) fn segments_to_merge(segments: &[Segment]) -> Option<&[Segment]> {
    let largest = segments.iter().map(Segment::size_class).max()?;
    (0..=largest).find_map(|class| {
        let older = segments.iter().rposition(|segment| segment.size_class() > class);
        let newest = &segments[older.map_or(0, |place| place + 1)..];
        let alike = newest.iter().filter(|segment| segment.size_class() == class).count();
        (alike >= FAN_IN).then_some(newest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(documents: &[i64]) -> Vec<Segment> {
        let segment = |(place, documents): (usize, &i64)| Segment {
            id: place as i64,
            extent: Extent {
                first_row: place as i64,
                last_row: place as i64,
                documents: *documents,
                words: 1,
            },
        };
        documents.iter().enumerate().map(segment).collect()
    }

    fn due_count(documents: &[i64]) -> usize {
        segments_to_merge(&sizes(documents)).map_or(0, <[Segment]>::len)
    }

    #[test]
    fn eight_of_a_size_are_merged_and_a_large_one_is_left_alone() {
        assert_eq!(due_count(&[100_000, 1, 1, 1, 1, 1, 1, 1]), 0);
        assert_eq!(due_count(&[100_000, 1, 1, 1, 1, 1, 1, 1, 1]), 8);
        assert_eq!(due_count(&[100_000, 600, 600, 600, 600, 2, 600, 600, 600, 600]), 9);
        assert_eq!(due_count(&[]), 0);
    }

    #[test]
    fn many_small_writes_leave_few_segments() {
        let mut documents: Vec<i64> = Vec::new();
        for _ in 0..5000 {
            documents.push(1);
            while let Some(merged) = segments_to_merge(&sizes(&documents)).map(<[Segment]>::len) {
                let tail = documents.split_off(documents.len() - merged);
                documents.push(tail.iter().sum());
            }
            assert!(documents.len() <= 7 * 5, "{documents:?}");
        }
    }
}
