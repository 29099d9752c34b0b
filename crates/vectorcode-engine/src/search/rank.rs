//! From signals to one number: a weighted sum, whose weights are in one table for each way of asking.

use super::probe::Probe;
use super::signals::{Signal, Signals};
use super::weights::{BOTH_STAGES, LIKENESS, MEANING, STAGE_ONE, Weight};

/// A candidate of the pool and its ranking score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    /// Into the pool.
    pub index: usize,
    pub relevance: f32,
}

/// The table that fits what is asked and what the index has.
pub(crate) fn table(probe: &Probe) -> &'static [Weight] {
    match (probe.is_code, probe.uses.stage_one, probe.uses.stage_two) {
        (true, ..) => LIKENESS,
        (false, true, true) => BOTH_STAGES,
        (false, true, false) => STAGE_ONE,
        (false, false, _) => MEANING,
    }
}

pub(crate) fn relevance(table: &[Weight], signals: &Signals) -> f32 {
    table.iter().map(|(signal, weight)| weight * signals[*signal]).sum()
}

/// Every signal that speaks of a candidate, with its value and what it adds to the relevance.
pub(crate) fn contributions(table: &[Weight], signals: &Signals) -> Vec<(Signal, f32, f32)> {
    let weight = |signal| table.iter().find(|(known, _)| *known == signal).map_or(0.0, |(_, weight)| *weight);
    let parts =
        Signal::ALL.iter().map(|signal| (*signal, signals[*signal], weight(*signal) * signals[*signal]));
    parts.filter(|(_, value, _)| *value != 0.0).collect()
}

/// All candidates, best first; equals stand in the pool's order.
pub(crate) fn rank(table: &[Weight], signals: &[Signals]) -> Vec<Ranked> {
    let scored = signals.iter().enumerate();
    let mut ranked: Vec<Ranked> =
        scored.map(|(index, signals)| Ranked { index, relevance: relevance(table, signals) }).collect();
    ranked
        .sort_by(|left, right| right.relevance.total_cmp(&left.relevance).then(left.index.cmp(&right.index)));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_stand_by_their_weighted_sum_and_equals_by_place() {
        let table = [(Signal::FullText, 2.0), (Signal::Test, -1.0)];
        let make = |text, test| {
            let mut signals = Signals::default();
            signals[Signal::FullText] = text;
            signals[Signal::Test] = test;
            signals
        };
        let ranked = rank(&table, &[make(0.5, 0.0), make(1.0, 1.0), make(1.0, 0.0)]);
        assert_eq!(ranked.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(contributions(&table, &make(0.5, 0.0)), [(Signal::FullText, 0.5, 1.0)]);
    }
}
