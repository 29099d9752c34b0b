//! The files that change together with the first ones of a report's answer come forward: many a defect is mended in several.

use super::SearchContext;
use super::merge::Group;
use super::probe::Probe;
use crate::history::Companions;

/// How much relevance a file gains that changed each time the first file did.
const WEIGHT: f32 = 8.0;

/// Brings companions of the first two files forward; the first file stays first. Only reports ask for a change, and a short
/// question for one place. Relevances stay as they are, because they tell how sure an answer is.
pub(crate) fn bring_forward<'p>(
    context: &SearchContext<'_>,
    probe: &Probe,
    before: Option<&str>,
    groups: &mut [Group],
    file_of: impl Fn(usize) -> &'p str,
) {
    // Cosines alone are too small to be weighed so.
    let is_weighed = probe.uses.stage_one && probe.query.is_report() && !probe.is_code;
    if !is_weighed || context.history.is_empty() {
        return;
    }
    let file = |group: &Group| file_of(group.best.index);
    let Some(first) = groups.first().map(file) else { return };
    let second = groups.iter().map(file).find(|other| *other != first);
    let leading: Vec<&str> = std::iter::once(first).chain(second).collect();
    let companions = Companions::of(context.history, context.present, before, &leading);
    let worth = |group: &Group| group.best.relevance + WEIGHT * companions.share(file(group));
    groups[1..].sort_by(|one, other| worth(other).total_cmp(&worth(one)));
}
