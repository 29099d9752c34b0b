//! Packs an outline into pieces. Items get their own piece, small ones are merged, large ones are split by their
//! children.

use std::ops::Range;

use super::piece::Piece;
use super::split::{Naming, split};
use super::{MAX_BYTES, MIN_BYTES, OWN_STATEMENT_BYTES, RUN_BYTES, SPLIT_BYTES};
use crate::extract::{Entry, EntryRole};
use crate::lines::Lines;

/// Maximum depth at which large pieces are split by their children. Deeper ones are split by lines.
const MAX_DEPTH: usize = 64;

/// Maximum number of blank lines between two pieces that are merged. More of them are the outputs between two cells of a
/// notebook, which would be shown as an empty page.
const MAX_GAP_LINES: usize = 15;

pub(super) fn pack(lines: &Lines<'_>, outline: &[Entry]) -> Vec<Piece> {
    let mut packer = Packer { lines, outline, pieces: Vec::new() };
    packer.pack_inside(&Container {
        entry: None,
        outer_context: None,
        context: None,
        lines: lines.all(),
        children: 0..outline.len(),
        depth: 0,
    });
    packer.pieces
}

struct Packer<'a, 't> {
    lines: &'a Lines<'t>,
    outline: &'a [Entry],
    pieces: Vec<Piece>,
}

/// The file, or an entry that is too large for one chunk.
struct Container {
    entry: Option<usize>,
    /// Parent context of its first lines.
    outer_context: Option<usize>,
    /// Parent context of its children.
    context: Option<usize>,
    lines: Range<usize>,
    /// The outline entries inside it.
    children: Range<usize>,
    depth: usize,
}

/// Consecutive lines of a container: a child, or the text between two children.
struct Segment {
    lines: Range<usize>,
    len: usize,
    sort: Sort,
    owner: Option<usize>,
    context: Option<usize>,
    /// The outline entries inside a child.
    children: Range<usize>,
}

/// Only small segments of the same sort are merged into a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Item,
    Import,
    Loose,
}

impl Sort {
    /// Minimum size of a segment that gets its own piece.
    fn own_bytes(self) -> usize {
        match self {
            Self::Item => MIN_BYTES,
            Self::Import => SPLIT_BYTES,
            Self::Loose => OWN_STATEMENT_BYTES,
        }
    }

    /// Maximum size of a run of small segments.
    fn run_bytes(self) -> usize {
        match self {
            Self::Item | Self::Loose => RUN_BYTES,
            Self::Import => SPLIT_BYTES,
        }
    }
}

impl Packer<'_, '_> {
    fn pack_inside(&mut self, container: &Container) {
        let first = self.pieces.len();
        let mut run: Option<(Sort, Piece)> = None;
        for segment in self.segments(container) {
            if segment.len > MAX_BYTES {
                self.pieces.extend(run.take().map(|(_, run)| run));
                self.open(segment, container);
            } else {
                self.gather(&mut run, &segment);
            }
        }
        self.pieces.extend(run.map(|(_, run)| run));
        self.join_small(first);
    }

    /// Adds a segment to the open run of its sort, or gives it its own piece.
    fn gather(&mut self, run: &mut Option<(Sort, Piece)>, segment: &Segment) {
        let piece = Piece::of_lines(segment.lines.clone(), segment.owner, segment.context, segment.len);
        if segment.len >= segment.sort.own_bytes() {
            self.pieces.extend(run.take().map(|(_, run)| run));
            self.pieces.push(piece);
            return;
        }
        match run {
            Some((sort, open))
                if *sort == segment.sort && self.fits(open, &piece, sort.run_bytes()).is_some() =>
            {
                let lines = open.lines.start..piece.lines.end;
                open.absorb(piece, lines);
            }
            _ => {
                let closed = run.replace((segment.sort, piece));
                self.pieces.extend(closed.map(|(_, run)| run));
            }
        }
    }

    /// Splits a segment that is too large: by its children if it has any, by lines otherwise.
    fn open(&mut self, segment: Segment, container: &Container) {
        if segment.children.is_empty() || container.depth >= MAX_DEPTH {
            let naming = Naming {
                owner: segment.owner,
                first_context: segment.context,
                rest_context: segment.owner.or(segment.context),
            };
            self.pieces.extend(split(self.lines, segment.lines, naming));
        } else {
            self.pack_inside(&Container {
                entry: segment.owner,
                outer_context: container.context,
                context: self.named(segment.owner).or(container.context),
                lines: segment.lines,
                children: segment.children,
                depth: container.depth + 1,
            });
        }
    }

    /// Returns the entry only if it is named. A first line like `#ifdef` or `{` is useless as a parent context.
    fn named(&self, entry: Option<usize>) -> Option<usize> {
        entry.filter(|index| self.outline[*index].is_named())
    }

    /// Merges pieces that are too small with a neighbour in the same container.
    fn join_small(&mut self, first: usize) {
        let mut at = first;
        while at < self.pieces.len() {
            if self.is_large_enough(&self.pieces[at]) {
                at += 1;
                continue;
            }
            match self.better_neighbour(at, first) {
                Some((left, lines)) => {
                    let right = self.pieces.remove(left + 1);
                    self.pieces[left].absorb(right, lines);
                    at = left;
                }
                None => at += 1,
            }
        }
    }

    /// A comment that belongs to no item must be larger than other pieces to get its own chunk.
    fn is_large_enough(&self, piece: &Piece) -> bool {
        let least = if piece.is_comment() { OWN_STATEMENT_BYTES } else { MIN_BYTES };
        piece.len(self.lines) >= least
    }

    /// The index of the first of the two pieces to merge, and the lines of both. A closing brace belongs to the
    /// piece above it and a comment to the piece below it. Otherwise the merge with the smaller result is chosen.
    fn better_neighbour(&self, at: usize, first: usize) -> Option<(usize, Range<usize>)> {
        let piece = &self.pieces[at];
        let join = |left: usize| {
            let (a, b) = (self.pieces.get(left)?, self.pieces.get(left + 1)?);
            Some((left, self.fits(a, b, MAX_BYTES)?))
        };
        let up = (at > first).then(|| join(at - 1)).flatten();
        let down = join(at);
        match (up, down) {
            (Some(up), Some(down)) => {
                let closes = self.lines.line(piece.lines.start).trim_start().starts_with(['}', ')', ']']);
                let smaller_above = self.lines.len(&up.1) <= self.lines.len(&down.1);
                let goes_up = closes || (smaller_above && !piece.is_comment());
                Some(if goes_up { up } else { down })
            }
            (up, down) => up.or(down),
        }
    }

    /// The combined lines of two neighbours, if they are within the limit.
    fn fits(&self, a: &Piece, b: &Piece, limit: usize) -> Option<Range<usize>> {
        let gap = b.lines.start.saturating_sub(a.lines.end);
        a.union(b).filter(|lines| gap <= MAX_GAP_LINES && self.lines.len(lines) <= limit)
    }
}

/// Divides a container into segments.
impl Packer<'_, '_> {
    fn segments(&self, container: &Container) -> Vec<Segment> {
        let mut segments = Vec::new();
        let mut at = container.lines.start;
        let mut child = container.children.start;
        while child < container.children.end {
            let inside = child + 1..self.subtree_end(child, container.children.end);
            let touched = self.lines.touched(&self.outline[child].bytes);
            let lines = touched.start.max(at)..touched.end.min(container.lines.end);
            // A child whose lines are all in the segment before it is part of that segment.
            if !lines.is_empty() {
                segments.extend(self.between(container, at..lines.start));
                segments.extend(self.child(container, child, &lines, inside.clone()));
                at = lines.end;
            }
            child = inside.end;
        }
        segments.extend(self.between(container, at..container.lines.end));
        segments
    }

    /// End of the range of outline entries that are inside entry `index`.
    fn subtree_end(&self, index: usize, limit: usize) -> usize {
        let end = self.outline[index].bytes.end;
        let inside = |entry: &Entry| entry.bytes.start < end;
        (index + 1..limit).find(|next| !inside(&self.outline[*next])).unwrap_or(limit)
    }

    fn child(
        &self,
        container: &Container,
        index: usize,
        lines: &Range<usize>,
        children: Range<usize>,
    ) -> Option<Segment> {
        let lines = self.lines.trim(lines.clone())?;
        let sort = match self.outline[index].role {
            EntryRole::Item => Sort::Item,
            EntryRole::Import => Sort::Import,
            EntryRole::Loose => Sort::Loose,
        };
        let len = self.lines.len(&lines);
        Some(Segment { lines, len, sort, owner: Some(index), context: container.context, children })
    }

    /// The text between children belongs to the container. Its first lines are its head.
    fn between(&self, container: &Container, lines: Range<usize>) -> Option<Segment> {
        let is_head = lines.start == container.lines.start;
        let lines = self.lines.trim(lines)?;
        let len = self.lines.len(&lines);
        let context = if is_head { container.outer_context } else { container.context };
        // The head of a large item contains its name, so it counts as an item even when it is short.
        let sort = if container.entry.is_some() { Sort::Item } else { Sort::Loose };
        Some(Segment { lines, len, sort, owner: container.entry, context, children: 0..0 })
    }
}
