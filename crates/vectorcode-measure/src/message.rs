//! Turns the message of a commit into a question about code.
//!
//! A message is usable if it says in a few words what the code now does: a fix or a feature. Messages about the project's
//! housekeeping are not, and references, URLs and trailers are removed, because nobody would search for them. The prefix
//! before a colon (`fix(parser):`, `tree.c:`) is removed too: it often names the very file that is the answer.

/// A message with fewer words of three letters or more is too vague to be a question.
const MIN_WORDS: usize = 4;
/// Longer questions are cut after this many characters, at a word boundary.
const MAX_CHARACTERS: usize = 500;

/// Prefixes (`docs: ...`) and first words of messages that are not about what the code does, or are about code that is gone.
const HOUSEKEEPING: [&str; 39] = [
    "build",
    "bump",
    "changelog",
    "chore",
    "ci",
    "clean",
    "cleanup",
    "delete",
    "deps",
    "doc",
    "docs",
    "document",
    "drop",
    "format",
    "lint",
    "merge",
    "move",
    "prepare",
    "readme",
    "refactor",
    "reformat",
    "regenerate",
    "release",
    "remove",
    "removed",
    "rename",
    "reorder",
    "revert",
    "run",
    "style",
    "sync",
    "test",
    "testing",
    "tests",
    "typo",
    "update",
    "upgrade",
    "version",
    "wip",
];
/// Words anywhere in the subject that mean the same.
const GIVEAWAYS: [&str; 22] = [
    "changelog",
    "clippy",
    "dependencies",
    "docs",
    "docstring",
    "docstrings",
    "documentation",
    "eslint",
    "flake8",
    "gofmt",
    "lint",
    "linter",
    "mypy",
    "prettier",
    "pylint",
    "readme",
    "refactor",
    "refactoring",
    "rustfmt",
    "typo",
    "typos",
    "whitespace",
];
/// Words that introduce a reference and are meaningless without it.
const REFERRING: [&str; 14] = [
    "close",
    "closed",
    "closes",
    "fix",
    "fixed",
    "fixes",
    "follow-up",
    "followup",
    "ref",
    "refs",
    "resolve",
    "resolved",
    "resolves",
    "see",
];

/// The question in a message, or `None` if there is none.
pub fn question(message: &str) -> Option<String> {
    let mut lines = message.lines().map(str::trim_end);
    let subject = without_prefix(lines.next()?.trim())?;
    if is_housekeeping(subject) {
        return None;
    }
    let (mut words, mut more) = (Vec::new(), Vec::new());
    add_words(subject, &mut words);
    first_paragraph(lines).for_each(|line| add_words(line, &mut more));
    let text = shortened(&sentences(&words, &more));
    let spoken = |word: &&str| word.chars().filter(|letter| letter.is_alphabetic()).count() >= 3;
    (text.split(' ').filter(spoken).count() >= MIN_WORDS).then_some(text)
}

/// The subject without `fix(scope):` or `tree.c:`; `None` if the prefix means housekeeping.
fn without_prefix(subject: &str) -> Option<&str> {
    let Some((prefix, rest)) = subject.split_once(": ").filter(|(prefix, _)| !prefix.contains(' ')) else {
        return Some(subject);
    };
    let kind = prefix.split(['(', '!']).next().unwrap_or(prefix).to_lowercase();
    (!HOUSEKEEPING.contains(&kind.as_str())).then(|| rest.trim())
}

fn is_housekeeping(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    HOUSEKEEPING.contains(&first) || words.any(|word| GIVEAWAYS.contains(&word))
}

/// The first lines of prose after the subject.
fn first_paragraph<'m>(lines: impl Iterator<Item = &'m str>) -> impl Iterator<Item = &'m str> {
    lines.skip_while(|line| line.is_empty()).take_while(|line| is_prose(line))
}

/// Whether a line is prose: not blank, not a list, quotation or code, no trailer such as `Signed-off-by: ...`, and no
/// `Follow-up to 3f2a91c0`.
fn is_prose(line: &str) -> bool {
    let is_trailer = line.split_once(": ").is_some_and(|(key, _)| key.contains('-') && !key.contains(' '));
    let mut words = line.split_whitespace();
    let refers = words.next().is_some_and(is_referring) && words.any(|word| is_reference(bare(word)));
    let is_marked = line.starts_with(['*', '-', '+', '>', '|', '`', '#', '[', ' ', '\t']);
    !(line.is_empty() || is_trailer || refers || is_marked)
}

/// Adds the words of a line, without references and the words that introduce them.
fn add_words<'m>(line: &'m str, words: &mut Vec<&'m str>) {
    for word in line.split_whitespace() {
        if !is_reference(bare(word)) {
            words.push(word);
        } else if words.last().is_some_and(|last| is_referring(last)) {
            words.pop();
        }
    }
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '#')
}

/// `#123`, `GH-123`, `owner/name#123`, a URL, or the hash of a commit.
fn is_reference(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_hash = || {
        word.len() >= 8
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            && word.bytes().any(|byte| byte.is_ascii_digit())
    };
    word.contains("://")
        || word.rsplit_once('#').is_some_and(|(_, number)| is_number(number))
        || word.strip_prefix("GH-").is_some_and(is_number)
        || is_hash()
}

fn is_referring(word: &str) -> bool {
    REFERRING.contains(&bare(word).to_lowercase().as_str())
}

/// The subject and the text after it, separated by a full stop.
fn sentences(subject: &[&str], more: &[&str]) -> String {
    let subject = subject.join(" ");
    if more.is_empty() {
        return subject;
    }
    let stop = if subject.ends_with(['.', '!', '?', ':', ';', ',']) { "" } else { "." };
    format!("{subject}{stop} {}", more.join(" "))
}

fn shortened(long: &str) -> String {
    let mut text = String::new();
    for word in long.split(' ') {
        if text.len() + word.len() >= MAX_CHARACTERS {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(message: &str) -> String {
        question(message).unwrap_or_default()
    }

    #[test]
    fn a_fix_or_a_feature_asks_with_its_subject_and_first_paragraph() {
        assert_eq!(
            asks(
                "Abort if the folder cannot be created\n\nThe error was swallowed,\nso nobody saw it.\n\nMore."
            ),
            "Abort if the folder cannot be created. The error was swallowed, so nobody saw it."
        );
        assert_eq!(asks("fix(context): skip chmod on existing dirs"), "skip chmod on existing dirs");
        assert_eq!(asks("tree.c: free the nodes of a failed parse"), "free the nodes of a failed parse");
    }

    #[test]
    fn housekeeping_asks_nothing() {
        for message in [
            "docs: say what the second argument does",
            "chore(deps): bump the actions group with four updates",
            "Merge branch 'main' of somewhere else",
            "Release version three point one of this",
            "Correct a typo in the error message",
            "Make clippy happy about the parser again",
            "Remove the code for Python two and three",
            "fix typing",
            "",
        ] {
            assert_eq!(question(message), None, "{message}");
        }
    }

    #[test]
    fn references_and_trailers_are_not_asked() {
        assert_eq!(
            asks("Keep the cookie when the path is empty (#4702)"),
            "Keep the cookie when the path is empty"
        );
        assert_eq!(asks("Keep the empty cookie path (fixes #12)"), "Keep the empty cookie path");
        assert_eq!(
            asks(
                "Keep the empty cookie path\n\nFollow-up to 3f2a91c07d\nFixes https://example.com/1\nSigned-off-by: A"
            ),
            "Keep the empty cookie path"
        );
        assert_eq!(
            asks("Keep the empty cookie path\n\n* one commit\n* another"),
            "Keep the empty cookie path"
        );
    }

    #[test]
    fn a_long_text_is_cut_at_a_word() {
        let text = asks(&"endless ".repeat(200));
        assert!(text.len() < MAX_CHARACTERS && text.ends_with("endless"));
    }
}
