//! Whether a short question tells of a defect, or asks for something that is missing, as titles of issues do: what answers it is the
//! code that is to be changed.

use vectorcode_core::words::lowercase_words;

/// How questions begin that ask where or how something is done, whatever words follow: "how are errors handled".
const ASKING: [&str; 14] = [
    "how", "what", "where", "which", "who", "when", "why", "find", "show", "list", "explain", "does", "is",
    "are",
];

/// What titles of issues say and names of features do not.
const TELLING: [&str; 62] = [
    "fails",
    "failing",
    "failed",
    "crash",
    "crashes",
    "crashing",
    "crashed",
    "breaks",
    "broken",
    "bug",
    "bugs",
    "incorrect",
    "incorrectly",
    "wrong",
    "wrongly",
    "unexpected",
    "unexpectedly",
    "regression",
    "segfault",
    "segfaults",
    "panics",
    "hangs",
    "leaks",
    "cannot",
    "doesn",
    "don",
    "didn",
    "isn",
    "aren",
    "won",
    "wasn",
    "shouldn",
    "couldn",
    "unable",
    "should",
    "instead",
    "ignored",
    "ignores",
    "inconsistent",
    "inconsistency",
    "loses",
    "lost",
    "stuck",
    "twice",
    "strange",
    "weird",
    "erroneously",
    "impossible",
    "truncated",
    "mangled",
    "mismatch",
    "not",
    "incomplete",
    "misses",
    "unnecessary",
    "violates",
    "problem",
    "issue",
    "throws",
    "raises",
    "never",
    "double",
];

/// Two words that tell the same.
const TELLING_PAIRS: [(&str, &str); 18] = [
    ("can", "t"),
    ("when", "using"),
    ("error", "when"),
    ("errors", "when"),
    ("exception", "when"),
    ("failure", "when"),
    ("false", "positive"),
    ("false", "positives"),
    ("false", "negative"),
    ("false", "negatives"),
    ("undefined", "method"),
    ("no", "longer"),
    ("out", "of"),
    ("even", "when"),
    ("even", "if"),
    ("results", "in"),
    ("error", "on"),
    ("errors", "on"),
];

/// How titles begin that ask for a change.
const REQUESTS: [&str; 9] =
    ["add", "adding", "allow", "support", "implement", "enable", "feature", "unable", "please"];

pub(super) fn is_told(text: &str) -> bool {
    let words = lowercase_words(text);
    let asks =
        text.split_whitespace().next().is_some_and(|first| ASKING.contains(&first.to_lowercase().as_str()));
    if words.len() < 3 || asks {
        return false;
    }
    let is_pair = |pair: &[String]| TELLING_PAIRS.contains(&(pair[0].as_str(), pair[1].as_str()));
    REQUESTS.contains(&words[0].as_str())
        || words.iter().any(|word| TELLING.contains(&word.as_str()))
        || words.windows(2).any(is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_issues_tell_of_defects_and_questions_do_not() {
        for title in [
            "Exponential backoff is not calculated right",
            "`tabIndex` attribute is set to \"0\" instead of being removed",
            "onInput and onChange doesn't work together since v10.5.0",
            "Can't chain generic object indexes",
            "Add support for bigint.",
            "Long file paths break header and it fails",
        ] {
            assert!(is_told(title), "{title}");
        }
        for question in [
            "how are errors handled",
            "where is it decided that a request should be retried",
            "error handling",
            "std::filesystem path formatting support",
            "HTTP exception types and error responses",
            "Request",
        ] {
            assert!(!is_told(question), "{question}");
        }
    }
}
