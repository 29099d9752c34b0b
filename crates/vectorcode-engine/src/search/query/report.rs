//! What a bug report has in addition to a short query: a title, a body, code, and more words than a search can use.

use std::collections::{BTreeMap, HashMap};

use vectorcode_core::words::lowercase_words;

use super::super::question::Question;
use super::{QueryWord, content_words, is_meaningful};

/// As many as a `WordSet` has bits.
const MAX_WORDS: usize = 64;
/// No title has more words; if the first line does, it is a paragraph without line breaks.
const MAX_TITLE_WORDS: usize = 24;
/// How many of a text's distinct words are weighed. Looking one up costs some microseconds.
const MAX_WEIGHED: usize = 400;
const MAX_CODE_WORDS: usize = 48;

/// How much a word counts by where it occurs. Prose is about the problem; code is mostly the reporter's own.
const PROSE_SHARE: f32 = 1.5;
const TRACE_SHARE: f32 = 0.8;
const CODE_SHARE: f32 = 0.6;

/// The parts of a report that are searched separately.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    pub title: String,
    /// Prose, without the title.
    pub body: String,
    /// How many of the query's words, counted from the first, are from the title.
    pub title_words: usize,
    /// How many of the query's names, counted from the first, are in the title.
    pub title_names: usize,
    /// The most informative words of code and traces.
    pub code_words: Vec<String>,
    /// Words of the title.
    of_title: Vec<QueryWord>,
    /// Words of the other parts, each weighted by where and how often it occurs.
    of_body: Vec<(String, f32)>,
    of_code: Vec<(String, f32)>,
}

impl Report {
    pub fn of(question: &Question, title_names: usize) -> Self {
        let mut of_title = content_words(&question.title);
        of_title.truncate(MAX_TITLE_WORDS);
        let trace = question.trace_text();
        let mut body = Salience::default();
        body.add(&question.prose, PROSE_SHARE);
        body.add(&trace, TRACE_SHARE);
        body.add(&question.code, CODE_SHARE);
        let mut code = Salience::default();
        code.add(&trace, TRACE_SHARE);
        code.add(&question.code, CODE_SHARE);
        Self {
            title: question.title.clone(),
            body: question.prose.trim().to_owned(),
            title_words: of_title.len(),
            title_names,
            of_body: body.without(&of_title),
            of_code: code.without(&[]),
            of_title,
            code_words: Vec::new(),
        }
    }

    /// All words that may be chosen.
    pub fn weighed_words(&self) -> impl Iterator<Item = &str> {
        let body = self.of_body.iter().map(|(word, _)| word.as_str());
        self.of_title.iter().map(|word| word.word.as_str()).chain(body)
    }

    /// The words of the query: those of the title, then the others with the highest weights, in the order of the
    /// text.
    pub fn choose_words(&mut self, telling: impl Fn(&str) -> f32) -> Vec<QueryWord> {
        let heaviest = |words: &[(String, f32)], count: usize| -> Vec<String> {
            let weights = words.iter().map(|(word, salience)| salience * telling(word));
            let mut ranked: Vec<(usize, f32)> = weights.enumerate().collect();
            ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
            ranked.truncate(count);
            ranked.sort_by_key(|(place, _)| *place);
            ranked.into_iter().map(|(place, _)| words[place].0.clone()).collect()
        };
        self.code_words = heaviest(&self.of_code, MAX_CODE_WORDS);
        let body = heaviest(&self.of_body, MAX_WORDS - self.of_title.len());
        self.of_title.iter().cloned().chain(body.into_iter().map(QueryWord::new)).collect()
    }
}

/// Distinct words in the order of their first occurrence, with their weights.
#[derive(Default)]
struct Salience {
    places: HashMap<String, usize>,
    words: Vec<(String, f32)>,
}

impl Salience {
    /// The weight grows with the logarithm of the number of occurrences, because logs repeat themselves.
    fn add(&mut self, text: &str, share: f32) {
        let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
        for word in lowercase_words(text).into_iter().filter(|word| is_meaningful(word)) {
            if self.words.len() >= MAX_WEIGHED && !self.places.contains_key(&word) {
                continue;
            }
            let place = *self.places.entry(word).or_insert_with_key(|word| {
                self.words.push((word.clone(), 0.0));
                self.words.len() - 1
            });
            *counts.entry(place).or_default() += 1;
        }
        for (place, count) in counts {
            self.words[place].1 += share * (1.0 + (count as f32).ln());
        }
    }

    fn without(self, known: &[QueryWord]) -> Vec<(String, f32)> {
        self.words.into_iter().filter(|(word, _)| !known.iter().any(|known| known.word == *word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_chosen_by_what_they_tell() {
        let prose: String = (b'a'..=b'z')
            .flat_map(|a| (b'a'..=b'z').map(move |b| format!("{0}{1}{0} ", char::from(a), char::from(b))))
            .collect();
        let question = Question { title: "a title".into(), prose, ..Question::default() };
        let mut report = Report::of(&question, 0);
        let chosen = report.choose_words(|word| if word == "kzk" { 5.0 } else { 1.0 });
        assert_eq!(chosen.len(), MAX_WORDS);
        assert!(chosen.iter().any(|word| word.word == "kzk"));
        assert_eq!(chosen[0].word, "title");
    }
}
