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
    }
}
