//! Plain keyword search: BM25 over the words of whole files and their paths.
//!
//! The baseline for every figure of the engine. Simple, but better than `grep`, because identifiers are split into words as
//! in the index, and rare words count more. Only words that occur in the questions are counted, so that even a large project
//! needs little memory.

use std::collections::{HashMap, HashSet};

use vectorcode_core::bm25;
use vectorcode_core::words::{for_each_word, lowercase_words};
use vectorcode_engine::{Project, SourceFile};

use crate::Question;
use crate::metrics::{DEPTH, RankedSpan};

#[derive(Debug)]
pub struct Keywords {
    documents: Vec<Document>,
    /// The number of documents that contain each word.
    document_frequency: HashMap<String, usize>,
    mean_length: f32,
}

#[derive(Debug)]
struct Document {
    path: String,
    length: usize,
    counts: HashMap<String, usize>,
}

impl Keywords {
    /// Reads every file of the index once. Files that can no longer be read are left out.
    pub fn new(project: &Project, files: &[SourceFile], questions: &[Question]) -> Self {
        let wanted: HashSet<String> =
            questions.iter().flat_map(|question| lowercase_words(&question.query)).collect();
        let read = |file: &SourceFile| {
            let bytes = std::fs::read(project.absolute(&file.path)).ok()?;
            Some(Document::new(&file.path, &String::from_utf8_lossy(&bytes), &wanted))
        };
        Self::of(files.iter().filter_map(read).collect())
    }

    fn of(documents: Vec<Document>) -> Self {
        let mut document_frequency = HashMap::new();
        for word in documents.iter().flat_map(|document| document.counts.keys()) {
            *document_frequency.entry(word.clone()).or_default() += 1;
        }
        let words: usize = documents.iter().map(|document| document.length).sum();
        let mean_length = words as f32 / documents.len().max(1) as f32;
        Self { documents, document_frequency, mean_length }
    }

    /// The best files, each as one result.
    pub fn answers(&self, query: &str) -> Vec<RankedSpan> {
        let mut words = lowercase_words(query);
        words.sort_unstable();
        words.dedup();
        let score = |document: &Document| words.iter().map(|word| self.score(document, word)).sum::<f32>();
        let mut ranked: Vec<(f32, &str)> = self
            .documents
            .iter()
            .map(|document| (score(document), document.path.as_str()))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
        ranked.into_iter().take(DEPTH).map(|(_, path)| RankedSpan::file(path)).collect()
    }

    fn score(&self, document: &Document, word: &str) -> f32 {
        let Some(count) = document.counts.get(word) else { return 0.0 };
        let idf = bm25::idf(self.document_frequency[word] as f32, self.documents.len() as f32);
        let (count, length) = (*count as f32, document.length as f32 / self.mean_length);
        idf * count * (bm25::K1 + 1.0) / (count + bm25::damping(length))
    }
}

impl Document {
    fn new(path: &str, text: &str, wanted: &HashSet<String>) -> Self {
        let mut document = Self { path: path.into(), length: 0, counts: HashMap::new() };
        let mut lower = String::new();
        let mut count = |word: &str| {
            document.length += 1;
            lower.clear();
            lower.push_str(word);
            lower.make_ascii_lowercase();
            if let Some(word) = wanted.get(&lower) {
                *document.counts.entry(word.clone()).or_default() += 1;
            }
        };
        for_each_word(path, &mut count);
        for_each_word(text, &mut count);
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keywords(files: &[(&str, &str)], query: &str) -> Vec<String> {
        let wanted = lowercase_words(query).into_iter().collect();
        let documents = files.iter().map(|(path, text)| Document::new(path, text, &wanted)).collect();
        Keywords::of(documents).answers(query).into_iter().map(|answer| answer.path).collect()
    }

    #[test]
    fn rare_words_count_more_than_common_ones_and_nothing_means_no_answer() {
        let files = [
            ("a.rs", "the session the the the"),
            ("b.rs", "the cookieSession is signed"),
            ("c.rs", "the rest"),
        ];
        assert_eq!(keywords(&files, "the signed session"), ["b.rs", "a.rs", "c.rs"]);
        assert_eq!(keywords(&files, "zebra"), Vec::<String>::new());
    }

    #[test]
    fn the_path_counts_too() {
        assert_eq!(keywords(&[("src/other.rs", "x"), ("src/zebra.rs", "y")], "zebra"), ["src/zebra.rs"]);
    }
}
