//! Splits identifiers into words: `HTTPServer2` is `http`, `server`, `2`.
//!
//! The static model, the full-text index and the ranking all use this rule. If they differed, a query would miss the
//! identifiers that it names.

/// Calls `each` with every word of `text`, from left to right, as written. Words are runs of letters or digits, split before
/// a capital that starts a new word: `[A-Z]+(?=[A-Z][a-z]) | [A-Z]?[a-z]+ | [A-Z]+ | [0-9]+`, and the same for letters
/// outside ASCII. In scripts without spaces, every pair of adjacent letters is a word, so that a word is found inside a
/// longer run.
pub fn for_each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let end = word_end(bytes, at);
        // Letters outside ASCII are rare in code. Only a run that contains one is processed letter by letter.
        if !bytes.get(end).is_none_or(u8::is_ascii) {
            at = unicode_run(text, at, &mut each);
        } else if end > at {
            each(&text[at..end]);
            at = end;
        } else {
            at += 1;
        }
    }
}

/// The words of `text` in lower case.
pub fn lowercase_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(lowercase(word)));
    words
}

/// Converts a word of any script to lower case.
pub fn lowercase(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase() }
}

/// Whether a character may be part of a word: letters and digits, and combining marks.
pub fn is_part_of_word(character: char) -> bool {
    let is_mark = matches!(character, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}');
    character.is_alphanumeric() || is_mark
}

/// Classes of letters that can stand together in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    /// Letters of a script that puts no spaces between words, or attaches particles to them (Korean).
    Spaceless,
}

fn kind(letter: char) -> Kind {
    match letter {
        '\u{3005}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => {
            Kind::Spaceless
        }
        _ if letter.is_uppercase() => Kind::Upper,
        _ if letter.is_numeric() => Kind::Digit,
        _ => Kind::Lower,
    }
}

/// Splits the run of letters that starts at `start` and contains some outside ASCII. Returns the end of the run.
#[cold]
fn unicode_run<'t>(text: &'t str, start: usize, each: &mut impl FnMut(&'t str)) -> usize {
    let rest = &text[start..];
    let end = start + rest.find(|letter| !is_part_of_word(letter)).unwrap_or(rest.len());
    if end == start {
        return start + rest.chars().next().map_or(1, char::len_utf8);
    }
    let letters: Vec<(usize, Kind)> =
        text[start..end].char_indices().map(|(at, letter)| (start + at, kind(letter))).collect();
    let place = |index: usize| letters.get(index).map_or(end, |(at, _)| *at);
    let mut first = 0;
    while first < letters.len() {
        let last = unicode_word_end(&letters, first);
        if letters[first].1 == Kind::Spaceless && last - first > 2 {
            (first..last - 1).for_each(|index| each(&text[place(index)..place(index + 2)]));
        } else {
            each(&text[place(first)..place(last)]);
        }
        first = last;
    }
    end
}

/// The same rule as [`word_end`], for letters of any script.
fn unicode_word_end(letters: &[(usize, Kind)], first: usize) -> usize {
    let run = |from: usize, kind: Kind| {
        letters[from..]
            .iter()
            .position(|letter| letter.1 != kind)
            .map_or(letters.len(), |length| from + length)
    };
    let kind = letters[first].1;
    let end = run(first, kind);
    let lower_follows = kind == Kind::Upper && letters.get(end).is_some_and(|letter| letter.1 == Kind::Lower);
    match (end - first, lower_follows) {
        (1, true) => run(end, Kind::Lower),
        (_, true) => end - 1,
        (_, false) => end,
    }
}

/// The end of the word that starts at `start`; `start` itself if no word starts there.
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
        assert_eq!(lowercase_words("café ∑ X"), ["café", "x"]);
    }

    #[test]
    fn words_of_other_scripts_are_not_cut() {
        assert_eq!(lowercase_words("GrößeÄndern Übergröße2"), ["größe", "ändern", "übergröße", "2"]);
        assert_eq!(lowercase_words("НайтиФайл найти_файл"), ["найти", "файл", "найти", "файл"]);
        assert_eq!(lowercase_words("XMLÄnderung"), ["xml", "änderung"]);
        assert_eq!(lowercase_words("HTTPServeréX"), ["http", "serveré", "x"]);
        assert_eq!(lowercase_words("cafe\u{301} naïve"), ["cafe\u{301}", "naïve"]);
    }

    #[test]
    fn scripts_without_spaces_are_pairs_of_letters() {
        assert_eq!(lowercase_words("用户认证 key值"), ["用户", "户认", "认证", "key", "值"]);
        assert_eq!(lowercase_words("認証JSON"), ["認証", "json"]);
    }

    proptest! {
        #[test]
        fn words_hold_every_letter_and_digit_of_scripts_with_spaces_once(text in ".{0,80}") {
            let kept: String = text.chars().filter(|c| is_part_of_word(*c) && kind(*c) != Kind::Spaceless).collect();
            let mut joined = String::new();
            for_each_word(&text, |word| joined.extend(word.chars().filter(|c| kind(*c) != Kind::Spaceless)));
            prop_assert_eq!(joined, kept);
        }

        #[test]
        fn every_letter_is_in_a_word_that_is_a_part_of_the_text(text in "[a-zA-Zäß用户が가 _9]{0,40}") {
            let (range, mut held) = (text.as_bytes().as_ptr_range(), vec![false; text.len()]);
            for_each_word(&text, |word| {
                let start = word.as_ptr() as usize - range.start as usize;
                held[start..start + word.len()].fill(true);
            });
            for (at, letter) in text.char_indices() {
                prop_assert_eq!(held[at], is_part_of_word(letter));
            }
        }
    }
}
