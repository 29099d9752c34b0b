//! The signals: named numbers that say how well a candidate matches the query.
//!
//! All of them are between 0 and 1 (cosines between -1 and 1), so that their weights are comparable. Those for the
//! parts of a report are in [`parts`]; a short query is its own title, so for it they equal the signals of the whole.

mod names;
mod parts;
mod pool_context;
mod sayings;

use vectorcode_core::{ContentClass, LONG_LINE_KIND, join, prefetch};

pub(crate) use self::names::unknown as unknown_names;
use self::pool_context::PoolContext;
use super::candidates::Candidate;
use super::files::{Files, Matchers, PathFacts};
use super::path_kind::PathKind;
use super::probe::Probe;
use super::words::{NameOverlap, WordMatcher, WordSet, WordWeights};

macro_rules! signals {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// One signal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Signal { $($(#[$doc])* $variant,)* }

        impl Signal {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

signals! {
    /// BM25, as a share of the best in the pool.
    FullText => "full_text",
    FullTextRank => "full_text_rank",
    /// Cosine similarity by the static model.
    Static => "static",
    StaticRank => "static_rank",
    /// Cosine similarity by the provider's model.
    Provider => "provider",
    ProviderRank => "provider_rank",
    /// Words of the query in the chunk, by weight.
    Coverage => "coverage",
    /// Words of the query in the file's name, by weight.
    NameCoverage => "name_coverage",
    /// The share of the file's name that belongs to words of the query.
    NamePrecision => "name_precision",
    /// The whole file name belongs to words of the query.
    NameFull => "name_full",
    /// Words of the query in the names of the folders, by weight.
    FolderCoverage => "folder_coverage",
    SymbolCoverage => "symbol_coverage",
    SymbolPrecision => "symbol_precision",
    /// Words of the query in the path, symbols and texts of all the file's candidates together.
    FileCoverage => "file_coverage",
    /// How certainly the chunk defines what a name in the query refers to: less for a name that several files define,
    /// that is common in the project, or that is defined in an example.
    Defines => "defines",
    /// The chunk defines a name made of the query's words.
    DefinesWords => "defines_words",
    /// How certainly the file defines what any name in the query refers to; more names make it more certain.
    FileDefines => "file_defines",
    /// The same for the best of the names that no other file defines.
    DefinesAlone => "defines_alone",
    /// The chunk, or some chunk of the file, contains a name of the query that nothing defines: a key, an environment
    /// variable.
    HoldsName => "holds_name",
    FileHoldsName => "file_holds_name",
    /// The file is named like a name written out in the query.
    FileNamed => "file_named",
    /// The best of the file's chunks, for each list.
    FileFullText => "file_full_text",
    FileStatic => "file_static",
    FileProvider => "file_provider",
    /// The ranks of all the file's chunks in all lists, as a share of the best file's. A long file has many chunks in
    /// every list, so its sum is divided by the square root of its length.
    FileSum => "file_sum",
    /// Votes for the file by commits with similar messages, as a share of the votes for the best file.
    History => "history",
    /// Votes by the static model's similarity of messages.
    HistoryMeaning => "history_meaning",
    /// The share of the query's words in the most similar message, among the commits that changed the file.
    HistoryShare => "history_share",
    /// How far the most similar of those messages exceeds what unrelated queries get in this project, by the static
    /// model.
    HistoryLikeness => "history_likeness",
    /// Contains a text that the query quotes.
    Literal => "literal",
    /// How certainly it is at a path that the query names: less if several paths end like that.
    PathNamed => "path_named",
    /// A test, unless the query is about tests. Half as much for other code if the query asks for tests.
    Test => "test",
    /// Generated or minified code, or a chunk of one very long line.
    Generated => "generated",
    /// In a folder of examples or benchmarks, unless the query asks for such code.
    Example => "example",
    /// In a folder of code that was copied from elsewhere or kept for old versions.
    Foreign => "foreign",
    /// Documentation, unless the query asks for it.
    Docs => "docs",
    /// A configuration or data file that is not part of the documentation.
    Config => "config",
    /// In a file that usually only re-exports what others define, such as `index.ts`.
    Barrel => "barrel",
    /// In a file that declares what another file defines, such as a TypeScript or Python stub.
    Declarations => "declarations",
    /// How deep the file is below the root.
    Depth => "depth",
    /// The chunk has a symbol.
    Named => "named",
    /// Length of the text, on a logarithmic scale.
    Size => "size",
    /// Number of chunks in the index, on a logarithmic scale. It is the same for all candidates, so it affects only
    /// the score: the more chunks there are, the nearer is the nearest one by chance.
    ProjectSize => "project_size",
    /// The query describes a defect. It is the same for all candidates and selects the weights.
    DescribesDefect => "describes_defect",
    /// The title of a report, searched separately.
    TitleFullText => "title_full_text",
    TitleStatic => "title_static",
    TitleProvider => "title_provider",
    TitleCoverage => "title_coverage",
    TitleNameCoverage => "title_name_coverage",
    TitleNamePrecision => "title_name_precision",
    TitleFolderCoverage => "title_folder_coverage",
    TitleSymbolPrecision => "title_symbol_precision",
    /// The best of the file's chunks for the title.
    TitleFileFullText => "title_file_full_text",
    TitleFileStatic => "title_file_static",
    TitleFileCoverage => "title_file_coverage",
    /// Cosine similarity to the prose of a report by the static model, and the best of the file's chunks.
    BodyStatic => "body_static",
    BodyFileStatic => "body_file_static",
    /// The best cosine similarity to the whole, the title and the body.
    BestStatic => "best_static",
    BestProvider => "best_provider",
    /// BM25 of the words in code and traces, and the best of the file's chunks.
    CodeFullText => "code_full_text",
    CodeFileFullText => "code_file_full_text",
    /// How certainly the query names the file: by its path, as a module, or in a stack trace.
    PathMentioned => "path_mentioned",
    ModuleMentioned => "module_mentioned",
    TraceMentioned => "trace_mentioned",
    /// The chunk contains a line that the query points at.
    LineMentioned => "line_mentioned",
    /// Defines a name that the query writes out with its scope.
    DefinesQualified => "defines_qualified",
    /// The share of the quoted texts that it contains.
    Literals => "literals",
    /// How much of the query it contains word for word, as quoted messages are, and the best of the file's chunks.
    Message => "message",
    FileMessage => "file_message",
    /// The same as without `report_`, for reports only: such files match long queries more often than short ones.
    ReportTest => "report_test",
    ReportExample => "report_example",
    ReportDocs => "report_docs",
    ReportConfig => "report_config",
}

/// The ranks in the lists.
const LISTS: [Signal; 3] = [Signal::FullTextRank, Signal::StaticRank, Signal::ProviderRank];

/// Shorter quoted texts in a report count only in `Literals`.
const MIN_LITERAL_OF_REPORT: usize = 10;

/// Signals for how much of a name belongs to words of the query.
const PRECISIONS: [Signal; 3] = [Signal::NamePrecision, Signal::NameFull, Signal::SymbolPrecision];

/// The values of all signals for one candidate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signals([f32; Signal::ALL.len()]);

impl Default for Signals {
    fn default() -> Self {
        Self([0.0; Signal::ALL.len()])
    }
}

impl std::ops::Index<Signal> for Signals {
    type Output = f32;
    fn index(&self, signal: Signal) -> &f32 {
        &self.0[signal as usize]
    }
}

impl std::ops::IndexMut<Signal> for Signals {
    fn index_mut(&mut self, signal: Signal) -> &mut f32 {
        &mut self.0[signal as usize]
    }
}

/// Measures every candidate of a pool. The result is in the order of the pool.
pub(crate) fn measure(probe: &Probe, pool: &[Candidate]) -> Vec<Signals> {
    let matchers = Matchers::of(&probe.query);
    let matcher = &matchers.all;
    let focus = focus(probe.query.words.len());
    let (texts, files) = texts_and_files(probe, pool, &matchers);
    let weights = weights(probe, &texts);
    let mut signals = vec![Signals::default(); pool.len()];
    let project_size = project_size(probe.coverage.total);
    measure_lists(pool, &mut signals);
    for (index, (candidate, signals)) in pool.iter().zip(&mut signals).enumerate() {
        let path = files.facts(index);
        measure_text(matcher, &weights, candidate, texts[index], signals);
        measure_path(&weights, path, signals);
        for signal in PRECISIONS {
            signals[signal] *= focus;
        }
        measure_kind(probe, candidate, path.kind, signals);
        measure_history(probe, candidate, signals);
        signals[Signal::ProjectSize] = project_size;
        signals[Signal::DescribesDefect] = f32::from(probe.query.describes_defect);
    }
    measure_files(pool, &files, &texts, &weights, &mut signals);
    let is_aside = pool_context::files_aside(pool, &files);
    let context = PoolContext { probe, pool, files: &files, texts: &texts, weights: &weights, is_aside };
    parts::measure(&context, &matchers.title, &mut signals);
    names::measure(&context, &mut signals);
    sayings::measure(&context, &mut signals);
    signals
}

/// From this size on, the store uses two threads for a query as well, so a single thread here would leave one core
/// idle.
const CHUNKS_OF_A_LARGE_PROJECT: u64 = 32_768;

/// The words of the query in each text, and the facts from the paths.
fn texts_and_files(probe: &Probe, pool: &[Candidate], matchers: &Matchers<'_>) -> (Vec<WordSet>, Files) {
    let texts = || words_of_texts(pool, &matchers.all);
    let files = || Files::of(pool, &probe.query, matchers);
    if probe.coverage.total < CHUNKS_OF_A_LARGE_PROJECT {
        return (texts(), files());
    }
    join(texts, files)
}

fn words_of_texts(pool: &[Candidate], matcher: &WordMatcher<'_>) -> Vec<WordSet> {
    let mut texts = Vec::with_capacity(pool.len());
    for together in pool.chunks(prefetch::PREFETCH_COUNT) {
        for candidate in together {
            prefetch::load(candidate.chunk.words.as_bytes());
        }
        texts.extend(together.iter().map(|candidate| matcher.words_in(&candidate.chunk.words)));
    }
    texts
}

/// Other sizes are clamped to the smallest and largest projects that scores were fitted on.
fn project_size(chunks: u64) -> f32 {
    const SMALLEST_FITTED: u64 = 40;
    const LARGEST_FITTED: u64 = 20_000;
    (chunks.clamp(SMALLEST_FITTED, LARGEST_FITTED) as f32).ln() / 10.0
}

/// The longer a query is, the more words of names it contains by chance, so a match of a name counts less.
fn focus(words: usize) -> f32 {
    const FOCUSED_WORDS: f32 = 8.0;
    (FOCUSED_WORDS / words.max(1) as f32).min(1.0)
}

fn weights(probe: &Probe, texts: &[WordSet]) -> WordWeights {
    let frequency = |index| texts.iter().filter(|text| text.contains(index)).count() as u64;
    let frequencies: Vec<u64> = (0..probe.query.words.len()).map(frequency).collect();
    WordWeights::new(&frequencies, texts.len() as u64)
}

fn measure_lists(pool: &[Candidate], signals: &mut [Signals]) {
    let best_text = pool.iter().map(|candidate| candidate.full_text).fold(0.0, f32::max);
    for (candidate, signals) in pool.iter().zip(signals.iter_mut()) {
        signals[Signal::FullText] = if best_text > 0.0 { candidate.full_text / best_text } else { 0.0 };
    }
    let full_text: Vec<Option<f32>> =
        pool.iter().map(|candidate| Some(candidate.full_text).filter(|score| *score > 0.0)).collect();
    let by_static: Vec<Option<f32>> = pool.iter().map(|candidate| candidate.static_similarity).collect();
    let by_provider: Vec<Option<f32>> = pool.iter().map(|candidate| candidate.provider_similarity).collect();
    set_ranks(&full_text, signals, Signal::FullTextRank);
    set_ranks(&by_static, signals, Signal::StaticRank);
    set_ranks(&by_provider, signals, Signal::ProviderRank);
    set_similarities(&by_static, signals, Signal::Static);
    set_similarities(&by_provider, signals, Signal::Provider);
}

/// Ranks beyond this are ignored. Otherwise a long file would win by the number of its chunks at the end of the
/// lists.
const MAX_RANK: usize = 150;

/// A hyperbola over ranks: 1 for the first, a half for the eleventh, 0 for those without a rank.
fn set_ranks(scores: &[Option<f32>], signals: &mut [Signals], signal: Signal) {
    let mut order: Vec<(usize, f32)> =
        scores.iter().enumerate().filter_map(|(index, score)| Some((index, (*score)?))).collect();
    order.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    for (rank, (index, _)) in order.into_iter().take(MAX_RANK).enumerate() {
        signals[index][signal] = 10.0 / (10.0 + rank as f32);
    }
}

/// A chunk without a vector gets the median of the others, so it is neither favoured nor penalised.
fn set_similarities(scores: &[Option<f32>], signals: &mut [Signals], signal: Signal) {
    let mut known: Vec<f32> = scores.iter().flatten().copied().collect();
    let middle = match known.len() {
        0 => 0.0,
        length => *known.select_nth_unstable_by(length / 2, f32::total_cmp).1,
    };
    for (score, signals) in scores.iter().zip(signals) {
        signals[signal] = score.unwrap_or(middle);
    }
}

fn measure_text(
    matcher: &WordMatcher<'_>,
    weights: &WordWeights,
    candidate: &Candidate,
    text: WordSet,
    signals: &mut Signals,
) {
    let chunk = &candidate.chunk;
    let symbol = chunk
        .symbol
        .as_deref()
        .map_or_else(NameOverlap::default, |symbol| matcher.overlap(last_part(symbol)));
    signals[Signal::Coverage] = weights.of(text.union(symbol.words));
    signals[Signal::SymbolCoverage] = weights.of(symbol.words);
    signals[Signal::SymbolPrecision] = symbol.precision;
    signals[Signal::DefinesWords] = candidate.definition.words;
    signals[Signal::Named] = f32::from(chunk.symbol.is_some());
    signals[Signal::Size] = (chunk.span.bytes().len() as f32).ln_1p() / 10.0;
}

fn last_part(symbol: &str) -> &str {
    let is_scope = |byte: &u8| matches!(byte, b'.' | b':');
    let bytes = symbol.as_bytes();
    // By bytes, which takes a fifth of the time: this runs for every candidate.
    let Some(end) = bytes.iter().rposition(|byte| !is_scope(byte)) else { return symbol };
    let start = bytes[..end].iter().rposition(is_scope).map_or(0, |scope| scope + 1);
    &symbol[start..=end]
}

fn measure_path(weights: &WordWeights, path: &PathFacts, signals: &mut Signals) {
    signals[Signal::NameCoverage] = weights.of(path.name.words);
    signals[Signal::NamePrecision] = path.name.precision;
    signals[Signal::NameFull] = f32::from(path.name.precision > 0.99);
    signals[Signal::FolderCoverage] = weights.of(path.folders);
    signals[Signal::Depth] = path.depth;
    signals[Signal::PathNamed] = path.named;
    signals[Signal::FileNamed] = f32::from(path.name_written.is_some());
}

/// The value of the test signal for other code if the query asks for tests: ranked behind the tests, but before what
/// is unrelated to the query.
const WHERE_TESTS_ARE_ASKED_FOR: f32 = 0.5;

fn measure_kind(probe: &Probe, candidate: &Candidate, kind: PathKind, signals: &mut Signals) {
    let (query, chunk, flags) = (&probe.query, &candidate.chunk, candidate.chunk.flags);
    let mut set = |signal, holds: bool| signals[signal] = f32::from(holds);
    // A report quotes dozens of short words, which nearly every chunk contains.
    let quoted = |literal: &&String| query.report.is_none() || literal.len() >= MIN_LITERAL_OF_REPORT;
    let mut literals = query.literals.iter().filter(quoted);
    set(Signal::Literal, literals.any(|literal| candidate.holds(literal)));
    let is_test = chunk.is_test || flags.test || kind.test;
    set(Signal::Test, is_test && !query.wanted.tests);
    let is_unreadable = flags.minified || *chunk.kind == *LONG_LINE_KIND;
    set(Signal::Generated, flags.generated || is_unreadable);
    set(Signal::Example, kind.example && !query.wanted.examples);
    set(Signal::Foreign, kind.foreign);
    let is_document = kind.is_document(chunk.class);
    set(Signal::Docs, is_document && !query.wanted.docs);
    set(Signal::Config, chunk.class == ContentClass::Config && !is_document);
    set(Signal::Barrel, kind.barrel);
    set(Signal::Declarations, kind.declarations);
    if query.wanted.tests_first && !is_test {
        signals[Signal::Test] = WHERE_TESTS_ARE_ASKED_FOR;
    }
}

fn measure_history(probe: &Probe, candidate: &Candidate, signals: &mut Signals) {
    let vote = probe.votes.of(&candidate.chunk.path);
    signals[Signal::History] = vote.words;
    signals[Signal::HistoryMeaning] = vote.meaning;
    signals[Signal::HistoryShare] = vote.share;
    signals[Signal::HistoryLikeness] = vote.likeness;
}

/// The combined evidence from the candidates of one file.
#[derive(Clone, Copy, Default)]
struct FileEvidence {
    words: WordSet,
    full_text: f32,
    by_static: f32,
    by_provider: f32,
    places: f32,
    /// The last line of its candidates, an estimate of the file's length.
    lines: u32,
}

impl FileEvidence {
    fn density(&self) -> f32 {
        const SHORT_FILE: f32 = 100.0;
        self.places / (1.0 + self.lines as f32 / SHORT_FILE).sqrt()
    }
}

fn measure_files(
    pool: &[Candidate],
    files: &Files,
    texts: &[WordSet],
    weights: &WordWeights,
    signals: &mut [Signals],
) {
    let mut evidence: Vec<FileEvidence> = files
        .facts
        .iter()
        .map(|path| FileEvidence { words: path.words, ..FileEvidence::default() })
        .collect();
    for (index, (text, signals)) in texts.iter().zip(signals.iter()).enumerate() {
        let file = &mut evidence[files.of_candidates[index]];
        file.lines = file.lines.max(pool[index].chunk.span.end_line);
        file.words = file.words.union(*text);
        file.full_text = file.full_text.max(signals[Signal::FullText]);
        file.by_static = file.by_static.max(signals[Signal::StaticRank]);
        file.by_provider = file.by_provider.max(signals[Signal::ProviderRank]);
        file.places += LISTS.iter().map(|list| signals[*list]).sum::<f32>();
    }
    let densest = evidence.iter().map(FileEvidence::density).fold(f32::MIN_POSITIVE, f32::max);
    for (file, signals) in files.of_candidates.iter().zip(signals) {
        let file = &evidence[*file];
        signals[Signal::FileCoverage] = weights.of(file.words);
        signals[Signal::FileFullText] = file.full_text;
        signals[Signal::FileStatic] = file.by_static;
        signals[Signal::FileProvider] = file.by_provider;
        signals[Signal::FileSum] = file.density() / densest;
    }
}
