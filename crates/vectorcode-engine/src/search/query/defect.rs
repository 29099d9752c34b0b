//! Recognises a short query that describes a defect or asks for a change, as titles of issues do. Its answer is the code to change.

use vectorcode_core::words::lowercase_words;

/// The first words of queries that ask where or how something is done, whatever follows: "how are errors handled".
const QUESTION_STARTS: &str = "how what where which who when why find show list explain does is are";

/// The first words of titles that ask for a change.
const REQUEST_STARTS: &str = "add adding allow enable feature implement please support unable";

/// Words of defects, which rarely name a feature. `doesn` is what the word splitter makes of "doesn't".
const DEFECT_WORDS: &str = "\
    aren breaks broken bug bugs cannot couldn crash crashed crashes crashing didn doesn don double \
    erroneously failed failing fails hangs ignored ignores impossible incomplete inconsistency \
    inconsistent incorrect incorrectly instead isn issue leaks loses lost mangled mismatch misses never \
    not panics problem raises regression segfault segfaults should shouldn strange stuck throws \
    truncated twice unable unexpected unexpectedly unnecessary violates wasn weird won wrong wrongly";

/// Two words that only together describe a defect.
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
