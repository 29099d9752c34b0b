//! The words under which a chunk is found by full text, and the words that a query asks for.
//!
//! Both sides go through [`for_each_token`]: an identifier counts as its words and, when it has more than one, also
//! as a whole, so that `createUser`, `create_user` and `CREATE_USER` find each other and an exact name ranks above
//! its scattered words.

use vectorcode_core::{Chunk, ContentClass, words};

use crate::contract::TextQuery;

/// Weights of the columns of `full_text` in BM25: path, symbol, signature, docs, body.
pub(crate) const COLUMN_WEIGHTS: [f64; 5] = [2.5, 6.0, 3.0, 1.5, 1.0];

/// Longer runs are hashes, keys and encoded data: nobody searches for them and they would fill the index.
const MAX_IDENTIFIER_BYTES: usize = 80;
/// Enough for any question; a pasted page must not become a query of thousands of terms.
const MAX_QUERY_TOKENS: usize = 48;

/// The text of one row of `full_text`; reused from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub path: String,
    pub symbol: String,
    pub signature: String,
    pub docs: String,
    pub body: String,
}

impl Document {
    /// The signatures are added afterwards, by whoever knows the definitions.
    pub fn fill(&mut self, chunk: &Chunk) {
        for column in [&mut self.path, &mut self.symbol, &mut self.signature, &mut self.docs, &mut self.body]
        {
            column.clear();
        }
        push_tokens(&mut self.path, &chunk.path);
        for text in [chunk.symbol.as_deref(), chunk.parent_context.as_deref()].into_iter().flatten() {
            push_tokens(&mut self.symbol, text);
        }
        for line in chunk.content.lines() {
            let is_prose = chunk.class == ContentClass::Docs || is_comment(line);
            push_tokens(if is_prose { &mut self.docs } else { &mut self.body }, line);
        }
    }

    pub fn add_signature(&mut self, signature: &str) {
        push_tokens(&mut self.signature, signature);
    }
}

/// Whether a whole line is a comment in one of the usual fashions. A guess is enough: it only moves weight.
fn is_comment(line: &str) -> bool {
    const MARKS: [&str; 8] = ["//", "/*", "* ", "*/", "# ", "-- ", ";; ", "<!--"];
    let line = line.trim_start();
    MARKS.iter().any(|mark| line.starts_with(mark))
}

fn push_tokens(column: &mut String, text: &str) {
    for_each_token(text, |token| {
        column.push_str(token);
        column.push(' ');
    });
}

/// Calls `each` with every token of `text` in lower case.
fn for_each_token(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for identifier in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if identifier.is_empty() || identifier.len() > MAX_IDENTIFIER_BYTES {
            continue;
        }
        let mut only_word_bytes = 0;
        words::for_each_word(identifier, |part| {
            word.clear();
            word.push_str(part);
            word.make_ascii_lowercase();
            each(&word);
            only_word_bytes = part.len();
        });
        if only_word_bytes < identifier.len() {
            push_whole(identifier, &mut word);
            if !word.is_empty() && word.len() > only_word_bytes {
                each(&word);
            }
        }
    }
}

/// The identifier in lower case without underscores.
fn push_whole(identifier: &str, word: &mut String) {
    word.clear();
    if identifier.is_ascii() {
        word.extend(identifier.chars().filter(|c| *c != '_'));
        word.make_ascii_lowercase();
    } else {
        word.extend(identifier.chars().filter(|c| *c != '_').flat_map(char::to_lowercase));
    }
}

/// The query in FTS5's language: any of the tokens. `None` when nothing is left to look for. Tokens hold letters and
/// digits only and are quoted, so that no text of a user is ever read as syntax.
pub(crate) fn match_expression(query: &TextQuery) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for term in &query.terms {
        let mut tokens: Vec<String> = Vec::new();
        for_each_token(&term.word, |token| tokens.push(format!("\"{token}\"")));
        if let (true, Some(last)) = (term.prefix, tokens.last_mut()) {
            last.push('*');
        }
        for token in tokens {
            if !parts.contains(&token) && parts.len() < MAX_QUERY_TOKENS {
                parts.push(token);
            }
        }
    }
    (!parts.is_empty()).then(|| parts.join(" OR "))
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

    fn expression(words: &[(&str, bool)]) -> Option<String> {
        let terms =
            words.iter().map(|(word, prefix)| TextTerm { word: (*word).into(), prefix: *prefix }).collect();
        match_expression(&TextQuery { terms })
    }

    #[test]
    fn an_identifier_is_its_words_and_itself() {
        assert_eq!(tokens("createUser(x)"), ["create", "user", "createuser", "x"]);
        assert_eq!(tokens("CREATE_USER"), ["create", "user", "createuser"]);
        assert_eq!(tokens("_private"), ["private"]);
        assert_eq!(tokens("utf8"), ["utf", "8", "utf8"]);
    }

    #[test]
    fn words_of_other_scripts_are_kept_whole() {
        assert_eq!(tokens("Größe 用户认证"), ["gr", "e", "größe", "用户认证"]);
    }

    #[test]
    fn encoded_data_is_left_out() {
        assert!(tokens(&"a1".repeat(60)).is_empty());
    }

    #[test]
    fn comments_and_code_go_to_their_columns() {
        let mut document = Document::default();
        let chunk = Chunk {
            id: String::new(),
            path: "src/a.rs".into(),
            span: vectorcode_core::Span { start_line: 1, end_line: 2, byte_start: 0, byte_end: 1 },
            symbol: Some("run".into()),
            kind: "function_item".into(),
            content: "  /// Starts it.\nfn run() {}".into(),
            parent_context: None,
            language: "rust".into(),
            class: ContentClass::Code,
            is_test: false,
            content_hash: String::new(),
        };
        document.fill(&chunk);
        assert_eq!((document.docs.as_str(), document.body.as_str()), ("starts it ", "fn run "));
        assert_eq!((document.path.as_str(), document.symbol.as_str()), ("src a rs ", "run "));
    }

    #[test]
    fn a_query_is_any_of_its_tokens_once() {
        assert_eq!(expression(&[("retry", false), ("retry", false)]).unwrap(), "\"retry\"");
        assert_eq!(expression(&[("retry", true), ("x", false)]).unwrap(), "\"retry\"* OR \"x\"");
        assert_eq!(expression(&[("a\" OR b*", false)]).unwrap(), "\"a\" OR \"or\" OR \"b\"");
        assert_eq!(expression(&[("()\"'", true)]), None);
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
