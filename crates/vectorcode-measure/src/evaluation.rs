//! Puts every question to every searcher, and notes what came back and how long it took.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use vectorcode_core::CancelToken;
use vectorcode_core::api::{Hit, SearchMode, SearchRequest};
use vectorcode_engine::{Engine, SourceFile};

use crate::keywords::Keywords;
use crate::metrics::{Answer, DEPTH, Target, measure};
use crate::report::{Answered, Outcome};
use crate::{MeasureError, Question};

/// How far down the list a question that missed is looked for.
pub const DEEP: usize = 100;

/// Asked before the clock runs: the first search loads the models.
const WARM_UP: &str = "the first search loads the models";

/// Who is asked, from the plainest to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Searcher {
    /// Keywords alone, for comparison.
    Keywords,
    /// Full text and static vectors.
    StageOne,
    /// Vectors of the provider too.
    BothStages,
}

impl Searcher {
    /// How the engine is asked; `None` where it is not.
    fn mode(self) -> Option<SearchMode> {
        match self {
            Self::Keywords => None,
            Self::StageOne => Some(SearchMode::Fast),
            Self::BothStages => Some(SearchMode::Auto),
        }
    }
}

/// All that is to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    pub engine: &'a Engine,
    pub files: &'a [SourceFile],
    pub questions: &'a [Question],
    pub searchers: &'a [Searcher],
}

/// Asks until all are answered or the token says stop. The second list tells what could not take part in the answers.
pub fn ask(
    asking: &Asking<'_>,
    cancel: &CancelToken,
    on_answer: impl Fn(),
) -> Result<(Vec<Answered>, Vec<String>), MeasureError> {
    let keywords = Keywords::new(asking.engine.project(), asking.files, asking.questions);
    for mode in asking.searchers.iter().filter_map(|searcher| searcher.mode()) {
        search(asking.engine, WARM_UP, mode, DEPTH)?;
    }
    let mut notes = BTreeSet::new();
    let mut answered = Vec::new();
    for question in asking.questions {
        if cancel.is_cancelled() {
            break;
        }
        let targets = question.targets();
        let mut outcomes = BTreeMap::new();
        for searcher in asking.searchers {
            let outcome = match searcher.mode() {
                None => from_keywords(&keywords, question, &targets),
                Some(mode) => from_engine(asking.engine, question, &targets, mode, &mut notes)?,
            };
            outcomes.insert(*searcher, outcome);
        }
        answered.push(Answered::new(question, outcomes));
        on_answer();
    }
    Ok((answered, notes.into_iter().collect()))
}

/// Keywords are not timed: they stand in memory ready for these very questions, as no real search does.
fn from_keywords(keywords: &Keywords, question: &Question, targets: &[Target]) -> Outcome {
    let answers = keywords.answers(&question.query);
    let first = answers.first().map(|answer| answer.path.clone());
    Outcome::new(&measure(&answers, targets), first, None)
}

fn from_engine(
    engine: &Engine,
    question: &Question,
    targets: &[Target],
    mode: SearchMode,
    notes: &mut BTreeSet<String>,
) -> Result<Outcome, MeasureError> {
    let started = Instant::now();
    let (hits, told) = search(engine, &question.query, mode, DEPTH)?;
    let took_ms = started.elapsed().as_secs_f64() * 1000.0;
    notes.extend(told);
    let answers: Vec<Answer> = hits.iter().map(answer).collect();
    Ok(Outcome::new(&measure(&answers, targets), hits.first().map(place), Some(took_ms)))
}

/// Where the first right answer stands among the first [`DEEP`] hits.
pub fn deep_rank(
    engine: &Engine,
    question: &Question,
    searcher: Searcher,
) -> Result<Option<usize>, MeasureError> {
    let Some(mode) = searcher.mode() else { return Ok(None) };
    let (hits, _) = search(engine, &question.query, mode, DEEP)?;
    Ok(hits.iter().position(|hit| question.answers.contains(&hit.path)).map(|index| index + 1))
}

/// A search as `vectorcode search` makes it. No question is asked twice in one mode and depth, so none is answered from the
/// engine's memory of recent answers.
fn search(
    engine: &Engine,
    query: &str,
    mode: SearchMode,
    limit: usize,
) -> Result<(Vec<Hit>, Vec<String>), MeasureError> {
    let threshold = engine.config().search.default_threshold as f32;
    let response = engine.search(&SearchRequest { mode, limit, threshold, ..SearchRequest::query(query) })?;
    Ok((response.hits, response.notes))
}

fn answer(hit: &Hit) -> Answer {
    Answer { path: hit.path.clone(), start_line: hit.start_line, end_line: hit.end_line }
}

fn place(hit: &Hit) -> String {
    let symbol = hit.symbol.as_ref().map(|symbol| format!("  {symbol}")).unwrap_or_default();
    format!("{}:{}-{}{symbol}", hit.path, hit.start_line, hit.end_line)
}
