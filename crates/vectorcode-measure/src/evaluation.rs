//! Runs every question through every searcher, and records the results and how long they took.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use vectorcode_core::CancelToken;
use vectorcode_core::api::{Hit, SearchMode, SearchRequest};
use vectorcode_engine::{Engine, SourceFile};

use crate::keywords::Keywords;
use crate::metrics::{DEPTH, RankedSpan, Target, measure};
use crate::report::{AnsweredQuestion, SearcherOutcome};
use crate::{MeasureError, Question, Searcher};

/// How many results are searched for the right file of a question that missed.
pub const DEEP: usize = 100;

/// Searched before anything is timed, because the first search loads the models.
pub const WARM_UP: &str = "the first search loads the models";

/// The input of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationInput<'a> {
    pub engine: &'a Engine,
    pub files: &'a [SourceFile],
    pub questions: &'a [Question],
    pub searchers: &'a [Searcher],
}

/// Runs all questions, or until cancelled. The second list has notes about what could not take part in the searches.
pub fn ask(
    input: &EvaluationInput<'_>,
    cancel: &CancelToken,
    on_answer: impl Fn(),
) -> Result<(Vec<AnsweredQuestion>, Vec<String>), MeasureError> {
    let keywords = Keywords::new(input.engine.project(), input.files, input.questions);
    for mode in input.searchers.iter().filter_map(|searcher| searcher.mode()) {
        search(input.engine, &EngineQuery { query: WARM_UP, before: None }, mode, DEPTH)?;
    }
    let mut notes = BTreeSet::new();
    let mut answered = Vec::new();
    for question in input.questions {
        if cancel.is_cancelled() {
            break;
        }
        let targets = question.targets();
        let mut outcomes = BTreeMap::new();
        for searcher in input.searchers {
            let outcome = match searcher.mode() {
                None => from_keywords(&keywords, question, &targets),
                Some(mode) => from_engine(input.engine, question, &targets, mode, &mut notes)?,
            };
            outcomes.insert(*searcher, outcome);
        }
        answered.push(AnsweredQuestion::new(question, outcomes));
        on_answer();
    }
    Ok((answered, notes.into_iter().collect()))
}

/// Keyword searches are not timed: their index is in memory and was built for these very questions, which no real search has.
fn from_keywords(keywords: &Keywords, question: &Question, targets: &[Target]) -> SearcherOutcome {
    let answers = keywords.answers(&question.query);
    let first = answers.first().map(|answer| answer.path.clone());
    SearcherOutcome::new(&measure(&answers, targets), first, None)
}

fn from_engine(
    engine: &Engine,
    question: &Question,
    targets: &[Target],
    mode: SearchMode,
    notes: &mut BTreeSet<String>,
) -> Result<SearcherOutcome, MeasureError> {
    let started = Instant::now();
    let (hits, told) = search(engine, &EngineQuery::of(question), mode, DEPTH)?;
    let took_ms = started.elapsed().as_secs_f64() * 1000.0;
    notes.extend(told);
    let answers: Vec<RankedSpan> = hits.iter().map(span).collect();
    Ok(SearcherOutcome::new(&measure(&answers, targets), hits.first().map(location), Some(took_ms)))
}

/// The rank of the first right file among the first [`DEEP`] hits.
pub fn deep_rank(
    engine: &Engine,
    question: &Question,
    searcher: Searcher,
) -> Result<Option<usize>, MeasureError> {
    let Some(mode) = searcher.mode() else { return Ok(None) };
    let (hits, _) = search(engine, &EngineQuery::of(question), mode, DEEP)?;
    Ok(hits.iter().position(|hit| question.answers.contains(&hit.path)).map(|index| index + 1))
}

/// A question in the form that the engine receives.
struct EngineQuery<'q> {
    query: &'q str,
    /// The commit that the question was made from. This commit and later ones must not influence the ranking: they contain
    /// the answer.
    before: Option<&'q str>,
}

impl<'q> EngineQuery<'q> {
    fn of(question: &'q Question) -> Self {
        Self { query: &question.query, before: question.from.as_deref() }
    }
}

/// The same search as `vectorcode search` does. No question is repeated with the same mode and depth, so the engine's query
/// cache never answers.
fn search(
    engine: &Engine,
    asked: &EngineQuery<'_>,
    mode: SearchMode,
    limit: usize,
) -> Result<(Vec<Hit>, Vec<String>), MeasureError> {
    let threshold = engine.config().search.default_threshold.map(|threshold| threshold as f32);
    let history_before = asked.before.map(str::to_owned);
    let request =
        SearchRequest { mode, limit, threshold, history_before, ..SearchRequest::query(asked.query) };
    let response = engine.search(&request)?;
    Ok((response.hits, response.notes))
}

fn span(hit: &Hit) -> RankedSpan {
    RankedSpan { path: hit.path.clone(), start_line: hit.start_line, end_line: hit.end_line }
}

fn location(hit: &Hit) -> String {
    let symbol = hit.symbol.as_ref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
    format!("{}:{}-{}{symbol}", hit.path, hit.start_line, hit.end_line)
}
