//! Recognises short queries that describe a defect or ask for a change, as titles of issues do. Their answer is the code to
//! change rather than what they name, so their weights differ from those of other short queries (`*_OF_DEFECT` in `weights.rs`).

use vectorcode_core::words::lowercase_words;

/// First words of questions about existing code. Such a query never describes a defect, whatever follows: "how are errors
/// handled".
const QUESTION_STARTS: &str = "how what where which who when why find show list explain does is are";

/// First words of titles that ask for a change.
const REQUEST_STARTS: &str = "add adding allow enable feature implement please support unable";

/// Words that describe a defect and are rarely part of a feature. "error" is not one of them, because of "error handling".
/// `doesn` is what the word splitter makes of "doesn't". Collected from the titles of issues that the weights are fitted on.
const DEFECT_WORDS: &str = "\
    aren breaks broken bug bugs cannot couldn crash crashed crashes crashing didn doesn don double \
    erroneously failed failing fails hangs ignored ignores impossible incomplete inconsistency \
    inconsistent incorrect incorrectly instead isn issue leaks loses lost mangled mismatch misses never \
    not panics problem raises regression segfault segfaults should shouldn strange stuck throws \
    truncated twice unable unexpected unexpectedly unnecessary violates wasn weird won wrong wrongly";

/// Pairs of adjacent words that describe a defect only together. ("can", "t") is what the word splitter makes of "can't".
const DEFECT_PAIRS: [(&str, &str); 18] = [
    ("can", "t"),
    ("error", "on"),
    ("error", "when"),
    ("errors", "on"),
    ("errors", "when"),
    ("even", "if"),
    ("even", "when"),
    ("exception", "when"),
    ("failure", "when"),
    ("false", "negative"),
    ("false", "negatives"),
    ("false", "positive"),
    ("false", "positives"),
    ("no", "longer"),
    ("out", "of"),
    ("results", "in"),
    ("undefined", "method"),
    ("when", "using"),
];

/// Whether this short query describes a defect or asks for a change. Queries of one or two words never do.
pub(super) fn is_described(text: &str) -> bool {
    let words = lowercase_words(text);
    let is_question =
        text.split_whitespace().next().is_some_and(|first| is_in(QUESTION_STARTS, &first.to_lowercase()));
    if words.len() < 3 || is_question {
        return false;
    }
    let is_pair = |pair: &[String]| DEFECT_PAIRS.contains(&(pair[0].as_str(), pair[1].as_str()));
    is_in(REQUEST_STARTS, &words[0])
        || words.iter().any(|word| is_in(DEFECT_WORDS, word))
        || words.windows(2).any(is_pair)
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_issues_describe_defects_and_questions_do_not() {
        for title in [
            "Exponential backoff is not calculated right",
            "`tabIndex` attribute is set to \"0\" instead of being removed",
            "onInput and onChange doesn't work together since v10.5.0",
            "Can't chain generic object indexes",
            "Add support for bigint.",
            "Long file paths break header and it fails",
        ] {
            assert!(is_described(title), "{title}");
        }
        for question in [
            "how are errors handled",
            "where is it decided that a request should be retried",
            "error handling",
            "std::filesystem path formatting support",
            "HTTP exception types and error responses",
            "Request",
        ] {
            assert!(!is_described(question), "{question}");
        }
    }
}
