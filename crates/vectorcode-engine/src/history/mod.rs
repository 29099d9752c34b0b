//! Uses the repository's history to answer queries: finds commits with similar messages, and the files that they
//! changed.
//!
//! The history is read from the index once and cached until it changes ([`HistoryIndex`]). A query is compared by
//! words with the messages that share a word with it, and by its vector with all messages.

mod active;
mod ancestry;
mod companions;
mod present_files;
mod sync;
mod votes;
mod words;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use vectorcode_core::{CommitId, VersionedCache, bm25, quantize};
use vectorcode_embed::StaticModel;
use vectorcode_store::{IndexReader, StoredCommit, StoredHistory, WordCount};

pub(crate) use self::active::{ACTIVE_HISTORY, ActiveHistory, HISTORY_STATE, NEWEST};
use self::ancestry::{ancestors, keep_ancestors_of_head, places};
pub(crate) use self::companions::Companions;
pub(crate) use self::present_files::PresentFiles;
pub(crate) use self::sync::{HistoryPass, HistoryReading, read_commits_before};
pub(crate) use self::votes::Votes;
pub(crate) use self::words::{WORDS_VERSION, message_text, word_counts};
use crate::error::EngineError;

/// How much the oldest message is discounted, as an exponent: it counts six tenths of the newest.
const AGEING: f32 = 0.5;
/// The rest of a longer query is logs and pasted files.
const MAX_QUESTION_BYTES: usize = 16_000;
/// How much more a word of the title weighs than one of the text below it.
const TITLE_WEIGHT: f32 = 3.0;

/// None of them is about software. They differ from those in `scripts/unrelated.py`.
const UNRELATED_QUESTIONS: [&str; 24] = [
    "how to clean a wool sweater",
    "the best beach in Portugal for families",
    "who wrote the first detective novel",
    "why do leaves turn red in autumn",
    "what to pack for a week in the mountains",
    "recipe for lentil soup with carrots",
    "how long does a broken arm take to heal",
    "cheap hotel near the old town",
    "rules of chess explained to children",
    "when do swallows fly south",
    "how to prune an apple tree",
    "famous painters of the nineteenth century",
    "how to lower the monthly heating bill",
    "what time does the museum open on Sunday",
    "exercises to strengthen the knees",
    "the largest lake in South America",
    "how to learn to play the violin",
    "names for a puppy",
    "which wine goes with grilled fish",
    "how do volcanoes form",
    "how to sew a button on a coat",
    "election results in the northern districts",
    "how to get rid of ants in the garden",
    "what does a marine biologist earn",
];

/// The history at one version of the index, prepared for comparison.
#[derive(Debug, Default)]
pub(crate) struct HistoryIndex {
    version: i64,
    /// The ancestors of the checked-out commit including itself, newest first; ties are ordered by id. So nothing
    /// depends on the order in which commits entered the index, nor on commits of other branches that it still holds.
    history: StoredHistory,
    /// For each commit a factor that falls from 1 for the newest.
    recency: Vec<f32>,
    places: HashMap<CommitId, usize>,
    /// The words of all messages, sorted by word.
    occurrences: Vec<Occurrence>,
    /// How many words each message has.
    lengths: Vec<u32>,
    /// The mean length of the messages that have any words.
    mean_length: f32,
    /// The inverse norm of each commit's vector.
    inverse_norms: Vec<f32>,
    background_cosine: OnceLock<f32>,
}

/// A word in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    /// The hash of the word.
    word: u32,
    /// Index into the commits of the history.
    commit: u32,
    count: u8,
}

/// A query prepared for comparison with messages.
#[derive(Clone, Debug)]
pub(crate) struct HistoryQuestion {
    /// The hash and weight of each word, sorted by hash.
    words: Vec<(u32, f32)>,
    /// The vector of its title, by the static model.
    vector: Option<quantize::Query>,
}

impl HistoryQuestion {
    /// The first line of a text is its title. A one-line query is all title.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let text = &text[..text.floor_char_boundary(MAX_QUESTION_BYTES)];
        let title = message_text(text.lines().next().unwrap_or_default());
        let titled = word_counts(&title);
        let weight = |word: u32| {
            let is_titled = titled.binary_search_by_key(&word, |titled| titled.word).is_ok();
            if is_titled { TITLE_WEIGHT } else { 1.0 }
        };
        let words = word_counts(&message_text(text)).into_iter().map(|word| (word.word, weight(word.word)));
        let vector = question_vector(&title).map(|vector| quantize::Query::new(&vector));
        Self { words: words.collect(), vector }
    }
}

/// The unit vector of a text by the static model; `None` for a text without words.
pub(crate) fn question_vector(text: &str) -> Option<Vec<f32>> {
    let mut vector = [0.0; StaticModel::DIMENSIONS];
    StaticModel::bundled().embed_into(text, &mut vector).then(|| vector.to_vec())
}

/// How similar a message is to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Similarity {
    /// Index into the commits of the history.
    pub commit: usize,
    /// BM25, as a share of the value for a message with all those words of the query that occur in any message.
    /// Discounted by age.
    pub words: f32,
    /// Cosine similarity by the static model. Discounted by age.
    pub meaning: f32,
    /// BM25, as a share of the value for a message with all words of the query, whether or not any message contains
    /// them: low for a query that the history does not cover.
    pub share: f32,
    pub cosine: f32,
}

impl HistoryIndex {
    pub fn new(version: i64, mut history: StoredHistory) -> Self {
        keep_ancestors_of_head(&mut history);
        history.commits.sort_by_key(|commit| (Reverse(commit.time_secs), commit.id));
        let places = places(&history.commits);
        let lengths: Vec<u32> = history.commits.iter().map(length).collect();
        let messages = lengths.iter().filter(|length| **length > 0).count();
        let mean_length = (lengths.iter().sum::<u32>() as f32 / messages.max(1) as f32).max(1.0);
        let inverse_norms = history.commits.iter().map(|commit| quantize::inverse_norm(&commit.vector));
        Self {
            version,
            recency: recency(history.commits.len()),
            places,
            lengths,
            mean_length,
            inverse_norms: inverse_norms.collect(),
            background_cosine: OnceLock::new(),
            occurrences: take_words(&mut history.commits),
            history,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.history.commits.is_empty()
    }

    pub fn commits(&self) -> &[StoredCommit] {
        &self.history.commits
    }

    /// The paths of all files that some commit changed.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.history.paths.iter().map(String::as_str)
    }

    pub fn path(&self, file: u32) -> &str {
        self.history.paths.get(file as usize).map_or("", String::as_str)
    }

    /// Which commits may be used: the ancestors of the checked-out commit, or with `before` the proper ancestors of
    /// that commit. If that commit is unknown, none.
    pub fn usable_commits(&self, before: Option<&str>) -> Vec<bool> {
        let commits = self.history.commits.len();
        let Some(before) = before else { return vec![true; commits] };
        let Some(place) = self.find(before) else { return vec![false; commits] };
        let mut usable = ancestors(&self.history.commits, &self.places, place);
        usable[place] = false;
        usable
    }

    /// The commit with this id or id prefix.
    pub fn find(&self, prefix: &str) -> Option<usize> {
        self.history.commits.iter().position(|commit| commit.id.has_prefix(prefix))
    }

    /// Whether the message of a commit has any words.
    pub fn has_words(&self, commit: usize) -> bool {
        self.lengths[commit] > 0
    }

    /// The similarity of each message in `usable` to the query; messages without any similarity are left out.
    pub fn compare(&self, question: &HistoryQuestion, usable: &[bool]) -> Vec<Similarity> {
        let likeness = self.likeness(question, usable);
        let compared = (0..usable.len()).filter(|commit| usable[*commit]).map(|commit| {
            let (found, cosine) = (likeness.commits[commit], self.cosine(question, commit));
            Similarity {
                commit,
                words: self.recency[commit] * found / likeness.known_words,
                meaning: self.recency[commit] * cosine,
                share: found / likeness.all_words,
                cosine,
            }
        });
        compared.filter(|similarity| similarity.words > 0.0 || similarity.meaning > 0.0).collect()
    }

    /// The BM25 score of each message.
    fn likeness(&self, question: &HistoryQuestion, usable: &[bool]) -> Likeness {
        let messages = (0..usable.len()).filter(|place| usable[*place] && self.has_words(*place)).count();
        let mut likeness = Likeness::of_none(usable.len());
        for (word, weight) in &question.words {
            let occurrences =
                || self.occurrences_of(*word).iter().filter(|word| usable[word.commit as usize]);
            let frequency = occurrences().count();
            let weight = weight * bm25::idf(frequency as f32, messages as f32) * (bm25::K1 + 1.0);
            likeness.all_words += weight;
            if frequency > 0 {
                likeness.known_words += weight;
            }
            for occurrence in occurrences() {
                let (commit, count) = (occurrence.commit as usize, f32::from(occurrence.count));
                let damping = bm25::damping(self.lengths[commit] as f32 / self.mean_length);
                likeness.commits[commit] += weight * count / (count + damping);
            }
        }
        likeness
    }

    /// The mean of the best cosines that queries unrelated to the project get.
    ///
    /// The nearest of many messages is near by chance; how near depends on their number and style. Computed on first
    /// use, which takes one or two milliseconds for three thousand commits.
    fn background_cosine(&self) -> f32 {
        *self.background_cosine.get_or_init(|| {
            let best = |text: &&str| {
                let question = HistoryQuestion::new(text);
                let commits = 0..self.history.commits.len();
                commits.map(|commit| self.cosine(&question, commit)).fold(0.0, f32::max)
            };
            UNRELATED_QUESTIONS.iter().map(best).sum::<f32>() / UNRELATED_QUESTIONS.len() as f32
        })
    }

    /// How far a cosine exceeds that of queries unrelated to the project, from 0 to 1.
    pub fn above_background(&self, cosine: f32) -> f32 {
        let background = self.background_cosine();
        ((cosine - background) / (1.0 - background).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
    }

    fn occurrences_of(&self, word: u32) -> &[Occurrence] {
        let first = self.occurrences.partition_point(|occurrence| occurrence.word < word);
        let rest = &self.occurrences[first..];
        &rest[..rest.partition_point(|occurrence| occurrence.word == word)]
    }

    fn cosine(&self, question: &HistoryQuestion, commit: usize) -> f32 {
        let vector = &self.history.commits[commit].vector;
        let query = question.vector.as_ref().filter(|query| query.values().len() == vector.len());
        query.map_or(0.0, |query| query.cosine(vector, self.inverse_norms[commit]))
    }
}

/// How many words a message has.
fn length(commit: &StoredCommit) -> u32 {
    commit.words.iter().map(|word| u32::from(word.count)).sum()
}

/// Moves the words out of the commits, so that they are not in memory twice.
fn take_words(commits: &mut [StoredCommit]) -> Vec<Occurrence> {
    let of_commit = |(commit, words): (usize, Vec<WordCount>)| {
        let occurrence =
            move |word: WordCount| Occurrence { word: word.word, commit: commit as u32, count: word.count };
        words.into_iter().map(occurrence)
    };
    let words = commits.iter_mut().map(|commit| std::mem::take(&mut commit.words)).enumerate();
    let mut occurrences: Vec<Occurrence> = words.flat_map(of_commit).collect();
    occurrences.sort_unstable();
    occurrences
}

/// The BM25 scores of all messages, and the scores that a message with all words of the query would get.
struct Likeness {
    commits: Vec<f32>,
    all_words: f32,
    /// Without words that no message contains: they cannot be found, and should not make the others look small.
    known_words: f32,
}

impl Likeness {
    fn of_none(commits: usize) -> Self {
        let least = f32::MIN_POSITIVE;
        Self { commits: vec![0.0; commits], all_words: least, known_words: least }
    }
}

/// Old code has usually changed since, so old commits count less. Measured by rank rather than time, because projects
/// are sometimes dormant for years.
fn recency(commits: usize) -> Vec<f32> {
    (0..commits).map(|rank| (-AGEING * rank as f32 / commits as f32).exp()).collect()
}

/// Caches the last history while it stays the same.
#[derive(Debug, Default)]
pub(crate) struct HistoryCell {
    /// Set for a commit that is not checked out; `None`: taken from the index.
    of_commit: Option<ActiveHistory>,
    index: VersionedCache<i64, HistoryIndex>,
    /// Keyed by the versions of the history and of the files.
    present: VersionedCache<(i64, i64), PresentFiles>,
}

impl HistoryCell {
    pub fn of_commit(history: ActiveHistory) -> Self {
        Self { of_commit: Some(history), ..Self::default() }
    }

    pub fn current(&self, reader: &dyn IndexReader) -> Result<Arc<HistoryIndex>, EngineError> {
        let version = reader.history_version()?;
        self.index.get_or_read(version, || {
            let active = match &self.of_commit {
                Some(known) => Some(known.clone()),
                None => ActiveHistory::of(reader)?,
            };
            Ok(HistoryIndex::new(version, active::commits(reader, active)?))
        })
    }

    /// Where the files of a history are today.
    pub fn present(
        &self,
        reader: &dyn IndexReader,
        index: &HistoryIndex,
    ) -> Result<Arc<PresentFiles>, EngineError> {
        self.present.get_or_read((index.version, reader.files_version()?), || {
            let files: Vec<String> = reader.source_files()?.into_iter().map(|file| file.path).collect();
            Ok(PresentFiles::new(&index.history, &files))
        })
    }
}
