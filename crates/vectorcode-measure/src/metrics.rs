//! Quality metrics of a ranked list: NDCG@10, MRR@10 and recall@10 with binary gain.
//!
//! A target is hit by the first result in its file (whose lines overlap the target's lines, if it has any). Results count as
//! given: a second chunk of the same file takes up a rank. Sums are computed in the order of ranks, so that the figures agree
//! with the reference implementation to the last digit.

use serde::Serialize;

pub const DEPTH: usize = 10;

/// One result of a ranked list; the path is relative to the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RankedSpan {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
}

impl RankedSpan {
    /// A result that covers a whole file.
    pub fn file(path: &str) -> Self {
        Self { path: path.into(), start_line: 1, end_line: u32::MAX }
    }
}

/// A file, or part of a file, that answers a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The possible paths. Some labels are relative to the indexed folder, so both interpretations count.
    pub paths: Vec<String>,
    pub lines: Option<(u32, u32)>,
}

impl Target {
    pub fn is_hit_by(&self, answer: &RankedSpan) -> bool {
        let overlaps =
            self.lines.is_none_or(|(start, end)| answer.end_line >= start && answer.start_line <= end);
        overlaps && self.paths.contains(&answer.path)
    }
}

/// The metrics of one question, or their means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    pub ndcg: f64,
    pub mrr: f64,
    pub recall: f64,
}

impl Measures {
    /// The rank, counted from 1, of the first right result. Only for the metrics of one question.
    pub fn rank(&self) -> Option<usize> {
        (self.mrr > 0.0).then(|| self.mrr.recip().round() as usize)
    }
}

pub fn measure(answers: &[RankedSpan], targets: &[Target]) -> Measures {
    let ranks: Vec<Option<usize>> = targets.iter().map(|target| first_hit(answers, target)).collect();
    let mut hit: Vec<usize> = ranks.iter().flatten().copied().collect();
    hit.sort_unstable();
    hit.dedup();
    let ideal: f64 = (1..=ranks.len().min(DEPTH)).map(gain).sum();
    Measures {
        ndcg: hit.iter().copied().map(gain).sum::<f64>() / ideal,
        mrr: hit.first().map_or(0.0, |rank| 1.0 / *rank as f64),
        recall: ranks.iter().flatten().count() as f64 / ranks.len() as f64,
    }
}

/// The gain of a right result at this rank, counted from 1.
pub fn gain(rank: usize) -> f64 {
    1.0 / ((rank + 1) as f64).log2()
}

/// The rank, counted from 1, of the first result that hits the target.
fn first_hit(answers: &[RankedSpan], target: &Target) -> Option<usize> {
    answers.iter().take(DEPTH).position(|answer| target.is_hit_by(answer)).map(|index| index + 1)
}

/// The mean over groups of each group's mean, so that a repository with many questions weighs no more than others.
pub fn mean_of_means<'m>(groups: impl Iterator<Item = Vec<&'m Measures>>) -> Measures {
    let means: Vec<Measures> = groups.map(|group| mean(&group)).collect();
    mean(&means.iter().collect::<Vec<_>>())
}

fn mean(measures: &[&Measures]) -> Measures {
    let mean =
        |part: fn(&Measures) -> f64| measures.iter().map(|m| part(m)).sum::<f64>() / measures.len() as f64;
    Measures { ndcg: mean(|m| m.ndcg), mrr: mean(|m| m.mrr), recall: mean(|m| m.recall) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(path: &str, start_line: u32, end_line: u32) -> RankedSpan {
        RankedSpan { path: path.into(), start_line, end_line }
    }

    fn target(path: &str) -> Target {
        Target { paths: vec![path.into()], lines: None }
    }

    #[test]
    fn a_perfect_list_scores_one() {
        let measures = measure(&[answer("a", 1, 2), answer("b", 1, 2)], &[target("a"), target("b")]);
        assert_eq!(measures, Measures { ndcg: 1.0, mrr: 1.0, recall: 1.0 });
    }

    #[test]
    fn a_second_chunk_of_a_file_takes_a_place() {
        let measures = measure(&[answer("a", 1, 2), answer("a", 3, 4), answer("b", 1, 2)], &[target("b")]);
        assert_eq!(measures, Measures { ndcg: 0.5, mrr: 1.0 / 3.0, recall: 1.0 });
        assert_eq!(measures.rank(), Some(3));
    }

    #[test]
    fn lines_must_overlap_where_the_label_has_them() {
        let target = Target { paths: vec!["a".into()], lines: Some((10, 20)) };
        let measures = measure(&[answer("a", 1, 9), answer("a", 20, 30)], &[target]);
        assert!((measures.mrr - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_beyond_the_tenth_counts() {
        let mut answers = vec![answer("x", 1, 1); 10];
        answers.push(answer("a", 1, 1));
        let measures = measure(&answers, &[target("a")]);
        assert_eq!((measures, measures.rank()), (Measures::default(), None));
    }
}
