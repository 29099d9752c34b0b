//! Replaces the words of a query by English ones. Everything else stays in place, so that a report keeps its lines
//! and code.

use super::language::{is_function_word_of, looks_like_code};
use super::table::{Table, is_english};
use super::word::{fold, is_accent, is_spaceless};

const FENCE: &str = "```";

/// The text in English words.
pub(super) fn render(table: &'static Table, text: &str) -> String {
    let mut is_code = false;
    let lines = text.split('\n').map(|line| {
        let is_fence = line.trim_start().starts_with(FENCE);
        is_code ^= is_fence;
        if is_code || is_fence { line.to_owned() } else { Line::new(table).render(line) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The output line being built.
struct Line {
    table: &'static Table,
    written: String,
}

impl Line {
    fn new(table: &'static Table) -> Self {
        Self { table, written: String::new() }
    }

    fn render(mut self, line: &str) -> String {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let taken = self.take(first, rest);
            rest = &rest[taken..];
        }
        self.written.trim_end().to_owned()
    }

    /// Renders the start of the rest of the line, and returns how many bytes of it were consumed.
    fn take(&mut self, first: char, rest: &str) -> usize {
        if let Some(end) = quoted(first, rest) {
            self.push(&rest[..end]);
            return end;
        }
        if is_spaceless(first) {
            let run = &rest[..end_of(rest, is_spaceless)];
            self.push_pieces(run);
            return run.len();
        }
        if !is_word_letter(first) {
            self.push_mark(first);
            return first.len_utf8();
        }
        let token = &rest
            [..end_of(rest, |letter| letter.is_ascii_graphic() && !matches!(letter, ',' | ';' | '"' | '`'))];
        let word = &rest[..end_of(rest, is_word_letter)];
        if token.len() >= word.len() && looks_like_code(token) && !token.contains('-') {
            self.push(token);
            return token.len();
        }
        self.push_word(word);
        word.len() + elision(&rest[word.len()..])
    }

    fn push_pieces(&mut self, run: &str) {
        let folded = fold(run);
        let mut rest = folded.as_str();
        while let Some(first) = rest.chars().next() {
            let is_empty = |piece: &str| is_function_word_of(self.table.language, piece);
            match self.table.first_piece(rest, is_empty) {
                Some((end, words)) => {
                    for word in words {
                        self.push(word);
                    }
                    rest = &rest[end..];
                }
                None => rest = &rest[first.len_utf8()..],
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        let folded = fold(word);
        let is_acronym = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_acronym {
            return self.push(word);
        }
        if is_function_word_of(self.table.language, &folded) {
            return;
        }
        // An English word is not a form of a foreign one, but the exact word may have another meaning ("die",
        // "come").
        let is_name = word.is_ascii() && is_english(&folded);
        match if is_name { self.table.word(&folded) } else { self.table.meaning(&folded) } {
            Some(words) => words.into_iter().for_each(|word| self.push(word)),
            None => self.push(word),
        }
    }

    /// Appends a word, separated from the previous one.
    fn push(&mut self, word: &str) {
        if self.written.ends_with(|last: char| last.is_alphanumeric() || last == ')' || last == '`') {
            self.written.push(' ');
        }
        self.written.push_str(word);
    }

    /// Replaces punctuation of other scripts by spaces, and merges spaces.
    fn push_mark(&mut self, mark: char) {
        let mark = if mark.is_ascii() { mark } else { ' ' };
        let is_indent = self.written.trim_start().is_empty() && mark != ' ';
        if mark != ' ' || is_indent || !self.written.ends_with(' ') {
            self.written.push(mark);
        }
    }
}

fn is_word_letter(letter: char) -> bool {
    (letter.is_alphanumeric() || letter == '_' || is_accent(letter) || is_sign(letter))
        && !is_spaceless(letter)
}

/// Vowel signs of Devanagari, which are parts of words but not letters.
fn is_sign(letter: char) -> bool {
    matches!(letter, '\u{900}'..='\u{963}')
}

/// The length of an apostrophe between two words ("d'un"), which would otherwise start a quotation.
fn elision(rest: &str) -> usize {
    let joins = rest.strip_prefix('\'').is_some_and(|next| next.starts_with(is_word_letter));
    usize::from(joins)
}

fn end_of(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}

/// The end of a quoted text that starts here. Quoted texts come from the program and are searched for unchanged.
fn quoted(first: char, rest: &str) -> Option<usize> {
    if first != '"' && first != '`' {
        return None;
    }
    rest[1..].find(first).map(|at| at + 2)
}
