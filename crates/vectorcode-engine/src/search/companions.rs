//! Moves up files that usually change together with the first results of a report, because many defects are fixed in
//! several files.

use super::SearchContext;
use super::merge::Group;
use super::probe::Probe;
use crate::history::Companions;

/// How much relevance a file gains if it changed every time the first file did.
const WEIGHT: f32 = 8.0;

/// Moves companions of the first two files up; the first file stays first. Only for reports, because they ask for a
/// change, while a short query asks for one place. Relevances are not changed, because they express how certain a
/// result is.
pub(crate) fn bring_forward<'p>(
    context: &SearchContext<'_>,
    probe: &Probe,
    before: Option<&str>,
    groups: &mut [Group],
    file_of: impl Fn(usize) -> &'p str,
) {
    // Without stage one, relevances are cosines, which are too small for this weight.
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
