//! Measures what the names in a query refer to, and how certainly. If a single file defines a name, that definition
//! is meant; if several files do, each gets a share.

use rustc_hash::FxHashMap;

use super::super::candidates::Candidate;
use super::super::probe::Probe;
use super::super::query::WrittenName;
use super::super::question::PathParts;
use super::pool_context::{ASIDE, PoolContext, share_best};
use super::{Signal, Signals};

/// However many names a file defines, one of them raises its certainty to at most this.
const SUREST: f32 = 0.95;
/// A definition whose module has the scopes that the name is written with.
const IN_MODULE: f32 = 0.9;
const IN_SIMILAR_MODULE: f32 = 0.6;
/// A name that nothing defines counts only from this length on: shorter ones are everywhere.
const MIN_HELD: usize = 5;

pub(super) fn measure(context: &PoolContext<'_>, signals: &mut [Signals]) {
    let query = &context.probe.query;
    let mut certainty = Certainty::of(context);
    let mut is_defined = vec![false; query.names.len()];
    for (place, name) in query.names.iter().enumerate() {
        let fits = fits(context.pool, |candidate| fit_of(&candidate.definition.names, place));
        // The set-up of a test may define what the code only reads. In a report, though, the code uses what examples
        // define.
        let is_aside = |index: usize| context.is_aside[context.files.of_candidates[index]];
        let counts = |index: usize| query.is_report() || !is_aside(index);
        is_defined[place] = fits.iter().any(|(index, fit)| *fit >= 1.0 && counts(*index));
        for (index, sure) in certainty.add(context, name, &fits) {
            let own = &mut signals[index][Signal::Defines];
            *own = own.max(sure);
        }
    }
    for (place, name) in query.qualified.iter().enumerate() {
        let fits = fits(context.pool, |candidate| qualified_fit(candidate, context, place));
        for (index, sure) in certainty.add(context, name, &fits) {
            let own = &mut signals[index][Signal::DefinesQualified];
            *own = own.max(sure);
        }
    }
    for (file, signals) in context.files.of_candidates.iter().zip(signals.iter_mut()) {
        signals[Signal::FileDefines] = 1.0 - certainty.unsure[*file];
        signals[Signal::DefinesAlone] = certainty.alone[*file];
    }
    for (place, name) in query.names.iter().enumerate() {
        if !is_defined[place] && !is_module(context, place) && name.text.len() >= MIN_HELD {
            measure_held(context, name, signals);
        }
    }
    share_best(context.files, signals, Signal::FileHoldsName);
}

/// Whether a name belongs to a file that the query mentions as a module; then no definition of it is needed.
fn is_module(context: &PoolContext<'_>, place: usize) -> bool {
    context.files.facts.iter().any(|file| file.mentioned.as_module >= 1.0 && file.name_written == Some(place))
}

/// The code-like names of a short query that no candidate defines or contains in any case: they are misspelt, or
/// belong to something else.
pub(crate) fn unknown<'p>(probe: &'p Probe, pool: &[Candidate]) -> Vec<&'p str> {
    let query = &probe.query;
    if query.is_report() || !probe.uses.stage_one {
        return Vec::new();
    }
    let is_known = |place: usize, name: &str| {
        let name = name.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&name);
        let in_text =
            |candidate: &Candidate| candidate.text.as_ref().is_some_and(|text| holds(&text.chunk.content));
        let defines = |candidate: &Candidate| fit_of(&candidate.definition.names, place).is_some();
        pool.iter().any(|candidate| defines(candidate) || holds(&candidate.chunk.path) || in_text(candidate))
    };
    let names =
        query.names.iter().enumerate().filter(|(_, name)| name.is_code && name.text.len() >= MIN_HELD);
    names.filter(|(place, name)| !is_known(*place, &name.text)).map(|(_, name)| name.text.as_str()).collect()
}

/// What is known about each file.
struct Certainty {
    /// The probability that the file is not meant.
    unsure: Vec<f32>,
    /// The weight of the best name that only this file defines.
    alone: Vec<f32>,
}

impl Certainty {
    fn of(context: &PoolContext<'_>) -> Self {
        let files = context.files.facts.len();
        Self { unsure: vec![1.0; files], alone: vec![0.0; files] }
    }

    /// Adds the evidence of a name, given how well each candidate matches it. Returns how certainly each candidate is
    /// meant.
    fn add(
        &mut self,
        context: &PoolContext<'_>,
        name: &WrittenName,
        fits: &[(usize, f32)],
    ) -> Vec<(usize, f32)> {
        let mut files: FxHashMap<usize, f32> = FxHashMap::default();
        for (index, fit) in fits {
            let best = files.entry(context.files.of_candidates[*index]).or_default();
            *best = best.max(*fit);
        }
        let best = files.values().copied().fold(0.0, f32::max);
        let is_header = |file: usize| context.files.facts[file].kind.header;
        let is_code = |file: usize| !context.is_aside[file] && !is_header(file);
        let has_body = files.iter().any(|(file, fit)| *fit >= best && is_code(*file));
        // A header only declares what a source file defines.
        let is_aside = |file: usize| context.is_aside[file] || (has_body && is_header(file));
        let is_rival = |file: &usize, fit: &f32| *fit >= best && !is_aside(*file);
        let rivals = files.iter().filter(|(file, fit)| is_rival(file, fit)).count();
        let share = name.weight / (rivals.max(1) as f32).sqrt();
        let aside = if rivals > 0 { ASIDE } else { 1.0 };
        let sure = |file: usize, fit: f32| share * fit * if is_aside(file) { aside } else { 1.0 };
        let chunks =
            fits.iter().map(|(index, fit)| (*index, sure(context.files.of_candidates[*index], *fit)));
        let chunks: Vec<(usize, f32)> = chunks.collect();
        for (file, fit) in &files {
            let sure = sure(*file, *fit);
            self.unsure[*file] *= 1.0 - sure.min(SUREST);
            if rivals == 1 && *fit >= 1.0 && !is_aside(*file) {
                self.alone[*file] = self.alone[*file].max(sure);
            }
        }
        chunks
    }
}

/// The matching candidates, each with how well it matches.
fn fits(pool: &[Candidate], fit: impl Fn(&Candidate) -> Option<f32>) -> Vec<(usize, f32)> {
    pool.iter().enumerate().filter_map(|(index, candidate)| Some((index, fit(candidate)?))).collect()
}

fn fit_of(known: &[(usize, f32)], place: usize) -> Option<f32> {
    known.iter().filter(|(own, _)| *own == place).map(|(_, fit)| *fit).reduce(f32::max)
}

/// How well a definition matches a name with scopes: by its own scopes, or by the module that the scopes name.
fn qualified_fit(candidate: &Candidate, context: &PoolContext<'_>, place: usize) -> Option<f32> {
    let definition = &candidate.definition;
    let by_scope = fit_of(&definition.qualified, place);
    if by_scope.is_some() || definition.names.is_empty() {
        return by_scope;
    }
    let query = &context.probe.query;
    let written = query.qualified[place].text.as_str();
    let mut scopes: Vec<String> = written.split(['.', ':', '\\']).map(str::to_lowercase).collect();
    scopes.retain(|scope| !scope.is_empty());
    let last = scopes.pop()?;
    let defines = |(name, fit): &&(usize, f32)| {
        *fit >= 1.0 && query.names.get(*name).is_some_and(|name| name.text.eq_ignore_ascii_case(&last))
    };
    definition.names.iter().find(defines)?;
    match PathParts::of(&candidate.chunk.path).scopes_in_common(&scopes) {
        0 => None,
        common if common == scopes.len() => Some(IN_MODULE),
        _ => Some(IN_SIMILAR_MODULE),
    }
}

/// Measures the candidates that contain a name which nothing defines.
fn measure_held(context: &PoolContext<'_>, name: &WrittenName, signals: &mut [Signals]) {
    let holders = fits(context.pool, |candidate| holds_whole(candidate, &name.text).then_some(1.0));
    let mut files: Vec<usize> =
        holders.iter().map(|(index, _)| context.files.of_candidates[*index]).collect();
    files.sort_unstable();
    files.dedup();
    // A query that consists of one name means every place that contains it.
    let rivals = if context.probe.query.is_symbol { 1 } else { files.len().max(1) };
    let sure = name.weight / (rivals as f32).sqrt();
    for (index, _) in holders {
        for signal in [Signal::HoldsName, Signal::FileHoldsName] {
            signals[index][signal] = signals[index][signal].max(sure);
        }
    }
}

/// Whether a text contains a name, not just as a part of a longer one.
fn holds_whole(candidate: &Candidate, name: &str) -> bool {
    let Some(text) = &candidate.text else { return false };
    let text = &text.chunk.content;
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + name.len()..]);
        !before.ends_with(is_inside) && !after.starts_with(is_inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::testing::{candidate, probe};

    /// A candidate that defines the first name of the query.
    fn defining(path: &str, fit: f32) -> Candidate {
        let mut candidate = candidate(path, "f", 1..=2, "");
        candidate.definition.names = vec![(0, fit)];
        candidate
    }

    fn measured(query: &str, pool: &[Candidate]) -> Vec<Signals> {
        super::super::measure(&probe(query), pool)
    }

    #[test]
    fn what_one_file_alone_defines_is_surer_than_what_several_do() {
        let query = "where is parse_header called";
        let of = |pool: &[Candidate]| measured(query, pool)[0].clone();
        let only = of(&[defining("a.rs", 1.0)]);
        let one_of_two = of(&[defining("a.rs", 1.0), defining("b.rs", 1.0)]);
        let beside_example = of(&[defining("a.rs", 1.0), defining("examples/b.rs", 1.0)]);
        assert!(only[Signal::Defines] > one_of_two[Signal::Defines]);
        assert!(only[Signal::DefinesAlone] > 0.9 && beside_example[Signal::DefinesAlone] > 0.9);
        assert!(one_of_two[Signal::DefinesAlone] < 0.1);
        assert!(one_of_two[Signal::FileDefines] > 0.5);
    }

    #[test]
    fn a_header_only_declares_what_other_code_defines() {
        let pool = [defining("include/pool.h", 1.0), defining("src/pool.c", 1.0)];
        let signals = measured("pool_open", &pool);
        assert!(signals[1][Signal::DefinesAlone] > 0.9);
        assert!(signals[0][Signal::Defines] < 0.5 && signals[0][Signal::DefinesAlone] < 0.1);
        let alone = measured("pool_open", &[defining("include/pool.h", 1.0)]);
        assert!(alone[0][Signal::DefinesAlone] > 0.9, "a macro, or a function that is defined there");
    }

    #[test]
    fn another_case_is_another_name() {
        let signals = measured("Session", &[defining("a.rs", 1.0), defining("b.rs", 0.3)]);
        assert!(signals[0][Signal::Defines] > 2.0 * signals[1][Signal::Defines]);
        assert!(signals[0][Signal::DefinesAlone] > 0.9, "the other is no rival");
    }

    #[test]
    fn a_module_is_the_scope_of_what_it_defines() {
        let pool = [defining("pkg/net/retry.py", 1.0), defining("pkg/net/queue.py", 1.0)];
        let signals = measured("net.retry.run_once is slow", &pool);
        assert!(signals[0][Signal::DefinesQualified] > 0.5 && signals[1][Signal::DefinesQualified] < 0.1);
    }

    #[test]
    fn a_name_that_nothing_defines_is_found_whole() {
        let pool =
            ["env['WEB_KEY']", "env['WEB_KEYS'], MY_WEB_KEY"].map(|text| candidate("a.rs", "f", 1..=2, text));
        let signals = measured("WEB_KEY", &pool);
        assert!(signals[0][Signal::HoldsName] > 0.9 && signals[1][Signal::HoldsName] < 0.1);
    }

    #[test]
    fn a_definition_in_a_test_alone_leaves_the_code_that_reads_the_name() {
        let pool = [defining("tests/set_up.rs", 1.0), candidate("a.rs", "f", 1..=2, "env['WEB_KEY']")];
        assert!(measured("WEB_KEY", &pool)[1][Signal::HoldsName] > 0.9);
    }

    #[test]
    fn every_holder_of_the_one_name_that_is_asked_for_is_meant() {
        let pool = ["a.rs", "b.rs", "c.rs", "d.rs"].map(|path| candidate(path, "f", 1..=2, "env['WEB_KEY']"));
        let signals = measured("WEB_KEY", &pool);
        assert!(signals.iter().all(|signals| signals[Signal::HoldsName] > 0.9));
    }
}
