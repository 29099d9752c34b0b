//! Renders the results of a run as a table: overall, by category, by language, by repository, and next to other tools.

use std::collections::BTreeMap;
use std::fmt::Write;

use vectorcode_measure::metrics::{Measures, mean_of_means};

use crate::peers;

/// The result of one question.
#[derive(Clone, Debug)]
pub struct Row {
    pub repo: String,
    pub language: String,
    pub category: String,
    pub measures: Measures,
}

/// The whole report as text.
pub fn render(rows: &[Row]) -> String {
    let mut text = String::new();
    let all = over_repositories(rows.iter());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} questions", rows.len());
    let _ = writeln!(text, "NDCG@10 {:.4}   MRR@10 {:.4}   recall@10 {:.4}", all.ndcg, all.mrr, all.recall);
    for field in
        [|row: &Row| row.category.clone(), |row: &Row| row.language.clone(), |row: &Row| row.repo.clone()]
    {
        text.push('\n');
        text.push_str(&breakdown(rows, field));
    }
    text.push_str(&beside_peers(rows, all.ndcg));
    text
}

/// The mean over repositories of each repository's mean.
pub fn over_repositories<'r>(rows: impl Iterator<Item = &'r Row>) -> Measures {
    let mut order: Vec<&str> = Vec::new();
    let mut groups: BTreeMap<&str, Vec<&Measures>> = BTreeMap::new();
    for row in rows {
        let group = groups.entry(&row.repo).or_insert_with(|| {
            order.push(&row.repo);
            Vec::new()
        });
        group.push(&row.measures);
    }
    // In the order of the rows, because the last digit of a sum depends on it.
    mean_of_means(order.iter().map(|repo| groups[repo].clone()))
}

fn breakdown(rows: &[Row], field: fn(&Row) -> String) -> String {
    let mut groups: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(field(row)).or_default().push(row);
    }
    let mut text = String::new();
    for (value, group) in groups {
        let means = over_repositories(group.iter().copied());
        let _ = writeln!(
            text,
            "{value:<20} n {:>3}  ndcg {:.4}  mrr {:.4}  recall {:.3}",
            group.len(),
            means.ndcg,
            means.mrr,
            means.recall
        );
    }
    text
}

/// The published figures with this run ranked among them; empty if the run covers other repositories.
fn beside_peers(rows: &[Row], own: f64) -> String {
    let repositories: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.repo.as_str()).collect();
    if repositories.len() != peers::REPOSITORIES {
        return String::new();
    }
    let mut figures: Vec<(&str, f64)> = peers::PUBLISHED.to_vec();
    figures.push(("> vectorcode", own));
    figures.sort_by(|left, right| right.1.total_cmp(&left.1));
    let mut text = String::from("\n");
    for (name, ndcg) in figures {
        let _ = writeln!(text, "{name:<28} {ndcg:.3}");
    }
    text
}
