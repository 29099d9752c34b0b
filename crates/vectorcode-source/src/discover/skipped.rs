//! Counts of the skipped files by reason, with a few example paths for each.

use std::collections::BTreeMap;

use vectorcode_core::SkipReason;
use vectorcode_core::api::SkippedCount;

/// Number of example paths per reason. A full list could be as long as `node_modules`.
const EXAMPLES: usize = 5;

/// What was skipped, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    reasons: BTreeMap<SkipReason, Entry>,
    listing: Listing,
}

/// How many of the skipped paths are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// A few for each reason.
    #[default]
    Examples,
    All,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Entry {
    count: u64,
    /// The first paths in alphabetical order, so that the result does not depend on the order of threads.
    examples: Vec<String>,
}

impl Skipped {
    pub fn new(listing: Listing) -> Self {
        Self { listing, ..Self::default() }
    }

    pub fn add(&mut self, reason: SkipReason, path: &str) {
        let entry = self.reasons.entry(reason).or_default();
        entry.count += 1;
        entry.show(path, self.listing);
    }

    pub fn merge(&mut self, other: &Self) {
        for (reason, theirs) in &other.reasons {
            let entry = self.reasons.entry(*reason).or_default();
            entry.count += theirs.count;
            for path in &theirs.examples {
                entry.show(path, self.listing);
            }
        }
    }

    /// One entry for each reason that occurred.
    pub fn counts(&self) -> Vec<SkippedCount> {
        self.reasons.iter().map(|(&reason, entry)| SkippedCount { reason, count: entry.count }).collect()
    }

    pub fn count(&self, reason: SkipReason) -> u64 {
        self.reasons.get(&reason).map_or(0, |entry| entry.count)
    }

    /// The paths that were kept, with their reasons, in no particular order.
    pub fn paths(&self) -> impl Iterator<Item = (&str, SkipReason)> {
        self.reasons
            .iter()
            .flat_map(|(reason, entry)| entry.examples.iter().map(|path| (path.as_str(), *reason)))
    }

    /// A few paths that were skipped for `reason`, in alphabetical order.
    pub fn examples(&self, reason: SkipReason) -> &[String] {
        self.reasons.get(&reason).map_or(&[], |entry| &entry.examples)
    }
}

impl Entry {
    fn show(&mut self, path: &str, listing: Listing) {
        if listing == Listing::All {
            self.examples.push(path.to_owned());
            return;
        }
        let place = self.examples.partition_point(|example| example.as_str() < path);
        if place < EXAMPLES {
            self.examples.insert(place, path.to_owned());
            self.examples.truncate(EXAMPLES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_all_and_shows_the_first_few() {
        let mut one = Skipped::default();
        let mut two = Skipped::default();
        for path in ["f", "b", "d"] {
            one.add(SkipReason::Binary, path);
        }
        for path in ["a", "e", "c"] {
            two.add(SkipReason::Binary, path);
        }
        one.merge(&two);
        assert_eq!(one.counts(), [SkippedCount { reason: SkipReason::Binary, count: 6 }]);
        assert_eq!(one.examples(SkipReason::Binary), ["a", "b", "c", "d", "e"]);
        assert_eq!(one.count(SkipReason::Secret), 0);
    }
}
