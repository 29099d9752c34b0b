//! What a query says word for word as the code does: messages that were pasted, with or without quotes.
//!
//! Only words are compared, so that a message is found which the source breaks over lines. A word that differs may be one that
//! the program filled in; two of them end the run.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::super::candidates::Candidate;
use super::super::query::is_stop_word;
use super::pool_context::{ASIDE, PoolContext, share_best};
use super::{Signal, Signals};

/// More of a question is logs.
const MAX_WORDS: usize = 600;
/// As many texts are read; each takes some microseconds.
const MAX_TEXTS: usize = 150;
/// A run of fewer words that mean something occurs by chance; one of so many more is surely the message.
const MIN_MEANING: u16 = 2;
const SURE_MEANING: f32 = 3.0;
/// Words of a run, all of them.
const MIN_RUN: u16 = 4;
/// What a run counts outside quotation marks: a comment or a document that says the same is not where the message comes from.
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
        // What many files say, such as a licence, tells little. Tests and documents repeat the messages of the program.
        let sayers =
            best.iter().zip(&context.is_aside).filter(|(best, aside)| **best >= *found && !**aside).count();
        let sure = found / (sayers.max(1) as f32).sqrt() * if context.is_aside[*file] { ASIDE } else { 1.0 };
        signals[Signal::Message] = sure;
        signals[Signal::FileMessage] = sure;
    }
    share_best(context.files, signals, Signal::FileMessage);
}

/// What the last of the candidates has by full text that are read: who holds a message has most of its words.
fn least_full_text(pool: &[Candidate]) -> f32 {
    let mut scores: Vec<f32> = pool.iter().map(|candidate| candidate.full_text).collect();
    if scores.len() <= MAX_TEXTS {
        return 0.0;
    }
    *scores.select_nth_unstable_by(MAX_TEXTS, |one, other| other.total_cmp(one)).1
}

/// The words of a query in their order.
struct Said {
    words: Vec<Word>,
    places: FxHashMap<u64, Vec<u16>>,
}

#[derive(Clone, Copy)]
struct Word {
    print: u64,
    has_meaning: bool,
}

/// Words of a text that follow each other in the query too, up to one of its words.
#[derive(Clone, Copy)]
struct Run {
    /// Of its last word in the query.
    place: u16,
    words: u16,
    meaning: u16,
    /// All of it stands behind a quotation mark of its line.
    is_quoted: bool,
    /// The last word differed.
    is_open: bool,
}

impl Said {
    fn of(text: &str) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for_each_word(text, |word, _| {
            if words.len() < MAX_WORDS {
                let has_meaning = word.len() > 2 && !is_stop_word(word);
                words.push(Word { print: print(word), has_meaning });
            }
        });
        let mut places: FxHashMap<u64, Vec<u16>> = FxHashMap::default();
        for (place, word) in words.iter().enumerate() {
            places.entry(word.print).or_default().push(place as u16);
        }
        Self { words, places }
    }

    /// How much the longest run says that a text has in common with the query, from 0 to 1.
    fn longest_run_in(&self, text: &str) -> f32 {
        let (mut runs, mut next): (Vec<Run>, Vec<Run>) = (Vec::new(), Vec::new());
        let mut best = 0.0_f32;
        for_each_word(text, |word, is_quoted| {
            let places = self.places.get(&print(word));
            if places.is_none() && runs.is_empty() {
                return;
            }
            next.clear();
            for place in places.into_iter().flatten() {
                let run = self.extended(&runs, *place, is_quoted);
                best = best.max(run.likelihood());
                next.push(run);
            }
            // The word may stand for one that the program filled in.
            let open = runs.iter().filter(|run| !run.is_open);
            next.extend(open.map(|run| Run { place: run.place + 1, is_open: true, ..*run }));
            std::mem::swap(&mut runs, &mut next);
        });
        best
    }

    /// The longest run that the word at this place goes on; it may leave out one word of the query, which the program filled in.
    fn extended(&self, runs: &[Run], place: u16, is_quoted: bool) -> Run {
        let goes_on = |run: &&Run| run.place + 1 == place || (!run.is_open && run.place + 2 == place);
        let before = runs.iter().filter(goes_on).max_by_key(|run| (run.meaning, run.is_quoted, run.words));
        let meaning = u16::from(self.words[usize::from(place)].has_meaning);
        let new = Run { place, words: 1, meaning, is_quoted, is_open: false };
        before.map_or(new, |run| Run {
            words: run.words + 1,
            meaning: run.meaning + meaning,
            is_quoted: is_quoted && run.is_quoted,
            ..new
        })
    }
}

impl Run {
    /// How likely it is the message that the query tells of.
    fn likelihood(self) -> f32 {
        if self.words < MIN_RUN || self.meaning < MIN_MEANING {
            return 0.0;
        }
        let sure = (f32::from(self.meaning - 1) / SURE_MEANING).min(1.0);
        if self.is_quoted { sure } else { sure * UNQUOTED }
    }
}

/// Runs of letters, digits and underscores; not the letter of an escape, as in `\n`. By bytes, since every text is read: all that is
/// not ASCII counts as letters. With each word comes whether a quotation mark opens before it in its line.
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
                // Not the apostrophe of a word.
                b'"' | b'\'' | b'`' => is_quoted || at == 0 || !is_inside(bytes[at - 1]),
                _ => is_quoted,
            };
            let is_escape = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b't' | b'r'));
            at += if is_escape { 2 } else { 1 };
        }
    }
}

/// Of a word in whatever case.
fn print(word: &str) -> u64 {
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
        let two_words_that_mean_something = 0.3;
        let filled_in = run("Error: No decorator 'foo' has been declared on users", source);
        assert!(filled_in > two_words_that_mean_something, "{filled_in}");
        let whole = run("No decorator foo has been declared on users. See the manual", source);
        assert!(whole > filled_in, "{whole} {filled_in}");
        let braces = "panic!(\"cannot open {} for reading: {error}\")";
        assert!(run("cannot open users for reading: denied", braces) > 0.4, "a word instead of none");
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
