//! Splits identifiers into words: `HTTPServer2` is `http`, `server`, `2`.
//!
//! The static model, the full-text index and the ranking all use this rule. If they differed, a query would miss the
//! identifiers it names.

/// Calls `each` with every word of `text`, left to right, as written. Words are runs of ASCII letters or digits,
/// broken before a capital that starts a new word: `[A-Z]+(?=[A-Z][a-z]) | [A-Z]?[a-z]+ | [A-Z]+ | [0-9]+`.
pub fn for_each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = word_end(bytes, at);
        if end > at {
            each(&text[at..end]);
            at = end;
        } else {
            at += 1;
        }
    }
}

/// Bytes that are compared at once: one or two vector registers of any processor.
const BLOCK: usize = 64;

/// The first two bytes of a word in lower case; 0 as the second byte matches any.
pub type Beginning = [u8; 2];

/// Calls `each` with the words of `text` that begin with one of `beginnings`, ignoring case, left to right; a few other
/// words may be among them. If few words match, this is four times as fast as visiting every word: whether a word begins
/// at a byte depends only on the adjacent bytes, so a whole block is tested without a branch.
pub fn for_each_word_beginning<'t>(text: &'t str, beginnings: &[Beginning], mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    for start in (0..bytes.len()).step_by(BLOCK) {
        let marks = match start.checked_sub(1).and_then(|from| bytes[from..].first_chunk()) {
            Some(window) => marked_beginnings(window, beginnings),
            None => marked_beginnings(&window_at_edge(bytes, start), beginnings),
        };
        for (part, marks) in marks.as_chunks::<8>().0.iter().enumerate() {
            let mut marks = u64::from_le_bytes(*marks);
            while marks != 0 {
                let at = start + 8 * part + marks.trailing_zeros() as usize / 8;
                each(&text[at..word_end(bytes, at)]);
                marks &= marks - 1;
            }
        }
    }
}

/// A block and its two neighbours.
type Window = [u8; BLOCK + 2];

/// The window at the beginning or end of the text, padded with zeros.
fn window_at_edge(bytes: &[u8], start: usize) -> Window {
    let mut window = [0; BLOCK + 2];
    let from = start.saturating_sub(1);
    let known = &bytes[from..bytes.len().min(start + BLOCK + 1)];
    window[from + 1 - start..][..known.len()].copy_from_slice(known);
    window
}

/// For each byte of the block: 1 where a word begins that may begin like one of `beginnings`, else 0.
fn marked_beginnings(window: &Window, beginnings: &[Beginning]) -> [u8; BLOCK] {
    let mut marks = [0; BLOCK];
    for [first, second] in beginnings {
        let mask = if *second == 0 { 0 } else { 0xff };
        for (place, mark) in marks.iter_mut().enumerate() {
            let next = (window[place + 2] | 0x20) & mask;
            *mark |= u8::from(window[place + 1] | 0x20 == *first) & u8::from(next == *second);
        }
    }
    for (place, mark) in marks.iter_mut().enumerate() {
        *mark &= u8::from(begins_word(window[place], window[place + 1], window[place + 2]));
    }
    marks
}

/// The rule of [`for_each_word`] for one byte and the bytes around it. It has no branch, because otherwise the loop around
/// it is not vectorised.
fn begins_word(before: u8, byte: u8, after: u8) -> bool {
    let lower = byte.is_ascii_lowercase() & !before.is_ascii_alphabetic();
    let upper = byte.is_ascii_uppercase() & (!before.is_ascii_uppercase() | after.is_ascii_lowercase());
    let digit = byte.is_ascii_digit() & !before.is_ascii_digit();
    lower | upper | digit
}

/// The words of `text`, lower-cased.
pub fn lowercase_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_ascii_lowercase()));
    words
}

/// Where the word that begins at `start` ends; `start` itself when no word begins there.
fn word_end(bytes: &[u8], start: usize) -> usize {
    match bytes[start] {
        b'0'..=b'9' => run(bytes, start, u8::is_ascii_digit),
        b'a'..=b'z' => run(bytes, start, u8::is_ascii_lowercase),
        b'A'..=b'Z' => {
            let capitals = run(bytes, start, u8::is_ascii_uppercase);
            let lower_follows = bytes.get(capitals).is_some_and(u8::is_ascii_lowercase);
            match (capitals - start, lower_follows) {
                (1, true) => run(bytes, capitals, u8::is_ascii_lowercase),
                (_, true) => capitals - 1,
                (_, false) => capitals,
            }
        }
        _ => start,
    }
}

fn run(bytes: &[u8], start: usize, belongs: impl Fn(&u8) -> bool) -> usize {
    bytes[start..].iter().position(|byte| !belongs(byte)).map_or(bytes.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splits_identifiers_of_every_fashion() {
        assert_eq!(lowercase_words("HTTPServer2"), ["http", "server", "2"]);
        assert_eq!(lowercase_words("createUser_byEmail"), ["create", "user", "by", "email"]);
        assert_eq!(lowercase_words("MAX_CHUNK_SIZE"), ["max", "chunk", "size"]);
        assert_eq!(lowercase_words("parseXMLDoc"), ["parse", "xml", "doc"]);
        assert_eq!(lowercase_words("utf8"), ["utf", "8"]);
        assert_eq!(lowercase_words("café ∑ X"), ["caf", "x"]);
    }

    proptest! {
        #[test]
        fn words_hold_every_ascii_letter_and_digit_once(text in ".{0,80}") {
            let kept: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
            let mut joined = String::new();
            for_each_word(&text, |word| joined.push_str(word));
            prop_assert_eq!(joined, kept);
        }

        #[test]
        fn words_that_begin_so_are_found_among_all_words(
            text in "[a-dA-D0-2_ é\\x10-\\x19]{0,200}",
            beginnings in prop::collection::vec("[a-d0-2][a-d0-2]?", 0..4),
        ) {
            let mut all = Vec::new();
            for_each_word(&text, |word| all.push((word.as_ptr(), word)));
            let begins = |word: &str| {
                let word = word.to_ascii_lowercase();
                beginnings.iter().any(|beginning| word.starts_with(beginning.as_str()))
            };
            let pair = |beginning: &String| [beginning.as_bytes()[0], *beginning.as_bytes().get(1).unwrap_or(&0)];
            let pairs: Vec<Beginning> = beginnings.iter().map(pair).collect();
            let mut found = Vec::new();
            for_each_word_beginning(&text, &pairs, |word| found.push((word.as_ptr(), word)));
            prop_assert!(found.is_sorted() && found.iter().all(|word| all.contains(word)));
            let begin_so: Vec<_> = all.into_iter().filter(|(_, word)| begins(word)).collect();
            prop_assert!(begin_so.iter().all(|word| found.contains(word)));
        }
    }
}
