//! The figures agree with those of the reference implementation, computed by hand on a small dataset.

use std::path::Path;

use vectorcode_eval::Dataset;
use vectorcode_eval::report::{Row, over_repositories, render};
use vectorcode_measure::metrics::{RankedSpan, measure};

const REPOS: &str = r#"[
  {"name": "one", "language": "rust", "root": "src"},
  {"name": "two", "language": "go", "root": null}
]"#;

const ONE: &str = r#"[
  {"query": "a", "category": "semantic", "relevant": ["src/a.rs"], "secondary": ["b.rs"]},
  {"query": "b", "category": "symbol", "relevant": [{"path": "src/c.rs", "start_line": 10, "end_line": 20}]}
]"#;

const TWO: &str = r#"[{"query": "c", "category": "semantic", "relevant": ["main.go"], "secondary": []}]"#;

fn dataset(folder: &Path) -> Dataset {
    std::fs::create_dir(folder.join("annotations")).unwrap();
    std::fs::write(folder.join("repos.json"), REPOS).unwrap();
    std::fs::write(folder.join("annotations/one.json"), ONE).unwrap();
    std::fs::write(folder.join("annotations/two.json"), TWO).unwrap();
    Dataset::load(folder).unwrap()
}

fn answers(query: &str) -> Vec<RankedSpan> {
    let answer = |path: &str, start_line, end_line| RankedSpan { path: path.into(), start_line, end_line };
    match query {
        "a" => vec![answer("src/x.rs", 1, 5), answer("src/a.rs", 1, 5), answer("src/b.rs", 1, 5)],
        "b" => vec![answer("src/c.rs", 1, 9), answer("src/c.rs", 15, 30)],
        _ => vec![answer("main.go", 1, 5)],
    }
}

#[test]
fn the_headline_is_the_mean_over_repositories() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = Vec::new();
    for repository in dataset(folder.path()).repositories {
        for question in &repository.questions {
            rows.push(Row {
                repo: repository.name.clone(),
                language: repository.language.clone(),
                category: question.category.clone(),
                measures: measure(&answers(&question.query), &question.targets(repository.root.as_deref())),
            });
        }
    }
    let log = |rank: f64| 1.0 / (rank + 1.0).log2();
    let first = (log(2.0) + log(3.0)) / (log(1.0) + log(2.0));
    let expected = f64::midpoint(f64::midpoint(first, log(2.0)), 1.0);
    let found = over_repositories(rows.iter());
    assert!((found.ndcg - expected).abs() < 1e-15, "{} is not {expected}", found.ndcg);
    assert!((found.mrr - 0.75).abs() < 1e-15);
    assert!((found.recall - 1.0).abs() < 1e-15);
    assert!(render(&rows).starts_with(&format!("3 questions\nNDCG@10 {expected:.4}   MRR@10 0.7500")));
}

#[test]
fn an_unknown_repository_filter_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert!(dataset(folder.path()).only(&["three".to_owned()]).repositories.is_empty());
}
