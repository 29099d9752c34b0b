//! Which results of a page get code, and how much, within the token budget.
//!
//! A line for each result comes first, so that every file is named early; whole functions follow until the budget is spent.
//! Chosen on the titles of 76 bug reports (docs/notes/agents.md): the second place in the best file holds changed lines as often
//! as the first place in the second file, the third one in the best file far less. Blocks of 25 lines showed fewer changed
//! lines for the same tokens, and so did functions without any bound, since a long one left no room for others.

use std::collections::HashMap;
use std::ops::Range;

use vectorcode_core::api::Hit;

use super::excerpt::QueryWords;
use super::hit::{code_block, summary};
use crate::budget::tokens;
use crate::shown_code::ShownLines;

/// Fewer lines than these say no more than the signature.
const MIN_CODE_LINES: usize = 4;
/// A function that takes no more than this is shown whole where there is room for it.
const SHORT_FUNCTION_TOKENS: usize = 400;
/// Tokens for the lines of results, before the code gets its part.
const LIST_TOKENS: usize = 140;
/// Their part of the budget, in percent: at most, where the budget is small, and at least, where it is large.
const MAX_LIST_PERCENT: usize = 35;
const MIN_LIST_PERCENT: usize = 7;
/// How far a further place of a file ranks behind the one before it, in percent of the distance between two files.
const NEXT_PLACE_PERCENT: usize = 70;

/// After the line of a result whose code the conversation has seen.
pub(super) const SHOWN_BEFORE: &str = " (shown before)";

/// Results that are listed, and those of them that are shown with code.
pub(super) struct Packing<'h> {
    /// How many of the results are listed, from the first.
    pub(super) listed: usize,
    /// With the lines that are shown; the places of a file stand together.
    pub(super) with_code: Vec<(&'h Hit, Range<usize>)>,
    /// Those whose code would be shown, had the conversation not seen it.
    pub(super) repeated: Vec<&'h Hit>,
}

/// How a page is packed.
pub(super) struct Packer<'p> {
    pub(super) words: &'p QueryWords,
    /// Tokens for lines and code.
    pub(super) budget: usize,
    /// Code that has nothing to do with the question is not worth its tokens.
    pub(super) shows_code: bool,
    /// What the conversation has seen.
    pub(super) shown: &'p ShownLines,
}

impl Packer<'_> {
    pub(super) fn pack<'h>(&self, hits: &[&'h Hit]) -> Packing<'h> {
        let costs: Vec<usize> = hits.iter().map(|hit| tokens(&summary(hit)) + 1).collect();
        let mut listed = fitting(&costs, self.list_room()).max(1).min(hits.len());
        let mut left = self.budget.saturating_sub(costs[..listed].iter().sum());
        let (with_code, repeated) =
            if self.shows_code { self.code(&hits[..listed], &mut left) } else { (Vec::new(), Vec::new()) };
        listed += fitting(&costs[listed..], left);
        Packing { listed, with_code, repeated }
    }

    fn list_room(&self) -> usize {
        let percent = |part: usize| self.budget * part / 100;
        if self.shows_code {
            LIST_TOKENS.clamp(percent(MIN_LIST_PERCENT), percent(MAX_LIST_PERCENT))
        } else {
            self.budget
        }
    }

    /// The code of the best results, and those of which the same lines were shown before; what it costs is taken off `left`.
    fn code<'h>(&self, hits: &[&'h Hit], left: &mut usize) -> (Vec<(&'h Hit, Range<usize>)>, Vec<&'h Hit>) {
        // One long function must not take the room of all others. The rest of it is a call of `vec_read` away.
        let most = if hits.len() > 1 { (*left / 2).max(SHORT_FUNCTION_TOKENS) } else { *left };
        let mut shown: Vec<(usize, &Hit, Range<usize>)> = Vec::new();
        let mut repeated = Vec::new();
        for (file, hit) in in_order_of_evidence(hits) {
            let Some(range) = self.code_within(hit, most.min(*left)) else { break };
            if self.shown.contain(hit, &range) {
                *left = left.saturating_sub(tokens(SHOWN_BEFORE));
                repeated.push(hit);
                continue;
            }
            *left = left.saturating_sub(tokens(&code_block(hit, &range)) + 2);
            shown.push((file, hit, range));
        }
        shown.sort_by_key(|(file, ..)| *file);
        (shown.into_iter().map(|(_, hit, range)| (hit, range)).collect(), repeated)
    }

    /// The lines of a result that fit; `None` where they would be too few.
    fn code_within(&self, hit: &Hit, left: usize) -> Option<Range<usize>> {
        let lines = hit.content.trim_end().lines().count();
        let mut wanted = lines;
        loop {
            let range = self.words.window(&hit.content, wanted);
            if tokens(&code_block(hit, &range)) + 2 <= left {
                return Some(range);
            }
            wanted = wanted * 7 / 8;
            if wanted < MIN_CODE_LINES.min(lines) || wanted == 0 {
                return None;
            }
        }
    }
}

/// The results in the order in which their code is worth its tokens, each with the place of its file among the files.
fn in_order_of_evidence<'h>(hits: &[&'h Hit]) -> Vec<(usize, &'h Hit)> {
    let mut files: HashMap<(&Option<String>, &str), (usize, usize)> = HashMap::new();
    let mut order: Vec<(usize, usize, &Hit)> = Vec::new();
    for hit in hits {
        let next = files.len();
        let (file, places) = files.entry((&hit.project, hit.path.as_str())).or_insert((next, 0));
        order.push((*file * 100 + *places * NEXT_PLACE_PERCENT, *file, hit));
        *places += 1;
    }
    order.sort_by_key(|(rank, ..)| *rank);
    order.into_iter().map(|(_, file, hit)| (file, hit)).collect()
}

/// How many of `costs`, from the first, fit into `budget`.
pub(super) fn fitting(costs: &[usize], budget: usize) -> usize {
    costs
        .iter()
        .scan(0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        })
        .take_while(|sum| *sum <= budget)
        .count()
}
