//! The words of a text as short hashes, to check which words a text contains without reading it.

use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::stem::cut_to_stem;
use crate::words::for_each_word;

/// Most chunks have fewer distinct words.
const USUAL_WORDS: usize = 96;

/// The stems of a text's words, sorted, as hashes of three bytes each.
///
/// Ranking checks for hundreds of chunks which words of the query they contain, and reading their texts is most of the cost
/// of that. The hashes take a sixth of the text's space. For a text of 50 words, one lookup in 300,000 is a false positive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordHashes(Box<[u8]>);

/// The hash of one stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StemHash([u8; StemHash::BYTES]);

impl StemHash {
    const BYTES: usize = 3;

    /// FNV-1a: simple, the same on every platform, and it spreads short words well.
    pub fn of_stem(stem: &str) -> Self {
        let hash = stem
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        // The high bits depend on all letters; the low ones mostly on the last letters.
        let [first, second, third, _] = (hash ^ hash << 16).to_be_bytes();
        Self([first, second, third])
    }
}

impl WordHashes {
    pub fn of(text: &str) -> Self {
        let mut seen = FxHashSet::with_capacity_and_hasher(USUAL_WORDS, FxBuildHasher);
        let mut form = String::new();
        let mut hashes = Vec::with_capacity(USUAL_WORDS);
        for_each_word(text, |word| {
            if seen.insert(word) {
                form.clear();
                push_lowercase(word, &mut form);
                cut_to_stem(&mut form);
                hashes.push(StemHash::of_stem(&form).0);
            }
        });
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes.into_flattened().into())
    }

    /// Restores what [`Self::as_bytes`] returned. Invalid bytes do no harm: lookups just find nothing.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// Number of distinct stems.
    pub fn len(&self) -> usize {
        self.0.len() / StemHash::BYTES
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn contains(&self, hash: StemHash) -> bool {
        self.0.as_chunks().0.binary_search(&hash.0).is_ok()
    }
}

/// Appends a word in lower case.
pub(crate) fn push_lowercase(word: &str, form: &mut String) {
    if word.is_ascii() {
        form.push_str(word);
        form.make_ascii_lowercase();
    } else {
        form.push_str(&word.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::stem::stem;

    fn holds(text: &str, word: &str) -> bool {
        WordHashes::of(text).contains(StemHash::of_stem(&stem(word)))
    }

    #[test]
    fn every_form_of_a_word_is_held() {
        let text = "fn parse_headers(HTTPServer server) { retries += 1; }";
        for word in ["parser", "parsing", "header", "http", "servers", "retry", "1"] {
            assert!(holds(text, word), "{word}");
        }
        for word in ["try", "2", "", "row"] {
            assert!(!holds(text, word), "{word}");
        }
        assert!(!holds("", "parser"));
    }

    proptest! {
        #[test]
        fn every_word_of_a_text_is_held(text in "\\PC{0,200}") {
            let hashes = WordHashes::from_bytes(WordHashes::of(&text).as_bytes());
            for word in crate::words::lowercase_words(&text) {
                prop_assert!(hashes.contains(StemHash::of_stem(&stem(&word))));
            }
        }

        #[test]
        fn bytes_that_are_no_prints_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = WordHashes::from_bytes(&bytes).contains(StemHash::of_stem("parse"));
        }
    }
}
