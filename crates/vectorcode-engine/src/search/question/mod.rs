//! A question, cut into its parts: the title of a bug report, its prose, its code and its stack traces.
//!
//! People search with a sentence, and they paste whole bug reports. Of a report, each part tells something else: the title
//! says what it is about, the trace names files, the code shows names, and a third of the text belongs to the project's
//! issue template. A question of one line is its title and nothing else.

mod blocks;
mod frames;
mod mentions;
mod messages;
mod template;

use self::blocks::{Block, Blocks};
pub(crate) use self::mentions::{Mention, MentionKind, PathParts, Place};
use self::template::Template;

/// A longer text is cut: what a report is about stands at its beginning, and logs of megabytes follow.
const MAX_BYTES: usize = 64 * 1024;
/// A single line with more words than this is a pasted text, not a question.
const MAX_QUESTION_WORDS: usize = 40;

/// A question in parts. Those that it does not have are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The first line; all of a question that has one line.
    pub title: String,
    /// Sentences after the title, without what a template added.
    pub prose: String,
    /// Code blocks and the output of programs.
    pub code: String,
    /// Lines of stack traces.
    pub trace: String,
    /// The function that each of them names.
    pub functions: Vec<Option<String>>,
}

impl Question {
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        let text = &text[..text.floor_char_boundary(MAX_BYTES)];
        let (title, rest) = title_and_rest(text);
        let mut question = Self { title: template::without_tag(title).to_owned(), ..Self::default() };
        let mut template = Template::default();
        let mut line_before = "";
        for (block, line) in Blocks::of(rest) {
            let before = std::mem::replace(&mut line_before, line);
            if !template.admits(block, line) {
                continue;
            }
            if block == Block::Trace {
                question.functions.push(frames::function(line.trim(), before).map(str::to_owned));
            }
            let part = match block {
                Block::Prose => &mut question.prose,
                Block::Code => &mut question.code,
                Block::Trace => &mut question.trace,
            };
            part.push_str(line);
            part.push('\n');
        }
        question
    }

    /// Whether there is more than a title.
    pub fn is_report(&self) -> bool {
        [&self.prose, &self.code, &self.trace].iter().any(|part| !part.trim().is_empty())
    }

    /// All of it without boilerplate. Title and prose come first, because an encoder reads only the beginning.
    pub fn text(&self) -> String {
        let parts = [&self.title, &self.prose, &self.trace, &self.code];
        let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    }

    /// The files and modules that it names, each once.
    pub fn mentions(&self) -> Vec<Mention> {
        mentions::of(self)
    }

    /// Messages of errors, as the code that raises them may hold them.
    pub fn messages(&self) -> Vec<String> {
        messages::of(self)
    }
}

/// The first line and the others. A long text of one line is cut after its first sentence.
fn title_and_rest(text: &str) -> (&str, &str) {
    if let Some((title, rest)) = text.split_once('\n') {
        return (title.trim(), rest);
    }
    if text.split_whitespace().nth(MAX_QUESTION_WORDS).is_none() {
        return (text, "");
    }
    match text.split_once(". ") {
        Some((title, rest)) => (title, rest),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REPORT: &str = "[Bug]: `Router.match` loops for ever\n<!-- Please\n fill in -->\n### Describe the bug\n\nA nested route is \
        matched again.\n\n- [x] I searched\n\n```rust\nlet app = Router::new();\n```\n\n### Stack trace\n\n    at \
        src/router.rs:12:5\n\n### Environment\n\nOS: Linux\nRust 1.80\n\n### Additional context\n_No response_\n";

    #[test]
    fn a_report_is_cut_into_its_parts_and_loses_its_template() {
        let question = Question::read(REPORT);
        assert_eq!(question.title, "`Router.match` loops for ever");
        assert_eq!(question.prose.trim(), "A nested route is matched again.");
        assert_eq!(question.code.trim(), "let app = Router::new();");
        assert_eq!(question.trace.trim(), "at src/router.rs:12:5");
    }

    #[test]
    fn a_question_of_one_line_is_its_title() {
        for text in
            ["how are routes matched?", "Environment: which variables are read", "### Describe the bug"]
        {
            let question = Question::read(text);
            assert_eq!((question.title.as_str(), question.is_report()), (text, false));
        }
    }

    #[test]
    fn a_pasted_paragraph_has_a_title_too() {
        let text = format!("The cache is never emptied. It grows {}", "and grows ".repeat(40));
        let question = Question::read(&text);
        assert_eq!(question.title, "The cache is never emptied");
        assert!(question.is_report());
    }

    #[test]
    fn a_megabyte_is_read_in_bounded_time_and_space() {
        let hostile =
            ["<!-- ", "```\n", "a/b.rs:1 ", "at x(y.java:1)\n", "- [x] \n", "é", "::", "File \"", "<"];
        for text in hostile {
            let question = Question::read(&text.repeat(1_000_000 / text.len()));
            assert!(question.text().len() <= 2 * MAX_BYTES);
            assert!(question.mentions().len() < 100 && question.messages().len() < 100);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_without_harm(
            text in "(\\PC|\n|`{3}|<!--|-->|\\[x\\]|File \"|at |:[0-9]{1,3}|\\.rs|[#*/\\\\() ]){0,120}",
        ) {
            let question = Question::read(&text);
            let _ = (question.mentions(), question.messages());
            let kept: usize = [&question.title, &question.prose, &question.code, &question.trace].iter().map(|part| part.len()).sum();
            prop_assert!(kept <= text.len() + 4 * text.lines().count() + 4);
        }
    }
}
