//! Decides which results of a page are shown with code, and how much, within the token budget.
//!
//! One line for each result comes first, so that every file is named early; whole functions follow until the budget is spent.
//! This was chosen on the titles of 76 bug reports (docs/notes/agents.md): the second location in the best file contains
//! changed lines as often as the first location in the second file, the third one in the best file far less often. Blocks of 25
//! lines showed fewer changed lines for the same tokens, and so did functions of unlimited length, since a long one left no
//! room for others.

use std::collections::HashMap;
use std::ops::Range;

use vectorcode_core::api::Hit;

use super::excerpt::QueryWords;
use super::hit::{code_block, summary};
use crate::budget::tokens;
use crate::shown_code::ShownLines;

/// With fewer lines than this, code says no more than the signature.
const MIN_CODE_LINES: usize = 4;
/// A function of at most this size is shown whole if there is room for it.
const SHORT_FUNCTION_TOKENS: usize = 400;
/// Tokens for the one-line list of results, reserved before the code.
const LIST_TOKENS: usize = 140;
/// Share of the list in the budget, in percent: the maximum counts for small budgets, the minimum for large ones.
const MAX_LIST_PERCENT: usize = 35;
const MIN_LIST_PERCENT: usize = 7;
/// How far the next location in the same file ranks behind the previous one, in percent of the distance between two files.
const NEXT_PLACE_PERCENT: usize = 70;

/// Marks a result whose code the conversation has already seen.
pub(super) const SHOWN_BEFORE: &str = " (shown before)";

/// Which results are listed, and which of them are shown with code.
pub(super) struct Packing<'h> {
    /// The number of listed results, from the first.
    pub(super) listed: usize,
    /// Results with the lines to show; locations of the same file are adjacent.
    pub(super) with_code: Vec<(&'h Hit, Range<usize>)>,
    /// Results whose code would be shown if the conversation had not already seen it.
    pub(super) repeated: Vec<&'h Hit>,
}

/// Packs a page of results.
pub(super) struct Packer<'p> {
    pub(super) words: &'p QueryWords,
    /// Tokens for the list and the code.
    pub(super) budget: usize,
    /// False if no result is related to the query, since unrelated code is not worth its tokens.
    pub(super) shows_code: bool,
    /// The lines that the conversation has already seen.
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

    /// Chooses the code of the best results, and the results whose lines were already shown. Deducts the cost from `left`.
    fn code<'h>(&self, hits: &[&'h Hit], left: &mut usize) -> (Vec<(&'h Hit, Range<usize>)>, Vec<&'h Hit>) {
        // One long function must not use the room of all others. The rest of it can be read with `vec_read`.
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

    /// The lines of a result that fit; `None` if they would be too few.
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

/// The results in the order in which their code should be shown, each with the index of its file.
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
