//! Prints the report of `vectorcode eval` for people: a table, and a summary in sentences.

use std::io;

use serde::Serialize;
use vectorcode_measure::{
    AnsweredQuestion, Comparison, DEEP, QuestionSource, Report, Searcher, SearcherScore,
};

use super::numbers::{grouped, plural};
use super::{Printer, style};

/// Maximum length of a question in the list of misses, in characters.
const QUERY_SHOWN: usize = 96;

/// A report as JSON, with the changes since an earlier one.
#[derive(Debug, Serialize)]
pub struct Json<'r> {
    #[serde(flatten)]
    pub report: &'r Report,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<Comparison>,
}

/// The report of an earlier run, and the file that holds it.
#[derive(Debug)]
pub struct Earlier {
    pub name: String,
    pub report: Report,
}

impl Earlier {
    /// How the result of each searcher has changed since.
    pub fn comparisons(&self, now: &Report) -> Vec<Comparison> {
        now.scores.iter().filter_map(|score| now.against(&self.report, score.searcher)).collect()
    }
}

/// A question whose answer is not among the first ten results.
#[derive(Debug)]
pub struct Miss<'r> {
    pub answered: &'r AnsweredQuestion,
    /// The file of the first result instead.
    pub first: Option<&'r str>,
    /// The rank of the answer, if it is not too far down.
    pub rank: Option<usize>,
}

pub fn print(report: &Report, earlier: Option<&Earlier>, printer: &Printer) -> io::Result<()> {
    printer.line(heading(report))?;
    printer.line("")?;
    printer.line(style::painted(
        style::DIM,
        "                 first   top 3  top 10      NDCG@10   MRR@10    median       p90",
    ))?;
    report.scores.iter().try_for_each(|score| printer.line(row(score)))?;
    printer.line("")?;
    sentences(report).try_for_each(|sentence| printer.line(sentence))?;
    earlier.map_or(Ok(()), |earlier| print_changes(report, earlier, printer))
}

fn heading(report: &Report) -> String {
    let questions = plural(report.questions.len() as u64, "question");
    let project = style::painted(style::SYMBOL, &report.project);
    match &report.source {
        QuestionSource::History { commits, usable } => format!(
            "{questions} about {project}, from its history: the message of a commit is the question, the files that \
             it changed are the answers.\n{} of the latest {} are usable.",
            grouped(*usable as u64),
            plural(*commits as u64, "commit")
        ),
        QuestionSource::File { path } => format!("{questions} about {project}, from {path}."),
    }
}

fn row(score: &SearcherScore) -> String {
    let percent = |part: f64| format!("{:>3.0} %", 100.0 * part);
    let time = |ms: Option<f64>| ms.map_or_else(|| "–".into(), |ms| format!("{ms:.1} ms"));
    format!(
        "{:<15} {:>6}  {:>6}  {:>6}   {:.2} ±{:.2}     {:.2}  {:>8}  {:>8}",
        title(score.searcher),
        percent(score.hit_at_1),
        percent(score.hit_at_3),
        percent(score.hit_at_10),
        score.ndcg_at_10,
        score.ndcg_margin,
        score.mrr_at_10,
        time(score.median_ms),
        time(score.p90_ms),
    )
}

fn title(searcher: Searcher) -> &'static str {
    match searcher {
        Searcher::Keywords => "keyword search",
        Searcher::StageOne => "stage one",
        Searcher::BothStages => "both stages",
    }
}

/// Summarises the table in words.
fn sentences(report: &Report) -> impl Iterator<Item = String> {
    [among_the_first(report), provider_helps(report), named(report)].into_iter().flatten()
}

fn among_the_first(report: &Report) -> Option<String> {
    let all = report.questions.len() as f64;
    let found = |score: &SearcherScore| grouped((score.hit_at_3 * all).round() as u64);
    let (best, keywords) = (report.scores.last()?, report.score(Searcher::Keywords)?);
    Some(format!(
        "For {} of {}, a correct file is among the first three results; with keyword search, for {}.",
        found(best),
        plural(report.questions.len() as u64, "question"),
        found(keywords)
    ))
}

fn provider_helps(report: &Report) -> Option<String> {
    let comparison = report.compare(Searcher::BothStages, Searcher::StageOne)?;
    let space = &report.space;
    Some(format!("The second stage ({} {}) is {}.", space.provider, space.model, changes(&comparison)))
}

/// Questions that name their file are easy, so the figures are also given without them.
fn named(report: &Report) -> Option<String> {
    let named = report.questions.iter().filter(|question| question.names_its_file).count();
    let others = || report.questions.iter().filter(|question| !question.names_its_file);
    let of_others = |searcher| Some(SearcherScore::of(searcher, others())?.ndcg_at_10);
    let best = of_others(report.scores.last()?.searcher).filter(|_| named > 0)?;
    let keywords = of_others(Searcher::Keywords)?;
    Some(format!(
        "The name of a correct file occurs in {}; for the others, NDCG@10 is {best:.2}, with keywords {keywords:.2}.",
        plural(named as u64, "question")
    ))
}

/// `better for 14 questions, worse for 9; NDCG@10 +0.02 ±0.03, which may be chance`
fn changes(comparison: &Comparison) -> String {
    let Comparison { better, worse, difference, margin, .. } = comparison;
    let may_be_chance = better + worse > 0 && difference.abs() <= *margin;
    let verdict = if may_be_chance { ", which may be chance" } else { "" };
    let better = plural(*better as u64, "question");
    format!("better for {better}, worse for {worse}; NDCG@10 {difference:+.2} ±{margin:.2}{verdict}")
}

fn print_changes(report: &Report, earlier: &Earlier, printer: &Printer) -> io::Result<()> {
    let comparisons = earlier.comparisons(report);
    let Some(first) = comparisons.first() else {
        return printer.line(format!("\n{} shares no question with this run.", earlier.name));
    };
    let (then, now) = (&earlier.report.space, &report.space);
    let models =
        if then == now { String::new() } else { format!(" ({} then, {} now)", then.model, now.model) };
    let shared = plural(first.questions as u64, "question");
    printer.line(format!("\nAgainst {}{models}, on {shared} of both runs:", earlier.name))?;
    comparisons
        .iter()
        .try_for_each(|change| printer.line(format!("{:<15} {}", title(change.searcher), changes(change))))
}

pub fn print_misses(misses: &[Miss<'_>], printer: &Printer) -> io::Result<()> {
    if !misses.is_empty() {
        printer.line("\nWorst misses")?;
    }
    misses.iter().try_for_each(|miss| print_miss(miss, printer))
}

fn print_miss(miss: &Miss<'_>, printer: &Printer) -> io::Result<()> {
    let AnsweredQuestion { query, answers, from, .. } = miss.answered;
    let from =
        from.as_ref().map(|commit| style::painted(style::DIM, format!("  {commit}"))).unwrap_or_default();
    let place =
        miss.rank.map_or_else(|| format!("not among the first {DEEP}"), |rank| format!("at rank {rank}"));
    printer.line(format!("{}{from}", style::painted(style::SYMBOL, shortened(query))))?;
    printer.line(format!("  expected  {}  {place}", style::painted(style::PATH, answers.join(", "))))?;
    printer.line(format!("  first     {}", miss.first.unwrap_or("nothing")))
}

fn shortened(query: &str) -> String {
    match query.char_indices().nth(QUERY_SHOWN) {
        Some((end, _)) => format!("{}…", query[..end].trim_end()),
        None => query.to_owned(),
    }
}
