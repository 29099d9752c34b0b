//! Finding code: from a request to ranked, scored and freshly checked hits.
//!
//! The flow, one file a step: what is asked ([`probe`], [`query`]), who may answer ([`candidates`]), what is still
//! to be embedded ([`lazy`]), how well each answers ([`signals`], [`ranking`], [`rerank`]), in which order and shape they
//! are shown ([`diversify`], [`merge`], [`score`]), whether they are still true ([`freshness`]), and how they read
//! ([`markup`]).

mod answers;
mod candidates;
mod diversify;
mod files;
mod freshness;
mod lazy;
mod markup;
mod merge;
mod page;
mod place;
mod probe;
mod query;
mod ranking;
mod rerank;
mod score;
mod signals;
mod stem;
#[cfg(test)]
mod testing;
mod weights;
mod words;

use std::time::{Duration, Instant};

use vectorcode_core::api::{ClassFilter, Cursor, SearchMode, SearchRequest, SearchResponse, TestFilter};
use vectorcode_core::config::SearchConfig;
use vectorcode_core::{ContentClass, with_slashes};
use vectorcode_embed::{EmbedError, Embedder, Reranker, StaticModel};
use vectorcode_store::{ChunkFilter, IndexReader, TestCode};

pub(crate) use self::answers::RecentAnswers;
use self::candidates::Candidate;
use self::freshness::Disk;
use self::lazy::LazyStage;
pub(crate) use self::lazy::NewVectors;
pub use self::markup::syntax;
use self::page::Find;
use self::probe::Probe;
pub(crate) use self::probe::chunk_at;
use self::ranking::Ranking;
use crate::context::Area;
use crate::{EngineError, Project};

/// All that a search needs to be answered.
#[derive(Clone, Copy)]
pub(crate) struct SearchContext<'a> {
    pub reader: &'a dyn IndexReader,
    pub statics: &'a StaticModel,
    /// Who embeds for stage two, or why nobody does.
    pub embedder: Result<&'a dyn Embedder, &'a EmbedError>,
    /// Reorders the best candidates, where the caller brought one.
    pub reranker: Option<&'a dyn Reranker>,
    pub config: &'a SearchConfig,
    /// The part of the project that may answer.
    pub area: &'a Area,
}

/// What the index says to a request. Whether that is still true, only the disk knows.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    finds: Vec<Find>,
    total: usize,
    next: Option<Cursor>,
    semantic_coverage: Option<f32>,
    notes: Vec<String>,
}

impl Found {
    /// The answer, each hit compared with the disk. Files that are gone are named in its notes.
    pub fn confirm(&self, project: &Project) -> SearchResponse {
        let mut disk = Disk::new(project);
        let mut notes = self.notes.clone();
        let hits = self.finds.iter().map(|find| find.confirm(&mut disk, &mut notes)).collect();
        SearchResponse {
            hits,
            total: self.total,
            next: self.next,
            semantic_coverage: self.semantic_coverage,
            notes,
            took_ms: 0.0,
        }
    }

    /// How much code it holds.
    fn text_bytes(&self) -> usize {
        self.finds.iter().map(Find::text_bytes).sum()
    }
}

/// What was found, and what the search learnt on the way.
#[derive(Clone, Debug)]
pub(crate) struct SearchOutcome {
    pub found: Found,
    /// Vectors of candidates that had none; whoever may write to the index should keep them.
    pub new_vectors: NewVectors,
}

pub(crate) fn search(
    context: &SearchContext<'_>,
    request: &SearchRequest,
) -> Result<SearchOutcome, EngineError> {
    let started = Instant::now();
    let mut probe = Probe::new(context, request)?;
    let probed = started.elapsed();
    let filter = filter(request, context.area);
    let mut pool = candidates::gather(context.reader, &probe, &filter, request.limit)?;
    let new_vectors = embed_missing(context, &probe, &mut pool, probed);
    let ranking = Ranking::of(&probe);
    let signals = signals::measure(&probe, &pool);
    let mut ranked = ranking.rank(&signals);
    if let Some(reranker) = reranker(context, request, &probe) {
        probe.notes.extend(rerank::rerank(reranker, &probe.query.text, &pool, &mut ranked));
    }
    let ordered = diversify::diversify(&ranked, |index| pool[index].stored.chunk.path.as_str());
    let groups = score::score(&ranking, &signals, merge::merge(&ordered, &pool));
    let page = page::Page::cut(groups, request);
    let explained = request.explain.then_some((&ranking, signals.as_slice()));
    let semantic_coverage = match request.mode {
        SearchMode::Fast => None,
        SearchMode::Auto | SearchMode::Semantic => Some(context.reader.coverage()?.fraction()),
    };
    let found = Found {
        finds: page.finds(&pool, explained),
        total: page.total,
        next: page.next,
        semantic_coverage,
        notes: probe.notes,
    };
    Ok(SearchOutcome { found, new_vectors })
}

/// The reranker for this request. It reads words, so a query that is code goes without it; so does a fast search, which
/// promises to call no model but the static one.
fn reranker<'a>(
    context: &SearchContext<'a>,
    request: &SearchRequest,
    probe: &Probe,
) -> Option<&'a dyn Reranker> {
    context.reranker.filter(|_| request.mode != SearchMode::Fast && !probe.is_code)
}

/// Gives candidates without a provider vector theirs, best first, as far as the budget goes.
fn embed_missing(
    context: &SearchContext<'_>,
    probe: &Probe,
    pool: &mut [Candidate],
    probed: Duration,
) -> NewVectors {
    let (Ok(embedder), Some(query)) = (context.embedder, &probe.provider_vector) else {
        return NewVectors::new();
    };
    if pool.iter().all(|candidate| candidate.provider_similarity.is_some()) {
        return NewVectors::new();
    }
    let ranked = Ranking::STAGE_ONE.rank(&signals::measure(probe, pool));
    let budget = Duration::from_millis(context.config.lazy_budget_ms);
    LazyStage { embedder, query, budget, call: probed }.run(pool, &ranked)
}

fn filter(request: &SearchRequest, area: &Area) -> ChunkFilter {
    ChunkFilter {
        languages: request.languages.iter().map(|language| language.to_lowercase()).collect(),
        within: area.within.clone(),
        outside: area.outside.clone(),
        kind: request.kind.clone(),
        class: only_class(request.class),
        tests: match request.tests {
            TestFilter::Demote | TestFilter::Include => TestCode::Any,
            TestFilter::Exclude => TestCode::Exclude,
            TestFilter::Only => TestCode::Only,
        },
        ..path_filter(request.path.as_deref())
    }
}

/// Only paths that begin so, or that match a glob.
pub(crate) fn path_filter(written: Option<&str>) -> ChunkFilter {
    let path = with_slashes(written.unwrap_or_default());
    let path = path.trim_start_matches("./");
    let path = (!path.is_empty()).then(|| path.to_owned());
    let is_glob = path.as_deref().is_some_and(|path| path.contains(['*', '?', '[', '{']));
    let (path_glob, path_prefix) = if is_glob { (path, None) } else { (None, path) };
    ChunkFilter { path_prefix, path_glob, ..ChunkFilter::default() }
}

fn only_class(filter: ClassFilter) -> Option<ContentClass> {
    match filter {
        ClassFilter::All => None,
        ClassFilter::Code => Some(ContentClass::Code),
        ClassFilter::Docs => Some(ContentClass::Docs),
        ClassFilter::Config => Some(ContentClass::Config),
    }
}
