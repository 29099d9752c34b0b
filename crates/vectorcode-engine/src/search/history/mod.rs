//! What the repository's past says to a question: commits whose messages resemble it, and the files that they changed.
//!
//! The history is read from the index once and kept until it changes ([`HistoryIndex`]). A question is compared with all
//! messages at once, which takes well under a millisecond for 3,000 commits.

mod votes;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vectorcode_core::CommitId;
use vectorcode_embed::StaticModel;
use vectorcode_store::{IndexReader, StoredCommit, StoredHistory, WordCount};

pub(crate) use self::votes::Votes;
pub(crate) use self::words::{WORDS_VERSION, spoken, word_counts};
use crate::EngineError;

/// BM25 with the usual values.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// The oldest message counts this much less, as an exponent: six tenths of the newest.
const AGEING: f32 = 0.5;
/// What a question says, it says before this; what follows are logs and pasted files.
const MAX_QUESTION_BYTES: usize = 16_000;
/// How much more a word of the title weighs than one of the text below it.
const TITLE_WEIGHT: f32 = 3.0;

/// The history at one version of the index, ready to be compared.
#[derive(Debug, Default)]
pub(crate) struct HistoryIndex {
    version: i64,
    history: StoredHistory,
    /// The commits that the one that is checked out comes from, itself included.
    reachable: Vec<bool>,
    /// Of each commit, from 1 for the newest on downwards.
    recency: Vec<f32>,
    places: HashMap<CommitId, usize>,
    /// Of a message.
    mean_words: f32,
}

/// A question as messages are compared with it.
#[derive(Clone, Debug)]
pub(crate) struct HistoryQuestion {
    /// The hashes of its words and what each weighs, by hash.
    words: Vec<(u32, f32)>,
    /// Of its title, by the static model.
    vector: Option<Vec<f32>>,
}

impl HistoryQuestion {
    /// The first line of a text is its title. A question of one line is all title.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let text = &text[..text.floor_char_boundary(MAX_QUESTION_BYTES)];
        let title = spoken(text.lines().next().unwrap_or_default());
        let titled = word_counts(&title);
        let weight = |word: u32| {
            let is_titled = titled.binary_search_by_key(&word, |titled| titled.word).is_ok();
            if is_titled { TITLE_WEIGHT } else { 1.0 }
        };
        let words = word_counts(&spoken(text)).into_iter().map(|word| (word.word, weight(word.word)));
        Self { words: words.collect(), vector: question_vector(&title) }
    }

    fn position(&self, word: u32) -> Option<usize> {
        self.words.binary_search_by_key(&word, |(own, _)| *own).ok()
    }
}

/// The unit vector of a text by the static model; `None` for one without words.
pub(crate) fn question_vector(text: &str) -> Option<Vec<f32>> {
    let mut vector = [0.0; StaticModel::DIMENSIONS];
    StaticModel::bundled().embed_into(text, &mut vector).then(|| vector.to_vec())
}

/// How much a message resembles a question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Similarity {
    /// Into the commits of the history.
    pub commit: usize,
    /// BM25 as a part of what a message would get that holds all words of the question.
    pub words: f32,
    /// Cosine by the static model.
    pub meaning: f32,
}

impl HistoryIndex {
    pub fn new(version: i64, history: StoredHistory) -> Self {
        let places: HashMap<CommitId, usize> =
            history.commits.iter().enumerate().map(|(place, commit)| (commit.id, place)).collect();
        let reachable = match history.head.and_then(|head| places.get(&head)) {
            Some(place) => ancestors(&history.commits, &places, *place),
            None => vec![false; history.commits.len()],
        };
        let lengths: Vec<u32> = history.commits.iter().map(length).filter(|length| *length > 0).collect();
        let mean_words = lengths.iter().sum::<u32>() as f32 / lengths.len().max(1) as f32;
        Self { version, reachable, recency: recency(&history.commits), places, mean_words, history }
    }

    pub fn is_empty(&self) -> bool {
        self.history.commits.is_empty()
    }

    pub fn commits(&self) -> &[StoredCommit] {
        &self.history.commits
    }

    pub fn path(&self, file: u32) -> &str {
        self.history.paths.get(file as usize).map_or("", String::as_str)
    }

    /// The commits that may speak: those that the checked-out one comes from, or with `before` those that came before
    /// that commit, it and its descendants excluded. One that is not known has nobody before it.
    pub fn speakers(&self, before: Option<&str>) -> Vec<bool> {
        let Some(before) = before else { return self.reachable.clone() };
        let none = vec![false; self.history.commits.len()];
        let Some(place) = self.find(before) else { return none };
        let mut speakers = ancestors(&self.history.commits, &self.places, place);
        speakers[place] = false;
        speakers
    }

    /// The commit with this id or this beginning of one.
    pub fn find(&self, prefix: &str) -> Option<usize> {
        self.history.commits.iter().position(|commit| commit.id.has_prefix(prefix))
    }

    /// How much each of the messages of `speakers` resembles the question; those that have nothing in common with it are
    /// left out.
    pub fn compare(&self, question: &HistoryQuestion, speakers: &[bool]) -> Vec<Similarity> {
        let speaking = || self.history.commits.iter().enumerate().filter(|(place, _)| speakers[*place]);
        let shared: Vec<Vec<(usize, u8)>> =
            speaking().map(|(_, commit)| shared_words(question, commit)).collect();
        let messages = speaking().filter(|(_, commit)| !commit.words.is_empty()).count();
        let weights = weights(question, &shared, messages);
        let best = weights.iter().sum::<f32>() * (K1 + 1.0);
        let vector = question.vector.as_deref().unwrap_or_default();
        let compared = speaking().zip(&shared).map(|((place, commit), shared)| Similarity {
            commit: place,
            words: self.recency[place] * self.bm25(commit, shared, &weights) / best.max(f32::MIN_POSITIVE),
            meaning: self.recency[place] * cosine(vector, &commit.vector),
        });
        compared.filter(|similarity| similarity.words > 0.0 || similarity.meaning > 0.0).collect()
    }

    fn bm25(&self, commit: &StoredCommit, shared: &[(usize, u8)], weights: &[f32]) -> f32 {
        let damping = K1 * (1.0 - B + B * length(commit) as f32 / self.mean_words.max(1.0));
        let part = |(word, count): &(usize, u8)| {
            let count = f32::from(*count);
            weights[*word] * count * (K1 + 1.0) / (count + damping)
        };
        shared.iter().map(part).sum()
    }
}

/// How many words a message has.
fn length(commit: &StoredCommit) -> u32 {
    commit.words.iter().map(|word| u32::from(word.count)).sum()
}

/// The words of the question that a message has, by their place in it, and how often.
fn shared_words(question: &HistoryQuestion, commit: &StoredCommit) -> Vec<(usize, u8)> {
    let place = |word: &WordCount| Some((question.position(word.word)?, word.count));
    commit.words.iter().filter_map(place).collect()
}

/// What each word of the question weighs: inverse document frequency. A word that no message has cannot be found, and must
/// not make the others look small.
fn weights(question: &HistoryQuestion, shared: &[Vec<(usize, u8)>], messages: usize) -> Vec<f32> {
    let mut frequencies = vec![0_u32; question.words.len()];
    shared.iter().flatten().for_each(|(word, _)| frequencies[*word] += 1);
    let all = messages as f32;
    let weight = |((_, weight), frequency): (&(u32, f32), u32)| match frequency {
        0 => 0.0,
        frequency => weight * (1.0 + (all - frequency as f32 + 0.5) / (frequency as f32 + 0.5)).ln(),
    };
    question.words.iter().zip(frequencies).map(weight).collect()
}

/// Which commits `from` comes from, itself included, as far as the index knows them.
fn ancestors(commits: &[StoredCommit], places: &HashMap<CommitId, usize>, from: usize) -> Vec<bool> {
    let mut found = vec![false; commits.len()];
    let mut open = vec![from];
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut found[place], true) {
            open.extend(commits[place].parents.iter().filter_map(|parent| places.get(parent)));
        }
    }
    found
}

/// What changed long ago has changed since. By rank, because projects sleep for years.
fn recency(commits: &[StoredCommit]) -> Vec<f32> {
    let mut newest_first: Vec<usize> = (0..commits.len()).collect();
    newest_first.sort_by_key(|place| std::cmp::Reverse((commits[*place].time_secs, commits[*place].row)));
    let mut recency = vec![1.0; commits.len()];
    for (rank, place) in newest_first.into_iter().enumerate() {
        recency[place] = (-AGEING * rank as f32 / commits.len() as f32).exp();
    }
    recency
}

fn cosine(query: &[f32], vector: &[i8]) -> f32 {
    if query.len() != vector.len() || vector.is_empty() {
        return 0.0;
    }
    let (mut product, mut square) = (0.0, 0.0);
    for (own, other) in query.iter().zip(vector) {
        let other = f32::from(*other);
        product += own * other;
        square += other * other;
    }
    if square > 0.0 { product / square.sqrt() } else { 0.0 }
}

/// The last history, for as long as it stays the same.
#[derive(Debug, Default)]
pub(crate) struct HistoryCell(Mutex<Option<Arc<HistoryIndex>>>);

impl HistoryCell {
    pub fn current(&self, reader: &dyn IndexReader) -> Result<Arc<HistoryIndex>, EngineError> {
        let version = reader.history_version()?;
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = held.as_ref().filter(|index| index.version == version) {
            return Ok(index.clone());
        }
        let index = Arc::new(HistoryIndex::new(version, reader.history()?));
        *held = Some(index.clone());
        Ok(index)
    }
}
