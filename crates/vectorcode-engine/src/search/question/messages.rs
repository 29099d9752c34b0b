//! Messages of errors in a report. The code that raises one holds the parts of it that do not change.

use super::Question;

const MAX_MESSAGES: usize = 16;
/// Shorter texts occur by chance.
const MIN_BYTES: usize = 14;
const MIN_WORDS: usize = 3;
const MAX_BYTES: usize = 120;

/// Words after which a message follows.
const MARKS: [&str; 8] = ["error", "exception", "panicked", "warning", "fatal", "failed", "failure", "panic"];

/// The constant parts of messages, each once.
pub(super) fn of(question: &Question) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let parts = [&question.title, &question.prose, &question.trace_text(), &question.code];
    for line in parts.into_iter().flat_map(|part| part.lines()).filter(|line| is_message(line)) {
        for part in constant_parts(line) {
            if found.len() < MAX_MESSAGES && !found.iter().any(|known| known == part) {
                found.push(part.to_owned());
            }
        }
    }
    found
}

fn is_message(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

/// Between quotes, colons, numbers and brackets, which a program fills in.
fn constant_parts(line: &str) -> impl Iterator<Item = &str> {
    let is_edge = |c: char| {
        matches!(c, '"' | '\'' | '`' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '=')
            || c.is_ascii_digit()
    };
    let parts = line.split(is_edge).map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
    parts.filter(|part| {
        (MIN_BYTES..=MAX_BYTES).contains(&part.len()) && part.split_whitespace().count() >= MIN_WORDS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_parts_of_messages_are_kept() {
        let text =
            "java.lang.NullPointerException: Cannot read the array length because \"this.counts\" is null";
        let question =
            Question { code: text.into(), prose: "It should not fail at all.".into(), ..Question::default() };
        assert_eq!(of(&question), ["Cannot read the array length because"]);
    }
}
