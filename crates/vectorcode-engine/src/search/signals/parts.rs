//! The signals for the parts of a report (title, body, code and traces), and for the files and texts that a query
//! mentions.

use super::super::candidates::Candidate;
use super::super::probe::{BODY, CODE, TITLE};
use super::super::words::{WordMatcher, WordSet};
use super::pool_context::{PoolContext, share_best};
use super::{Signal, Signals, focus, last_part, set_ranks, set_similarities};

/// For a report of one sentence, the title and body signals are copies of these.
const WHOLE_AND_TITLE: [(Signal, Signal); 9] = [
    (Signal::FullText, Signal::TitleFullText),
    (Signal::Static, Signal::TitleStatic),
    (Signal::Provider, Signal::TitleProvider),
    (Signal::FileFullText, Signal::TitleFileFullText),
    (Signal::FileStatic, Signal::TitleFileStatic),
    (Signal::Static, Signal::BodyStatic),
    (Signal::FileStatic, Signal::BodyFileStatic),
    (Signal::Static, Signal::BestStatic),
    (Signal::Provider, Signal::BestProvider),
];

/// The kinds of files that match reports too often, and the signals for them.
const KINDS: [(Signal, Signal); 4] = [
    (Signal::Test, Signal::ReportTest),
    (Signal::Example, Signal::ReportExample),
    (Signal::Docs, Signal::ReportDocs),
    (Signal::Config, Signal::ReportConfig),
];

pub(super) fn measure(context: &PoolContext<'_>, title: &WordMatcher<'_>, signals: &mut [Signals]) {
    // The weights for short queries have none of these.
    if context.probe.query.is_report() {
        measure_parts(context, title, signals);
    }
    measure_mentions(context, signals);
    measure_literals(context, signals);
}

fn measure_parts(context: &PoolContext<'_>, title: &WordMatcher<'_>, signals: &mut [Signals]) {
    if context.probe.query.report.is_some() {
        measure_lists(context, signals);
        copy(&KINDS, signals);
    } else {
        copy(&WHOLE_AND_TITLE, signals);
    }
    measure_title_words(context, title, signals);
}

fn copy(pairs: &[(Signal, Signal)], signals: &mut [Signals]) {
    for signals in signals {
        for (from, to) in pairs {
            signals[*to] = signals[*from];
        }
    }
}

/// How well full text and vectors match the title, the body and the code.
fn measure_lists(context: &PoolContext<'_>, signals: &mut [Signals]) {
    let PoolContext { pool, files, .. } = *context;
    let similarity =
        |part: usize, of: fn(&vectorcode_store::PartScores) -> Option<f32>| -> Vec<Option<f32>> {
            pool.iter().map(|candidate| candidate.parts.get(part).and_then(of)).collect()
        };
    let title = similarity(TITLE, |scores| scores.static_similarity);
    let body = similarity(BODY, |scores| scores.static_similarity);
    let by_provider = similarity(TITLE, |scores| scores.provider_similarity);
    set_full_text(pool, TITLE, signals, Signal::TitleFullText);
    set_full_text(pool, CODE, signals, Signal::CodeFullText);
    set_similarities(&title, signals, Signal::TitleStatic);
    set_similarities(&by_provider, signals, Signal::TitleProvider);
    set_ranks(&title, signals, Signal::TitleFileStatic);
    if body.iter().any(Option::is_some) {
        set_similarities(&body, signals, Signal::BodyStatic);
        set_ranks(&body, signals, Signal::BodyFileStatic);
    }
    for signals in signals.iter_mut() {
        signals[Signal::TitleFileFullText] = signals[Signal::TitleFullText];
        signals[Signal::CodeFileFullText] = signals[Signal::CodeFullText];
        let best = signals[Signal::Static].max(signals[Signal::TitleStatic]);
        signals[Signal::BestStatic] = best.max(signals[Signal::BodyStatic]);
        signals[Signal::BestProvider] = signals[Signal::Provider].max(signals[Signal::TitleProvider]);
    }
    for signal in
        [Signal::TitleFileFullText, Signal::CodeFileFullText, Signal::TitleFileStatic, Signal::BodyFileStatic]
    {
        share_best(files, signals, signal);
    }
}

/// BM25 for one part, as a share of the best in the pool.
fn set_full_text(pool: &[Candidate], part: usize, signals: &mut [Signals], signal: Signal) {
    let score = |candidate: &Candidate| candidate.parts.get(part).map_or(0.0, |scores| scores.full_text);
    let best = pool.iter().map(score).fold(f32::MIN_POSITIVE, f32::max);
    for (candidate, signals) in pool.iter().zip(signals) {
        signals[signal] = score(candidate) / best;
    }
}

/// Words of the title in the text, in the names of file, folders and symbol, and in the file as a whole.
fn measure_title_words(context: &PoolContext<'_>, title: &WordMatcher<'_>, signals: &mut [Signals]) {
    let PoolContext { probe, pool, files, texts, weights, .. } = *context;
    let count = probe.query.title_words().len();
    let words = WordSet::first(count);
    let total = weights.of(words).max(f32::MIN_POSITIVE);
    let coverage = |set: WordSet| weights.of(set.intersection(words)) / total;
    let mut of_files: Vec<WordSet> = files.facts.iter().map(|path| path.words).collect();
    for (file, text) in files.of_candidates.iter().zip(texts) {
        of_files[*file] = of_files[*file].union(*text);
    }
    let focus = focus(count);
    for (index, (candidate, signals)) in pool.iter().zip(signals.iter_mut()).enumerate() {
        let path = files.facts(index);
        let symbol = candidate.chunk.symbol.as_deref();
        let symbol = symbol.map(|symbol| title.overlap(last_part(symbol))).unwrap_or_default();
        signals[Signal::TitleCoverage] = coverage(texts[index].union(symbol.words));
        signals[Signal::TitleFileCoverage] = coverage(of_files[files.of_candidates[index]]);
        signals[Signal::TitleNameCoverage] = coverage(path.title_name.words);
        signals[Signal::TitleNamePrecision] = path.title_name.precision * focus;
        signals[Signal::TitleFolderCoverage] = coverage(path.title_folders);
        signals[Signal::TitleSymbolPrecision] = symbol.precision * focus;
    }
}

/// Files, modules and lines that the query mentions.
fn measure_mentions(context: &PoolContext<'_>, signals: &mut [Signals]) {
    for (index, (candidate, signals)) in context.pool.iter().zip(signals).enumerate() {
        let path = context.files.facts(index);
        signals[Signal::PathMentioned] = path.mentioned.as_path;
        signals[Signal::ModuleMentioned] = path.mentioned.as_module;
        signals[Signal::TraceMentioned] = path.mentioned.in_trace;
        let holds = |line: &u32| candidate.chunk.span.holds_line(*line);
        signals[Signal::LineMentioned] = f32::from(path.named_lines.iter().any(holds));
    }
}

/// Texts that the query quotes.
fn measure_literals(context: &PoolContext<'_>, signals: &mut [Signals]) {
    let literals = &context.probe.query.literals;
    for (candidate, signals) in context.pool.iter().zip(signals) {
        let held = literals.iter().filter(|literal| candidate.holds(literal)).count();
        signals[Signal::Literals] = held as f32 / literals.len().max(1) as f32;
    }
}
