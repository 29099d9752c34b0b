//! Tokenises Rust source without comments, literals and test code: enough to find its paths.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'s> {
    Word(&'s str),
    PathSeparator,
    Mark(char),
}

impl<'s> Token<'s> {
    pub fn word(&self) -> Option<&'s str> {
        match self {
            Self::Word(word) => Some(word),
            Self::PathSeparator | Self::Mark(_) => None,
        }
    }
}

/// The tokens of a source file, without items that are compiled only for tests.
pub fn tokens_without_tests(text: &str) -> Vec<Token<'_>> {
    const CFG_TEST: [Token<'_>; 7] = [
        Token::Mark('#'),
        Token::Mark('['),
        Token::Word("cfg"),
        Token::Mark('('),
        Token::Word("test"),
        Token::Mark(')'),
        Token::Mark(']'),
    ];
    let all = tokens(text);
    let mut kept = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        if all[at..].starts_with(&CFG_TEST) {
            at = end_of_item(&all, at + CFG_TEST.len());
        } else {
            kept.push(all[at]);
            at += 1;
        }
    }
    kept
}

/// The index after the `;` or the closing brace of the item that begins at `at`.
fn end_of_item(tokens: &[Token<'_>], mut at: usize) -> usize {
    let mut depth = 0_i32;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Token::Mark(';') if depth == 0 => break,
            _ => {}
        }
    }
    at
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphabetic() || first == '_' {
            let length = word_length(rest);
            literal_prefix(rest, length).unwrap_or_else(|| {
                found.push(Token::Word(&rest[..length]));
                length
            })
        } else if first.is_ascii_digit() {
            word_length(rest)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("::") {
            found.push(Token::PathSeparator);
            2
        } else if first == '"' {
            quoted_length(rest)
        } else if first == '\'' {
            char_length(rest)
        } else {
            if !first.is_whitespace() {
                found.push(Token::Mark(first));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The length of `r#"..."#`, `b"..."` or `c"..."`, if the word is the prefix of such a literal.
fn literal_prefix(text: &str, word: usize) -> Option<usize> {
    let rest = &text[word..];
    match &text[..word] {
        "r" | "br" | "cr" => {
            let hashes = rest.find(|c| c != '#')?;
            let inside = rest[hashes..].strip_prefix('"')?;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = inside.find(&close).map_or(inside.len(), |end| end + close.len());
            Some(word + hashes + 1 + end)
        }
        "b" | "c" if rest.starts_with('"') => Some(word + quoted_length(rest)),
        "b" if rest.starts_with('\'') => Some(word + char_length(rest)),
        _ => None,
    }
}

fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal, or of the quote alone before a lifetime.
fn char_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some(_)) => chars.find(|(_, c)| *c == '\'').map_or(text.len(), |(at, _)| at + 1),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}
