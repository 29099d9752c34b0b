//! Search: from a request to ranked, scored hits that were compared with the disk.
//!
//! The pipeline, one file for each step: the request is cut into parts, parsed and embedded ([`question`], [`query`],
//! [`vocabulary`], [`probe`]); the index proposes [`candidates`], and so do similar commits ([`history`]) and the places that
//! the request names ([`pointed`]); those without a vector of the provider get one, as far as the time allows ([`lazy`]); each
//! candidate is measured ([`signals`]) and ranked ([`ranking`], [`lead`], [`rerank`]); files take turns ([`diversify`]),
//! adjacent chunks merge ([`merge`]), groups are scored ([`score`]) and cut into a [`page`]. Then hits are compared with their
//! files ([`freshness`]) and, where people read them, highlighted ([`markup`]).

mod candidates;
mod diversify;
mod files;
mod focus;
mod freshness;
pub(crate) mod history;
mod lazy;
mod lead;
mod markup;
mod merge;
mod page;
mod path_kind;
mod pointed;
mod probe;
mod query;
mod query_cache;
mod question;
mod ranking;
mod rerank;
mod score;
mod signals;
#[cfg(test)]
mod testing;
mod vocabulary;
mod weights;
mod words;

use std::time::{Duration, Instant};

use vectorcode_core::api::{ClassFilter, Cursor, Hit, LIKELY, SearchMode, SearchRequest, TestFilter};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::{CancelToken, ContentClass, PathFilter};
use vectorcode_embed::{EmbedError, Embedder, StaticModel};
use vectorcode_store::{ChunkFilter, IndexReader, TestCode};

use self::candidates::Candidate;
use self::freshness::Disk;
use self::history::{HistoryIndex, PresentFiles};
use self::lazy::LazyStage;
pub(crate) use self::lazy::{LazyTurns, NewVectors};
pub use self::markup::syntax;
pub(crate) use self::markup::{HighlightCache, markup, matches};
use self::page::IndexedHit;
pub(crate) use self::path_kind::PathKind;
use self::probe::Probe;
pub(crate) use self::probe::chunk_at;
pub(crate) use self::query::{QueryWord, content_words};
pub(crate) use self::query_cache::{QueryCache, SearchKey};
use self::ranking::Ranking;
pub(crate) use self::rerank::RerankStep;
use crate::context::SearchArea;
use crate::{EngineError, Project};

/// All that a search needs to be answered.
#[derive(Clone, Copy)]
pub(crate) struct SearchContext<'a> {
    pub reader: &'a dyn IndexReader,
    pub statics: &'a StaticModel,
    /// The embedder of stage two, or why there is none.
    pub embedder: Result<&'a dyn Embedder, &'a EmbedError>,
    /// Reorders the best candidates; `None` where nobody asked for it.
    pub rerank: Option<RerankStep<'a>>,
    pub config: &'a SearchConfig,
    /// For searches that embed candidates.
    pub turns: &'a LazyTurns,
    /// The repository's past.
    pub history: &'a HistoryIndex,
    /// Where the files that it speaks about are today.
    pub present: &'a PresentFiles,
    /// The part of the project to search.
    pub area: &'a SearchArea,
    pub depth: Depth,
    /// Cancelled when nobody waits for the answer any more.
    pub cancel: &'a CancelToken,
}

/// How thoroughly a project is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    Whole,
    /// Just enough to tell what the project's best hits score, about: one of many is asked so first.
    Glance,
}

impl SearchContext<'_> {
    /// Ends a search that nobody waits for, between two of its steps.
    fn check_cancelled(&self) -> Result<(), EngineError> {
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// What the index says to a request, not yet compared with the files on disk.
#[derive(Clone, Debug)]
pub(crate) struct SearchResult {
    hits: Vec<IndexedHit>,
    /// The score of the best, also where it does not reach the threshold; 0 where there is none.
    pub best: f32,
    /// How many hits there are on all pages.
    pub total: usize,
    /// How many of them are likely to answer.
    pub likely: usize,
    pub next: Option<Cursor>,
    pub semantic_coverage: Option<f32>,
    pub notes: Vec<String>,
}

impl SearchResult {
    /// Compares the hits at these places with their files; `None` for one whose file is gone, which the notes name.
    pub fn check_against_disk(
        &self,
        project: &Project,
        places: impl IntoIterator<Item = usize>,
    ) -> Result<(Vec<Option<Hit>>, Vec<String>), EngineError> {
        let (mut disk, mut notes) = (Disk::new(project), Vec::new());
        let hits = places.into_iter().map(|place| self.hits[place].check_against_disk(&mut disk, &mut notes));
        let hits = hits.collect::<Result<_, _>>()?;
        Ok((hits, notes))
    }

    /// The files of the hits on this page, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.hits.iter().map(IndexedHit::path)
    }

    /// The scores of the hits on this page, in their order.
    pub fn scores(&self) -> impl ExactSizeIterator<Item = f32> {
        self.hits.iter().map(IndexedHit::score)
    }

    /// Whether nothing failed on the way.
    pub fn is_whole(&self) -> bool {
        self.notes.is_empty()
    }

    /// How much code it holds.
    fn text_bytes(&self) -> usize {
        self.hits.iter().map(IndexedHit::text_bytes).sum()
    }
}

/// The result of a search, and the vectors that it made on the way.
#[derive(Clone, Debug)]
pub(crate) struct SearchOutcome {
    pub result: SearchResult,
    /// Vectors of candidates that had none, to be written to the index. `None` where it was not this search's turn to make any.
    pub new_vectors: Option<NewVectors>,
}

pub(crate) fn search(
    context: &SearchContext<'_>,
    request: &SearchRequest,
) -> Result<SearchOutcome, EngineError> {
    let started = Instant::now();
    let mut probe = Probe::new(context, request)?;
    let probed = started.elapsed();
    context.check_cancelled()?;
    let filter = filter(request, context.area);
    let mut pool = candidates::gather(context, &probe, &filter)?;
    context.check_cancelled()?;
    let new_vectors = embed_missing(context, &probe, &mut pool, probed);
    context.check_cancelled()?;
    let ranking = Ranking::of(&probe);
    let signals = signals::measure(&probe, &pool);
    let mut ranked = ranking.rank(&signals);
    lead::lead(&mut ranked, &pool);
    if let Some(step) = rerank_step(context, request, &probe) {
        probe.notes.extend(step.run(context.reader, &probe.query.text, &pool, &mut ranked));
    }
    context.check_cancelled()?;
    let file_of = |index: usize| &*pool[index].chunk.path;
    let ordered = diversify::diversify(&ranked, file_of);
    let groups = score::score(&ranking, &signals, merge::merge(&ordered, &pool), file_of);
    let page = page::Page::cut(groups, request);
    let explained = request.explain.then_some((&ranking, signals.as_slice()));
    let hits = page.hits(context.reader, &pool, explained)?;
    let semantic_coverage = match request.mode {
        SearchMode::Fast => None,
        SearchMode::Auto | SearchMode::Semantic => {
            (probe.coverage.total > 0).then(|| probe.coverage.fraction())
        }
    };
    let likely_before = likely(&hits);
    let mut hits = focus::on_kinds(hits, &request.kinds, context.reader, &probe.query)?;
    // One that was narrowed scores less than its whole chunk did.
    let count = hits.len();
    hits.retain(|hit| request.threshold.is_none_or(|threshold| hit.score() >= threshold));
    let result = SearchResult {
        best: page.best,
        total: page.total - (count - hits.len()),
        likely: page.likely - (likely_before - likely(&hits)),
        hits,
        next: page.next,
        semantic_coverage,
        notes: probe.notes,
    };
    Ok(SearchOutcome { result, new_vectors })
}

fn likely(hits: &[IndexedHit]) -> usize {
    hits.iter().filter(|hit| hit.score() >= LIKELY).count()
}

/// The reranker for this request. It reads words, so a query that is code goes without it; so does a fast search, which
/// promises to call no model but the static one.
fn rerank_step<'a>(
    context: &SearchContext<'a>,
    request: &SearchRequest,
    probe: &Probe,
) -> Option<RerankStep<'a>> {
    context.rerank.filter(|_| request.mode != SearchMode::Fast && !probe.is_code)
}

/// Embeds candidates without a provider vector, best first, as far as the time budget allows. `None` where other searches do.
fn embed_missing(
    context: &SearchContext<'_>,
    probe: &Probe,
    pool: &mut [Candidate],
    probed: Duration,
) -> Option<NewVectors> {
    let (Ok(embedder), Some(query), Depth::Whole) = (context.embedder, &probe.provider_vector, context.depth)
    else {
        return Some(NewVectors::new());
    };
    if pool.iter().all(|candidate| candidate.provider_similarity.is_some()) {
        return Some(NewVectors::new());
    }
    let _turn = context.turns.take()?;
    let ranked = Ranking::stage_one(probe).rank(&signals::measure(probe, pool));
    let budget = Duration::from_millis(context.config.lazy_budget_ms);
    let title = probe.parts.get(probe::TITLE).and_then(|part| part.by_provider.as_deref());
    let (reader, cancel) = (context.reader, context.cancel);
    Some(LazyStage { reader, embedder, query, title, budget, call: probed, cancel }.run(pool, &ranked))
}

fn filter(request: &SearchRequest, area: &SearchArea) -> ChunkFilter {
    ChunkFilter {
        languages: request.languages.iter().map(|language| language.to_lowercase()).collect(),
        within: area.within.clone(),
        outside: area.outside.clone(),
        kinds: request.kinds.clone(),
        paths: PathFilter::parse(&request.paths),
        class: only_class(request.class),
        tests: match request.tests {
            TestFilter::Demote | TestFilter::Include => TestCode::Any,
            TestFilter::Exclude => TestCode::Exclude,
            TestFilter::Only => TestCode::Only,
        },
    }
}

fn only_class(filter: ClassFilter) -> Option<ContentClass> {
    match filter {
        ClassFilter::All => None,
        ClassFilter::Code => Some(ContentClass::Code),
        ClassFilter::Docs => Some(ContentClass::Docs),
        ClassFilter::Config => Some(ContentClass::Config),
    }
}
