//! Renders the results of a run as tables: keywords and vectorcode, over all issues and by language.

use std::collections::BTreeMap;
use std::fmt::Write;

use vectorcode_measure::Latency;

use super::metrics::LocalisationMetrics;

/// The result of one issue.
#[derive(Clone, Debug)]
pub struct IssueOutcome {
    pub language: String,
    pub tokens: usize,
    pub keywords: LocalisationMetrics,
    pub searched: LocalisationMetrics,
    /// `None`: it could not be run, and counts as not found.
    pub took_ms: Option<f64>,
}

/// An issue that could not be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unasked {
    pub id: String,
    pub reason: String,
}

pub fn render(outcomes: &[IssueOutcome], unasked: &[Unasked]) -> String {
    let mut text = String::new();
    if outcomes.iter().any(|outcome| outcome.keywords != LocalisationMetrics::default()) {
        text.push_str(&table("BM25 over whole files", outcomes, |outcome| &outcome.keywords));
    }
    text.push_str(&table("vectorcode", outcomes, |outcome| &outcome.searched));
    let mut tokens: Vec<usize> = outcomes.iter().map(|outcome| outcome.tokens).collect();
    tokens.sort_unstable();
    // Writing to a string cannot fail.
    if let (Some(most), Some(middle)) = (tokens.last(), tokens.get(tokens.len() / 2)) {
        let _ = writeln!(text, "a question has about {middle} tokens (median), {most} at most");
    }
    if let Some(time) = Latency::of(outcomes.iter().filter_map(|outcome| outcome.took_ms).collect()) {
        let _ = writeln!(text, "a search took {:.1} ms (median), {:.1} ms (p90)", time.median, time.p90);
    }
    let _ = writeln!(text, "{} could not be asked and count as not found", unasked.len());
    for Unasked { id, reason } in unasked {
        let _ = writeln!(text, "  {id}: {reason}");
    }
    text
}

fn table(title: &str, outcomes: &[IssueOutcome], grade: fn(&IssueOutcome) -> &LocalisationMetrics) -> String {
    let mut groups: BTreeMap<&str, Vec<&LocalisationMetrics>> = BTreeMap::new();
    for outcome in outcomes {
        groups.entry(&outcome.language).or_default().push(grade(outcome));
    }
    let mut text =
        format!("{title:<22}   n  Acc@1  Acc@3  Acc@5 Acc@10  hit@1  hit@3  hit@5 hit@10    MRR NDCG@10\n");
    text.push_str(&row("all", &outcomes.iter().map(grade).collect::<Vec<_>>()));
    let mut groups: Vec<(&str, Vec<&LocalisationMetrics>)> = groups.into_iter().collect();
    groups.sort_by_key(|(_, grades)| std::cmp::Reverse(grades.len()));
    for (language, grades) in groups {
        text.push_str(&row(language, &grades));
    }
    text.push('\n');
    text
}

fn row(name: &str, grades: &[&LocalisationMetrics]) -> String {
    let mean = LocalisationMetrics::mean(grades);
    let mut text = format!("{name:<22} {:>3}", grades.len());
    for value in mean.accuracy.iter().chain(&mean.hit).chain([&mean.mrr]) {
        let _ = write!(text, "  {value:.3}");
    }
    let _ = writeln!(text, "   {:.3}", mean.ndcg);
    text
}
