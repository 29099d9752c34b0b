//! Extracts the words of a commit message, and of a query that is compared with it.
//!
//! Both sides use the same rules, so they must not change without raising [`WORDS_VERSION`].

use std::collections::BTreeMap;

use vectorcode_core::stem::cut_to_stem;
use vectorcode_core::words::{for_each_word, lowercase};
use vectorcode_store::WordCount;

/// Raised when messages are split differently; the history is then read again.
pub(crate) const WORDS_VERSION: u32 = 2;

/// Trailers and references say who and where, not what.
const TRAILERS: [&str; 9] = [
    "signed-off-by:",
    "co-authored-by:",
    "reviewed-by:",
    "acked-by:",
    "tested-by:",
    "change-id:",
    "git-svn-id:",
    "reported-by:",
    "cc:",
];

/// The text of a message without its trailers and URLs.
pub(crate) fn message_text(message: &str) -> String {
    let is_trailer = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        TRAILERS.iter().any(|trailer| line.starts_with(trailer))
    };
    let lines = message.lines().filter(|line| !is_trailer(line));
    let words = lines.flat_map(str::split_whitespace).filter(|word| !word.contains("://"));
    words.collect::<Vec<_>>().join(" ")
}

/// The distinct words of a text with their counts, ordered by hash.
pub(crate) fn word_counts(text: &str) -> Vec<WordCount> {
    let mut counts: BTreeMap<u32, u8> = BTreeMap::new();
    for_each_stem(text, |stem| {
        let count = counts.entry(hash(stem)).or_default();
        *count = count.saturating_add(1);
    });
    counts.into_iter().map(|(word, count)| WordCount { word, count }).collect()
}

/// Skips numbers, which are those of issues, versions and lines.
fn for_each_stem(text: &str, mut each: impl FnMut(&str)) {
    let mut stem = String::new();
    for_each_word(text, |word| {
        if word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit()) {
            stem.clear();
            stem.push_str(&lowercase(word));
            cut_to_stem(&mut stem);
            each(&stem);
        }
    });
}

/// FNV-1a: the same in every process and version, unlike the hashes of the standard library.
fn hash(stem: &str) -> u32 {
    stem.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_count_as_one_and_numbers_not_at_all() {
        let counts = word_counts("Parse parsed #1234 parser's v2");
        let counted: Vec<u8> = counts.iter().map(|word| word.count).collect();
        assert_eq!(counted.iter().sum::<u8>(), 3, "{counts:?}");
        assert!(counted.contains(&3));
    }

    #[test]
    fn trailers_and_addresses_are_not_spoken() {
        let message = "Retry once\n\nSee https://example.com/x for why.\nSigned-off-by: A <a@example.com>";
        assert_eq!(message_text(message), "Retry once See for why.");
    }
}
