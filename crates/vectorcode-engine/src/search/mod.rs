//! Search: from a request to ranked, scored hits that have been compared with the disk.
//!
//! The pipeline has one file per step. Queries in another language get English words ([`translate`]); the request is
//! split into parts, parsed and embedded ([`question`], [`query`], [`vocabulary`], [`probe`]). Candidates come from
//! the index ([`candidates`]), from similar commits ([`crate::history`]) and from the places that the request names
//! ([`pointed`]); the best ones without a provider vector get one ([`lazy`]). Each candidate is measured
//! ([`signals`]) and ranked ([`ranking`], [`lead`], [`rerank`]); the list is diversified across files
//! ([`diversify`]), adjacent chunks are merged ([`merge`]), [`copies`] become one hit, and files that usually change
//! together with the first one move up ([`companions`]). The groups are scored ([`score`]) and form a
//! [`ranked_list`], from which a [`page`] is cut. Finally hits are compared with their files ([`freshness`]) and, for
//! people, highlighted ([`markup`]).

mod candidates;
mod companions;
mod copies;
mod diversify;
mod exact;
mod files;
mod focus;
mod freshness;
mod lazy;
mod lead;
mod line_match;
mod markup;
mod merge;
mod page;
mod path_kind;
mod pointed;
mod probe;
mod query;
mod query_cache;
mod question;
mod ranked_list;
mod ranking;
mod rerank;
mod score;
mod signals;
#[cfg(test)]
mod testing;
mod translate;
mod vocabulary;
mod weights;
mod words;

use std::time::Duration;

use vectorcode_core::api::{ClassFilter, Cursor, Hit, RankingId, SearchMode, SearchRequest, TestFilter};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::{CancelToken, ContentClass, PathFilter};
use vectorcode_embed::{EmbedError, Embedder, StaticModel};
use vectorcode_store::{ChunkFilter, EmbeddingCache, IndexReader, TestCode};

use self::candidates::Candidate;
pub(crate) use self::exact::{ExactSearch, admits};
use self::freshness::Disk;
pub(crate) use self::lazy::LazyTurns;
use self::lazy::{LazyError, LazyStage};
pub(crate) use self::line_match::{LineMatch, MatchedChunks};
pub use self::markup::syntax;
pub(crate) use self::markup::{HighlightCache, markup, matches};
use self::page::IndexedHit;
pub(crate) use self::path_kind::PathKind;
use self::probe::Probe;
pub(crate) use self::probe::chunk_at;
pub(crate) use self::query::{QueryWord, content_words};
pub(crate) use self::query_cache::{QueryCache, SearchKey};
pub(crate) use self::ranked_list::{RankedList, RecentLists};
use self::ranking::Ranking;
pub(crate) use self::rerank::RerankStep;
pub(crate) use self::translate::{English, to_english};
use crate::context::SearchArea;
use crate::error::EngineError;
use crate::history::{HistoryIndex, PresentFiles};
use crate::project::FileSource;

/// Everything that is needed to run a search.
#[derive(Clone, Copy)]
pub(crate) struct SearchContext<'a> {
    pub reader: &'a dyn IndexReader,
    pub statics: &'a StaticModel,
    /// The embedder of stage two, or why there is none.
    pub embedder: Result<&'a dyn Embedder, &'a EmbedError>,
    /// Reorders the best candidates; `None` if no reranker is configured.
    pub rerank: Option<RerankStep<'a>>,
    pub config: &'a SearchConfig,
    /// Provider vectors that were made earlier.
    pub cache: Option<&'a EmbeddingCache>,
    /// Limits how many searches embed candidates at a time.
    pub turns: &'a LazyTurns,
    /// The commits of the repository.
    pub history: &'a HistoryIndex,
    /// Where the files that those commits changed are today.
    pub present: &'a PresentFiles,
    /// The part of the project to search.
    pub area: &'a SearchArea,
    pub depth: Depth,
    /// If the request has line patterns, only these chunks may be returned.
    pub matched: Option<&'a MatchedChunks>,
    /// Cancelled when nobody is waiting for the result any longer.
    pub cancel: &'a CancelToken,
}

/// How thoroughly a project is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    Whole,
    /// Just enough to estimate the scores of the project's best hits; used first when many projects are searched.
    Glance,
}

impl SearchContext<'_> {
    /// Ends a search that nobody is waiting for, between two of its steps.
    fn check_cancelled(&self) -> Result<(), EngineError> {
        if self.cancel.is_cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// The hits of a request from the index, not yet compared with the files on disk.
#[derive(Clone, Debug)]
pub(crate) struct SearchResult {
    hits: Vec<IndexedHit>,
    /// The ranked list from which this page was cut.
    pub ranking: RankingId,
    /// The score of the best hit, even below the threshold; 0 if there is none.
    pub best: f32,
    /// How many hits there are on all pages.
    pub total: usize,
    /// How many of them are likely relevant.
    pub likely: usize,
    pub next: Option<Cursor>,
    pub semantic_coverage: Option<f32>,
    pub notes: Vec<String>,
}

impl SearchResult {
    /// Compares the hits at these positions with their files; `None` for a hit whose file no longer exists, which the
    /// notes name.
    pub fn check_against_disk(
        &self,
        source: FileSource<'_>,
        places: impl IntoIterator<Item = usize>,
    ) -> Result<(Vec<Option<Hit>>, Vec<String>), EngineError> {
        let (mut disk, mut notes) = (Disk::new(source), Vec::new());
        let hits = places.into_iter().map(|place| self.hits[place].check_against_disk(&mut disk, &mut notes));
        let hits = hits.collect::<Result<_, _>>()?;
        Ok((hits, notes))
    }

    /// The files of the hits on this page, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.hits.iter().map(IndexedHit::path)
    }

    /// The scores of the hits on this page, in order.
    pub fn scores(&self) -> impl ExactSizeIterator<Item = f32> {
        self.hits.iter().map(IndexedHit::score)
    }

    /// The size of the code in all hits.
    fn text_bytes(&self) -> usize {
        self.hits.iter().map(IndexedHit::text_bytes).sum()
    }
}

/// Runs a request and returns the whole ranked list.
pub(crate) fn rank(context: &SearchContext<'_>, request: &SearchRequest) -> Result<RankedList, EngineError> {
    let mut probe = Probe::new(context, request)?;
    context.check_cancelled()?;
    let filter = filter(request, context.area);
    let mut pool = candidates::gather(context, &probe, &filter)?;
    context.check_cancelled()?;
    embed_best(context, &mut probe, &mut pool)?;
    context.check_cancelled()?;
    let signals = signals::measure(&probe, &pool);
    let ranking = Ranking::of(&probe, &signals);
    let mut ranked = ranking.rank(&signals, |index| &*pool[index].chunk.path);
    lead::lead(&mut ranked, &pool);
    if let Some(step) = rerank_step(context, request, &probe) {
        probe.notes.extend(step.run(context.reader, probe.query.as_asked(), &pool, &mut ranked));
    }
    context.check_cancelled()?;
    let file_of = |index: usize| &*pool[index].chunk.path;
    let ordered = diversify::diversify(&ranked, file_of);
    let mut groups = copies::fold(merge::merge(&ordered, &pool), &pool);
    companions::bring_forward(context, &probe, request.history_before.as_deref(), &mut groups, file_of);
    let groups = score::score(&ranking, &signals, groups, file_of);
    if context.depth == Depth::Whole {
        let note = note_on_names(&signals::unknown_names(&probe, &pool));
        probe.notes.extend(note);
    }
    let semantic_coverage = match request.mode {
        SearchMode::Fast => None,
        SearchMode::Auto | SearchMode::Semantic => {
            (probe.coverage.total > 0).then(|| probe.coverage.fraction())
        }
    };
    let chunks = pool.into_iter().map(|candidate| candidate.chunk).collect();
    let mut list = RankedList::new(groups, chunks, probe.query).with_coverage(semantic_coverage);
    list.explained = request.explain.then_some((ranking, signals));
    list.notes = probe.notes;
    Ok(list)
}

/// Tells a user who wrote out a name that the results are not about it.
fn note_on_names(unknown: &[&str]) -> Option<String> {
    (!unknown.is_empty()).then(|| format!("Nothing that was searched is called {}.", unknown.join(" or ")))
}

/// The reranker for this request. It reads natural language, so it is not used for a query that is code, nor for a
/// fast search, which promises to call no model but the static one.
fn rerank_step<'a>(
    context: &SearchContext<'a>,
    request: &SearchRequest,
    probe: &Probe,
) -> Option<RerankStep<'a>> {
    context.rerank.filter(|_| request.mode != SearchMode::Fast && !probe.is_code)
}

/// Compares the best candidates that have no provider vector with the query. They lack one because they were edited a
/// moment ago.
fn embed_best(
    context: &SearchContext<'_>,
    probe: &mut Probe,
    pool: &mut [Candidate],
) -> Result<(), EngineError> {
    let (Ok(embedder), Some(query)) = (context.embedder, &probe.provider_vector) else { return Ok(()) };
    if pool.iter().all(|candidate| candidate.provider_similarity.is_some()) {
        return Ok(());
    }
    let budget = Duration::from_millis(context.config.lazy_budget_ms);
    if context.depth == Depth::Glance || budget.is_zero() {
        return Ok(());
    }
    let signals = signals::measure(probe, pool);
    let ranked = Ranking::stage_one(probe, &signals).rank(&signals, |index| &*pool[index].chunk.path);
    let title = probe.parts.get(probe::TITLE).and_then(|part| part.by_provider.as_deref());
    let SearchContext { reader, cache, turns, cancel, .. } = *context;
    let stage = LazyStage { reader, embedder, cache, turns, query, title, budget, cancel };
    match stage.run(pool, &ranked) {
        Err(LazyError::Failed(error @ EngineError::Store(_))) => Err(error),
        Err(error) => {
            probe.notes.push(format!("The best results were not compared by meaning: {error}."));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
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
