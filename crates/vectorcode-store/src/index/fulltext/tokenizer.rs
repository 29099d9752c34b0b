//! Splits text into the words by which chunks are found, and queries into the words to look for.
//!
//! Both sides use [`for_each_token`]: an identifier yields its words and, if it has more than one, also the whole, so that
//! `createUser`, `create_user` and `CREATE_USER` match each other and an exact name ranks above its scattered words.

use vectorcode_core::words;

use crate::contract::TextQuery;

/// Longer runs are hashes, keys and encoded data: nobody searches for them, and they would fill the index.
const MAX_IDENTIFIER_BYTES: usize = 80;
/// Enough for the words and names that the engine extracts from a bug report. A pasted page must not become a query of thousands
/// of terms.
const MAX_QUERY_TOKENS: usize = 256;

/// A word to look up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Term {
    pub word: String,
    /// Also match words that start with it.
    pub prefix: bool,
}

/// Whether the whole line is a comment in one of the usual syntaxes. A guess is good enough: it only affects weights.
pub(crate) fn is_comment(line: &str) -> bool {
    const MARKS: [&str; 8] = ["//", "/*", "* ", "*/", "# ", "-- ", ";; ", "<!--"];
    let line = line.trim_start();
    MARKS.iter().any(|mark| line.starts_with(mark))
}

/// Calls `each` with every token of `text`, in lower case.
pub(crate) fn for_each_token(text: &str, each: impl FnMut(&str)) {
    for_each_token_of(text, &text.to_ascii_lowercase(), &mut String::new(), each);
}

/// Like [`for_each_token`], for callers that already have `lower`, the text with ASCII letters in lower case. Word boundaries are
/// found in `text`, where the case shows them, and the words are taken from `lower`. `whole` is scratch space for assembling
/// names.
pub(crate) fn for_each_token_of(text: &str, lower: &str, whole: &mut String, mut each: impl FnMut(&str)) {
    for_each_identifier(text, |start, identifier| {
        let mut last_word_bytes = 0;
        words::for_each_word(identifier, |part| {
            let start = start + offset(part, identifier);
            if part.is_ascii() {
                each(&lower[start..start + part.len()]);
            } else {
                each(&part.to_lowercase());
            }
            last_word_bytes = part.len();
        });
        if last_word_bytes == identifier.len() {
            return;
        }
        if identifier.is_ascii() && !identifier.contains('_') {
            return each(&lower[start..start + identifier.len()]);
        }
        push_whole(identifier, whole);
        // `_name` has one word, which is the whole.
        if whole.len() > last_word_bytes {
            each(whole);
        }
    });
}

/// Calls `each` with every run of letters, digits and underscores and its offset.
fn for_each_identifier(text: &str, mut each: impl FnMut(usize, &str)) {
    let mut from = 0;
    while let Some(start) = position(text, from, is_inside) {
        let end = position(text, start, |byte| !is_inside(byte)).unwrap_or(text.len());
        // Non-ASCII characters are only examined here: most runs have none.
        let run = &text[start..end];
        let is_separator = |c: char| !(words::is_part_of_word(c) || c == '_');
        let mut take = |identifier: &str| {
            if !identifier.is_empty() && identifier.len() <= MAX_IDENTIFIER_BYTES {
                each(offset(identifier, text), identifier);
            }
        };
        if run.is_ascii() {
            take(run);
        } else {
            run.split(is_separator).for_each(take);
        }
        from = end;
    }
}

/// Whether a byte may be part of an identifier.
fn is_inside(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn position(text: &str, from: usize, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
    text.as_bytes()[from..].iter().position(|byte| is_wanted(*byte)).map(|at| from + at)
}

/// The offset of `part` in `text`. `part` must be a slice of `text`.
pub(super) fn offset(part: &str, text: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Sets `word` to the identifier in lower case, without underscores.
fn push_whole(identifier: &str, word: &mut String) {
    word.clear();
    identifier.split('_').for_each(|part| word.push_str(part));
    if word.is_ascii() {
        word.make_ascii_lowercase();
    } else {
        *word = word.to_lowercase();
    }
}

/// The terms of a query, without duplicates.
pub(crate) fn terms(query: &TextQuery) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for term in &query.terms {
        let first_new = terms.len();
        for_each_token(&term.word, |token| {
            let known = terms.iter().any(|term| term.word == token && !term.prefix);
            if !known && terms.len() < MAX_QUERY_TOKENS {
                terms.push(Term { word: token.to_owned(), prefix: false });
            }
        });
        // Of an identifier's tokens, only the whole one may match as a prefix.
        if let (true, Some(last)) = (term.prefix, terms[first_new..].last_mut()) {
            last.prefix = true;
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::TextTerm;

    fn tokens(text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        for_each_token(text, |token| tokens.push(token.to_owned()));
        tokens
    }

    fn words(asked: &[(&str, bool)]) -> Vec<String> {
        let terms =
            asked.iter().map(|(word, prefix)| TextTerm { word: (*word).into(), prefix: *prefix }).collect();
        let shown = |term: Term| if term.prefix { term.word + "*" } else { term.word };
        terms_of(terms).into_iter().map(shown).collect()
    }

    fn terms_of(terms: Vec<TextTerm>) -> Vec<Term> {
        super::terms(&TextQuery { terms })
    }

    #[test]
    fn an_identifier_is_its_words_and_itself() {
        assert_eq!(tokens("createUser(x)"), ["create", "user", "createuser", "x"]);
        assert_eq!(tokens("CREATE_USER"), ["create", "user", "createuser"]);
        assert_eq!(tokens("_private"), ["private"]);
        assert_eq!(tokens("utf8"), ["utf", "8", "utf8"]);
    }

    #[test]
    fn words_of_other_scripts_are_not_cut() {
        assert_eq!(tokens("Größe ÜberGröße"), ["größe", "über", "größe", "übergröße"]);
        assert_eq!(tokens("用户认证"), ["用户", "户认", "认证", "用户认证"]);
    }

    #[test]
    fn encoded_data_is_left_out() {
        assert!(tokens(&"a1".repeat(60)).is_empty());
    }

    #[test]
    fn comments_are_told_from_code() {
        assert!(is_comment("  /// Starts it.") && is_comment("# a shell comment") && is_comment(" * more"));
        assert!(!is_comment("fn run() {}") && !is_comment("#include <x>") && !is_comment("*pointer = 1;"));
    }

    #[test]
    fn a_query_is_any_of_its_tokens_once() {
        assert_eq!(words(&[("retry", false), ("retry", false)]), ["retry"]);
        assert_eq!(words(&[("retry", true), ("x", false)]), ["retry*", "x"]);
        assert_eq!(words(&[("createUs", true)]), ["create", "us", "createus*"]);
        assert_eq!(words(&[("a\" OR b*", false)]), ["a", "or", "b"]);
        assert_eq!(words(&[("()\"'", true)]), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn tokens_never_hold_anything_but_letters_and_digits(text in "\\PC{0,60}") {
            for token in tokens(&text) {
                prop_assert!(!token.is_empty() && !token.contains(['"', '*', ' ', '_', '(', ':']));
            }
        }
    }
}
