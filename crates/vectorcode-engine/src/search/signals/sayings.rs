//! Finds text that a query and the code have in common word for word: pasted messages, with or without quotes.
//!
//! Only words are compared, so that a message is found even if the source breaks it over lines. Words that differ may
//! be values that the program filled in. The more of its sentence a run covers, the more likely it is the message and
//! not a phrase that both happen to use.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::super::candidates::Candidate;
use super::super::query::is_stop_word;
use super::pool_context::{ASIDE, PoolContext, share_best};
use super::{Signal, Signals};

/// In a longer query, the rest is logs.
const MAX_WORDS: usize = 600;
/// How many texts are read; each takes some microseconds.
const MAX_TEXTS: usize = 150;
/// A run with fewer meaningful words occurs by chance.
const MIN_MEANING: u16 = 2;
/// A run whose weight exceeds that of one meaningful word by this much is certainly the message.
const SURE_MEANING: f32 = 3.0;
/// Minimum words in a run, including those without meaning.
const MIN_RUN: u16 = 4;
/// The weight of a word without meaning of its own, such as "is" or "not": a long run of them is not chance either.
const PLAIN_WORD: f32 = 0.25;
/// How many words may be filled in by the program: a path counts as several.
const MAX_FILLED_IN: u16 = 3;
/// The factor for a run outside quotation marks: a comment or a document that says the same is not the origin of the
/// message.
const UNQUOTED: f32 = 0.5;

pub(super) fn measure(context: &PoolContext<'_>, signals: &mut [Signals]) {
    let said = Said::of(&context.probe.query.sayings);
    let least = least_full_text(context.pool);
    let run = |candidate: &Candidate| match &candidate.text {
        Some(text) if candidate.full_text >= least => said.longest_run_in(&text.chunk.content),
        _ => 0.0,
    };
    let found: Vec<f32> = context.pool.iter().map(run).collect();
    let mut best = vec![0.0_f32; context.files.facts.len()];
    for (file, found) in context.files.of_candidates.iter().zip(&found) {
        best[*file] = best[*file].max(*found);
    }
    let found = found.iter().zip(&context.files.of_candidates);
    for ((found, file), signals) in found.zip(signals.iter_mut()).filter(|((found, _), _)| **found > 0.0) {
        // Text that many files contain, such as a licence, says little. Tests and documents repeat the messages of
        // the program.
        let sayers =
            best.iter().zip(&context.is_aside).filter(|(best, aside)| **best >= *found && !**aside).count();
        let sure = found / (sayers.max(1) as f32).sqrt() * if context.is_aside[*file] { ASIDE } else { 1.0 };
        signals[Signal::Message] = sure;
        signals[Signal::FileMessage] = sure;
    }
    share_best(context.files, signals, Signal::FileMessage);
}

/// The lowest full-text score among the candidates that are read: a text with the message has most of its words.
fn least_full_text(pool: &[Candidate]) -> f32 {
    let mut scores: Vec<f32> = pool.iter().map(|candidate| candidate.full_text).collect();
    if scores.len() <= MAX_TEXTS {
        return 0.0;
    }
    *scores.select_nth_unstable_by(MAX_TEXTS, |one, other| other.total_cmp(one)).1
}

/// The words of a query in order.
struct Said {
    words: Vec<Word>,
    places: FxHashMap<u64, Vec<u16>>,
    /// The total weight of each sentence or quotation, by its number.
    sentences: Vec<f32>,
}

#[derive(Clone, Copy)]
struct Word {
    hash: u64,
    has_meaning: bool,
    /// The number of its sentence.
    sentence: usize,
}

impl Word {
    fn weight(self) -> f32 {
        if self.has_meaning { 1.0 } else { PLAIN_WORD }
    }
}

/// Consecutive words of a text that are also consecutive in the query, up to one position in the query.
#[derive(Clone, Copy)]
struct Run {
    /// The position of its first word in the query.
    first: u16,
    /// The position of its last word in the query.
    last: u16,
    words: u16,
    meaning: u16,
    /// All of it comes after a quotation mark in its line.
    is_quoted: bool,
    /// The last word of the text did not match: the program may have filled it in.
    is_open: bool,
}

impl Said {
    fn of(text: &str) -> Self {
        let mut words: Vec<Word> = Vec::new();
        let mut sentences = Vec::new();
        for text in sentences_of(text) {
            sentences.push(0.0);
            for_each_word(text, |word, _| {
                if words.len() < MAX_WORDS {
                    let has_meaning = word.len() > 2 && !is_stop_word(word);
                    let word = Word { hash: hash_of(word), has_meaning, sentence: sentences.len() - 1 };
                    sentences[word.sentence] += word.weight();
                    words.push(word);
                }
            });
        }
        let mut places: FxHashMap<u64, Vec<u16>> = FxHashMap::default();
        for (place, word) in words.iter().enumerate() {
            places.entry(word.hash).or_default().push(place as u16);
        }
        Self { words, places, sentences }
    }

    /// How likely the longest run that a text has in common with the query is a message, from 0 to 1.
    fn longest_run_in(&self, text: &str) -> f32 {
        let (mut runs, mut next): (Vec<Run>, Vec<Run>) = (Vec::new(), Vec::new());
        let mut best = 0.0_f32;
        for_each_word(text, |word, is_quoted| {
            let places = self.places.get(&hash_of(word));
            if places.is_none() && runs.is_empty() {
                return;
            }
            next.clear();
            for place in places.into_iter().flatten() {
                let run = self.extended(&runs, *place, is_quoted);
                best = best.max(self.likelihood(run));
                next.push(run);
            }
            // The word may have been filled in by the program.
            let open = runs.iter().filter(|run| !run.is_open);
            next.extend(open.map(|run| Run { last: run.last + 1, is_open: true, ..*run }));
            std::mem::swap(&mut runs, &mut next);
        });
        best
    }

    /// The longest run that the word at this position continues. It may skip words of the query that the program
    /// filled in.
    fn extended(&self, runs: &[Run], place: u16, is_quoted: bool) -> Run {
        let goes_on = |run: &&Run| {
            let filled_in = place.checked_sub(run.last + 1).map(|between| between + u16::from(run.is_open));
            filled_in.is_some_and(|words| words <= MAX_FILLED_IN)
        };
        let before = runs.iter().filter(goes_on).max_by_key(|run| (run.meaning, run.is_quoted, run.words));
        let meaning = u16::from(self.words[usize::from(place)].has_meaning);
        let new = Run { first: place, last: place, words: 1, meaning, is_quoted, is_open: false };
        before.map_or(new, |run| Run {
            first: run.first,
            words: run.words + 1,
            meaning: run.meaning + meaning,
            is_quoted: is_quoted && run.is_quoted,
            ..new
        })
    }
}

impl Said {
    /// How likely a run is the message that the query quotes.
    fn likelihood(&self, run: Run) -> f32 {
        if run.words < MIN_RUN || run.meaning < MIN_MEANING {
            return 0.0;
        }
        let sure = ((run.weight() - 1.0) / SURE_MEANING).min(1.0);
        let sentence_of = |place: u16| self.words[usize::from(place)].sentence;
        let whole: f32 = self.sentences[sentence_of(run.first)..=sentence_of(run.last)].iter().sum();
        let covered = run.weight() / whole;
        if run.is_quoted { sure * covered } else { sure * covered * UNQUOTED }
    }
}

impl Run {
    fn weight(self) -> f32 {
        f32::from(self.meaning) + PLAIN_WORD * f32::from(self.words - self.meaning)
    }
}

/// The sentences and quotations of a text; a message is usually one of them.
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    let ends_quotation = |c: char| matches!(c, '"' | '\n');
    text.split(ends_quotation).flat_map(|part| part.split(". "))
}

/// Calls `each` for runs of letters, digits and underscores, skipping the letter of an escape such as `\n`. Works on
/// bytes, since every text is read: all non-ASCII bytes count as letters. The flag says whether a quotation mark was
/// opened earlier in the line.
fn for_each_word(text: &str, mut each: impl FnMut(&str, bool)) {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let bytes = text.as_bytes();
    let (mut at, mut is_quoted) = (0, false);
    while at < bytes.len() {
        if is_inside(bytes[at]) {
            let end = bytes[at..]
                .iter()
                .position(|byte| !is_inside(*byte))
                .map_or(bytes.len(), |length| at + length);
            each(&text[at..end], is_quoted);
            at = end;
        } else {
            is_quoted = match bytes[at] {
                b'\n' => false,
                // An apostrophe within a word does not count.
                b'"' | b'\'' | b'`' => is_quoted || at == 0 || !is_inside(bytes[at - 1]),
                _ => is_quoted,
            };
            let is_escape = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r'));
            at += if is_escape { 2 } else { 1 };
        }
    }
}

/// A hash of a word, ignoring ASCII case.
fn hash_of(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.bytes().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase()));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(said: &str, text: &str) -> f32 {
        Said::of(said).longest_run_in(text)
    }

    #[test]
    fn a_message_is_found_across_lines_and_around_what_was_filled_in() {
        let source =
            "raise ValueError('No decorator %s has been '\n    'declared on %s.\\nSee the manual' % (a, b))";
        let filled_in = run("Error: No decorator 'foo' has been declared on users", source);
        assert!(filled_in > 0.3, "{filled_in}");
        let whole = run("No decorator foo has been declared on users. See the manual", source);
        assert!(whole > filled_in, "{whole} {filled_in}");
        let braces = "panic!(\"cannot open {} for reading: {error}\")";
        assert!(run("cannot open users for reading: denied", braces) > 0.3, "a word instead of none");
        assert!(run("cannot open /srv/my-data for reading: denied", braces) > 0.2, "a path instead of none");
    }

    #[test]
    fn a_message_that_is_the_whole_question_is_surer_than_a_phrase_in_passing() {
        let source = "fail(\"could not find a suitable constructor\")";
        let said = |text: &str| run(text, source);
        let asked = said("Could not find a suitable constructor");
        assert!(asked > 0.5, "{asked}");
        let quoted = said("It says \"could not find a suitable constructor\" whenever my program starts");
        assert!((quoted - asked).abs() < 1e-6, "what is quoted is a message of its own: {quoted}");
        let passing = said(
            "after the update the container could not find a suitable constructor for any class of mine",
        );
        assert!(passing < 0.7 * asked, "{passing}");
    }

    #[test]
    fn a_message_in_quotation_marks_is_surer_than_a_comment_that_says_the_same() {
        let said = "The hook name must be a string";
        let thrown =
            run(said, "const error = create(\n  'CODE',\n  'The hook name must be a string',\n  500)");
        let comment = run(said, "// It's checked: the hook name must be a string.");
        assert!(thrown > comment && comment > 0.0, "{thrown} {comment}");
    }

    #[test]
    fn words_that_do_not_follow_each_other_say_nothing() {
        assert!(run("how is the declared decorator open", "open(decorator); declared = reading") < 0.1);
        assert!(run("it is in the", "it is in the") < 0.1);
        assert!(run("", "text") < 0.1 && run("text", "") < 0.1);
    }
}
