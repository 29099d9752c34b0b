//! The result of an evaluation: the outcome of each question, and the means. `vectorcode eval --json` prints it, and
//! `--against` reads it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};
use vectorcode_core::VectorSpace;

use crate::metrics::Measures;
use crate::{Latency, MeasureError, Question, Searcher};

/// 95 % of a normal distribution is within this many standard deviations of the mean.
const TWO_SIDED_95: f64 = 1.96;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of vectorcode.
    pub version: String,
    pub project: String,
    pub source: QuestionSource,
    /// The vector space of the provider.
    pub space: VectorSpace,
    /// Fraction of the index, 0 to 1, that has vectors of the provider.
    pub semantic_coverage: f32,
    /// True if the run was stopped before all questions were run.
    pub stopped: bool,
    /// What could not take part in the searches, as sentences.
    pub notes: Vec<String>,
    /// One per searcher, from the plainest to the best.
    #[serde(rename = "grades")]
    pub scores: Vec<SearcherScore>,
    /// The questions that were run.
    pub questions: Vec<AnsweredQuestion>,
}

/// Where the questions came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum QuestionSource {
    /// Of the latest `commits` commits, `usable` yield a question.
    History {
        commits: usize,
        usable: usize,
    },
    File {
        path: String,
    },
}

/// The quality of one searcher over all questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearcherScore {
    pub searcher: Searcher,
    /// Fraction of the questions, 0 to 1, with a right file among the first one, three or ten results.
    pub hit_at_1: f64,
    pub hit_at_3: f64,
    pub hit_at_10: f64,
    pub ndcg_at_10: f64,
    /// 95 % confidence: other questions of the same kind would give an NDCG within this margin.
    pub ndcg_margin: f64,
    pub mrr_at_10: f64,
    /// Time of one warm search; absent for keywords.
    pub median_ms: Option<f64>,
    pub p90_ms: Option<f64>,
}

/// A question with the outcome for each searcher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnsweredQuestion {
    pub query: String,
    pub answers: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// Whether the query contains the name of a right file.
    pub names_its_file: bool,
    pub outcomes: BTreeMap<Searcher, SearcherOutcome>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearcherOutcome {
    /// The rank, counted from 1, of the first right file; absent if it is not among the first ten results.
    pub rank: Option<usize>,
    pub ndcg_at_10: f64,
    /// The first result: a path, with lines and symbol if it came from the engine.
    pub first: Option<String>,
    pub took_ms: Option<f64>,
}

/// A comparison of two outcomes of the same questions, question by question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub searcher: Searcher,
    /// How many questions have both outcomes.
    pub questions: usize,
    pub better: usize,
    pub worse: usize,
    /// Mean difference of NDCG@10; positive is better.
    pub difference: f64,
    pub margin: f64,
}

impl SearcherOutcome {
    pub(crate) fn new(measures: &Measures, first: Option<String>, took_ms: Option<f64>) -> Self {
        Self { rank: measures.rank(), ndcg_at_10: measures.ndcg, first, took_ms }
    }
}

impl AnsweredQuestion {
    pub(crate) fn new(question: &Question, outcomes: BTreeMap<Searcher, SearcherOutcome>) -> Self {
        let Question { query, answers, from } = question.clone();
        Self { query, answers, from, names_its_file: question.names_its_file(), outcomes }
    }

    pub fn question(&self) -> Question {
        Question { query: self.query.clone(), answers: self.answers.clone(), from: self.from.clone() }
    }
}

impl SearcherScore {
    /// `None` if there are no questions.
    pub fn of<'q>(searcher: Searcher, questions: impl Iterator<Item = &'q AnsweredQuestion>) -> Option<Self> {
        let outcomes: Vec<&SearcherOutcome> =
            questions.filter_map(|question| question.outcomes.get(&searcher)).collect();
        if outcomes.is_empty() {
            return None;
        }
        let mean =
            |part: &dyn Fn(&SearcherOutcome) -> f64| spread(outcomes.iter().map(|outcome| part(outcome))).0;
        let hit_at = |depth: usize| {
            mean(&|outcome| f64::from(u8::from(outcome.rank.is_some_and(|rank| rank <= depth))))
        };
        let (ndcg_at_10, ndcg_margin) = spread(outcomes.iter().map(|outcome| outcome.ndcg_at_10));
        let latency = Latency::of(outcomes.iter().filter_map(|outcome| outcome.took_ms).collect());
        Some(Self {
            searcher,
            hit_at_1: hit_at(1),
            hit_at_3: hit_at(3),
            hit_at_10: hit_at(10),
            ndcg_at_10,
            ndcg_margin,
            mrr_at_10: mean(&|outcome| outcome.rank.map_or(0.0, |rank| 1.0 / rank as f64)),
            median_ms: latency.map(|latency| latency.median),
            p90_ms: latency.map(|latency| latency.p90),
        })
    }
}

impl Report {
    /// Reads an earlier report that was printed by `--json`.
    pub fn read(path: &Path) -> Result<Self, MeasureError> {
        let text = std::fs::read_to_string(path).map_err(MeasureError::io("read", path))?;
        serde_json::from_str(&text).map_err(|error| MeasureError::io("understand", path)(error.into()))
    }

    pub fn score(&self, searcher: Searcher) -> Option<&SearcherScore> {
        self.scores.iter().find(|score| score.searcher == searcher)
    }

    /// The difference between a searcher and a plainer one.
    pub fn compare(&self, searcher: Searcher, plainer: Searcher) -> Option<Comparison> {
        let pairs = self.questions.iter().filter_map(|question| {
            Some((question.outcomes.get(&searcher)?.ndcg_at_10, question.outcomes.get(&plainer)?.ndcg_at_10))
        });
        Comparison::of(searcher, pairs)
    }

    /// The difference to an earlier run, over the questions that both runs contain.
    pub fn against(&self, earlier: &Self, searcher: Searcher) -> Option<Comparison> {
        let before: HashMap<(&str, &[String]), &AnsweredQuestion> =
            earlier.questions.iter().map(|question| (question.key(), question)).collect();
        let pairs = self.questions.iter().filter_map(|question| {
            let then = before.get(&question.key())?.outcomes.get(&searcher)?.ndcg_at_10;
            Some((question.outcomes.get(&searcher)?.ndcg_at_10, then))
        });
        Comparison::of(searcher, pairs)
    }
}

impl AnsweredQuestion {
    fn key(&self) -> (&str, &[String]) {
        (&self.query, &self.answers)
    }
}

impl Comparison {
    fn of(searcher: Searcher, pairs: impl Iterator<Item = (f64, f64)>) -> Option<Self> {
        let differences: Vec<f64> = pairs.map(|(now, before)| now - before).collect();
        if differences.is_empty() {
            return None;
        }
        let count = |sign: f64| differences.iter().filter(|difference| **difference * sign > 1e-9).count();
        let (difference, margin) = spread(differences.iter().copied());
        let (questions, better, worse) = (differences.len(), count(1.0), count(-1.0));
        Some(Self { searcher, questions, better, worse, difference, margin })
    }
}

/// The mean, and the margin within which the means of other samples would lie.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let number = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / number;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (number - 1.0).max(1.0)).sqrt();
    (mean, TWO_SIDED_95 * deviation / number.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(query: &str, stage_one: Option<usize>, both: Option<usize>) -> AnsweredQuestion {
        let outcome = |rank: Option<usize>| SearcherOutcome {
            rank,
            ndcg_at_10: rank.map_or(0.0, |rank| 1.0 / ((rank + 1) as f64).log2()),
            first: None,
            took_ms: Some(2.0),
        };
        let question = Question { query: query.into(), answers: vec!["a.rs".into()], from: None };
        let outcomes = [(Searcher::StageOne, outcome(stage_one)), (Searcher::BothStages, outcome(both))];
        AnsweredQuestion::new(&question, outcomes.into())
    }

    fn report(questions: Vec<AnsweredQuestion>) -> Report {
        Report {
            version: "1".into(),
            project: "p".into(),
            source: QuestionSource::File { path: "q.jsonl".into() },
            space: VectorSpace::new("fake", "model", 8),
            semantic_coverage: 1.0,
            stopped: false,
            notes: Vec::new(),
            scores: Vec::new(),
            questions,
        }
    }

    #[test]
    fn a_score_is_the_mean_over_the_questions() {
        let questions =
            [answered("x", Some(1), None), answered("y", Some(3), None), answered("z", None, None)];
        let score = SearcherScore::of(Searcher::StageOne, questions.iter()).unwrap();
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        };
        near(score.hit_at_1, 1.0 / 3.0);
        near(score.hit_at_3, 2.0 / 3.0);
        near(score.ndcg_at_10, 0.5);
        // The standard deviation of 1, 0.5 and 0 is 0.5.
        near(score.ndcg_margin, 1.96 * 0.5 / 3.0_f64.sqrt());
        near(score.mrr_at_10, (1.0 + 1.0 / 3.0) / 3.0);
        assert_eq!(score.median_ms, Some(2.0));
        assert_eq!(SearcherScore::of(Searcher::Keywords, questions.iter()), None);
    }

    #[test]
    fn two_ways_are_compared_question_by_question() {
        let now = report(vec![
            answered("x", Some(2), Some(1)),
            answered("y", Some(1), Some(2)),
            answered("z", None, Some(9)),
        ]);
        let comparison = now.compare(Searcher::BothStages, Searcher::StageOne).unwrap();
        assert_eq!((comparison.questions, comparison.better, comparison.worse), (3, 2, 1));
        let earlier = report(vec![answered("y", None, None), answered("gone", Some(1), Some(1))]);
        let since = now.against(&earlier, Searcher::StageOne).unwrap();
        assert_eq!((since.questions, since.better, since.worse), (1, 1, 0));
        assert_eq!(now.against(&earlier, Searcher::Keywords), None);
    }
}
