//! Adapts a query to the vocabulary of the project: which words of a long text are most informative here, and which
//! ones the project writes as one word or as two.
//!
//! How common a word is depends on the project: the project's own name is in every file and says nothing, while a
//! word found in three chunks identifies them.

use std::collections::HashMap;

use vectorcode_store::IndexReader;

use super::query::{JoinedWord, Query};
use crate::error::EngineError;

/// Neighbouring words are tried as one word up to this position in the query.
const MAX_PAIRED_WORDS: usize = 24;
/// At most this many words that the project lacks are tried as two.
const MAX_SPLIT_WORDS: usize = 4;
/// The weight of an unknown word: about that of a word found in every chunk.
const UNKNOWN_TELLS: f32 = 0.5;
/// A word found in a larger share of the chunks is taken for the project's own name.
const MAX_SHARE_OF_WORD: f32 = 0.3;
/// In a project with fewer chunks, shares of the whole say nothing.
const MIN_CHUNKS: u64 = 200;
/// Shorter halves are often words by chance: `back` and `end` say nothing about a `backend`.
const MIN_HALF: usize = 4;
/// A longer word is data rather than a compound, and would have as many halves as letters.
const MAX_COMPOUND: usize = 40;

/// Chooses the words of a report, weighs words and names, and adds compounds.
pub(crate) fn adapt(query: &mut Query, reader: &dyn IndexReader) -> Result<(), EngineError> {
    let pairs = pairs(query);
    let words = query.words.iter().map(|word| word.word.clone());
    let weighed = query.report.iter().flat_map(|report| report.weighed_words().map(str::to_owned));
    let names = query.names.iter().map(|name| as_token(&name.text));
    let asked = pairs.iter().map(|pair| pair.word.clone()).chain(words).chain(weighed).chain(names);
    let counts = Counts::of(reader, asked)?;
    query.choose_words(|word| counts.telling(word));
    let weight = |word: &str| {
        if query.report.is_some() { counts.weight_in_name(word) } else { counts.weight_of_own(word) }
    };
    query.name_weights = query.words.iter().map(|word| weight(&word.word)).collect();
    query.weigh_names(|name| counts.share(&as_token(name)));
    let known = |word: &str| counts.of_word(word) > 0;
    query.joined = pairs.into_iter().filter(|pair| known(&pair.word)).collect();
    let missing = query.title_words().iter().map(|word| &word.word);
    let missing: Vec<String> =
        missing.filter(|word| !known(word) && is_splittable(word)).take(MAX_SPLIT_WORDS).cloned().collect();
    query.halves = halves(reader, &missing)?;
    Ok(())
}

/// A name as the full-text index stores it.
fn as_token(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

/// How many chunks contain each word.
struct Counts {
    chunks: u64,
    holding: HashMap<String, u64>,
}

impl Counts {
    fn of(reader: &dyn IndexReader, words: impl Iterator<Item = String>) -> Result<Self, EngineError> {
        let mut holding: HashMap<String, u64> = words.map(|word| (word, 0)).collect();
        let words: Vec<&str> = holding.keys().map(String::as_str).collect();
        let counts = reader.word_frequencies(&words)?;
        holding.values_mut().zip(counts.holding).for_each(|(known, count)| *known = count);
        Ok(Self { chunks: counts.chunks, holding })
    }

    fn of_word(&self, word: &str) -> u64 {
        self.holding.get(word).copied().unwrap_or(0)
    }

    /// The share of all chunks that contain a word.
    fn share(&self, word: &str) -> f32 {
        self.of_word(word) as f32 / self.chunks.max(MIN_CHUNKS) as f32
    }

    /// The weight of a word in a file name: 1 for a word in a twentieth of the chunks or fewer; a third for one in
    /// half of them.
    fn weight_in_name(&self, word: &str) -> f32 {
        let telling = |share: f32| (1.0 + 1.0 / share.max(f32::MIN_POSITIVE)).ln();
        (telling(self.share(word)) / telling(0.05)).min(1.0)
    }

    /// The words of a short query were chosen deliberately and all count the same. The exception is a word that is
    /// everywhere: it is the project's own name, and the file of that name is about the whole project.
    fn weight_of_own(&self, word: &str) -> f32 {
        if self.share(word) > MAX_SHARE_OF_WORD { self.weight_in_name(word) } else { 1.0 }
    }

    /// Inverse document frequency. A word that no chunk contains can only match through another form of it.
    fn telling(&self, word: &str) -> f32 {
        match self.of_word(word) {
            0 => UNKNOWN_TELLS,
            holding => (1.0 + self.chunks as f32 / (holding as f32 + 0.5)).ln(),
        }
    }
}

/// Each pair of neighbours in the title or in a short query as one word, also with the second word in the singular.
fn pairs(query: &Query) -> Vec<JoinedWord> {
    let words = query.title_words();
    let words = &words[..words.len().min(MAX_PAIRED_WORDS)];
    let pairs = words.windows(2).enumerate().flat_map(|(first, pair)| {
        let (left, right) = (&pair[0].word, &pair[1].word);
        let singular = right.strip_suffix('s').filter(|right| right.len() > 2);
        let forms = std::iter::once(right.as_str()).chain(singular);
        forms.map(move |right| JoinedWord { word: format!("{left}{right}"), first })
    });
    pairs.filter(|pair| pair.word.is_ascii()).collect()
}

fn is_splittable(word: &str) -> bool {
    let has_halves = (2 * MIN_HALF..=MAX_COMPOUND).contains(&word.len());
    has_halves && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// For each of `words`, the two words of the project that it splits into: the split whose rarer half is most common.
fn halves(reader: &dyn IndexReader, words: &[String]) -> Result<Vec<String>, EngineError> {
    let splits = |word: &str| {
        let cuts = MIN_HALF..=word.len().saturating_sub(MIN_HALF);
        cuts.map(|at| (word[..at].to_owned(), word[at..].to_owned())).collect::<Vec<_>>()
    };
    let all: Vec<(String, String)> = words.iter().flat_map(|word| splits(word)).collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let counts = Counts::of(reader, all.iter().flat_map(|(left, right)| [left.clone(), right.clone()]))?;
    let rarer = |(left, right): &(String, String)| counts.of_word(left).min(counts.of_word(right));
    let best = words.iter().filter_map(|word| {
        splits(word).into_iter().filter(|split| rarer(split) > 0).max_by_key(|split| rarer(split))
    });
    Ok(best.flat_map(|(left, right)| [left, right]).collect())
}
