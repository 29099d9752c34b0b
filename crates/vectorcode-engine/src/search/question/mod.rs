//! Splits a query into its parts: the title of a bug report, its prose, its code and its stack traces.
//!
//! People search with a sentence, and they paste whole bug reports. Each part of a report contributes something
//! different: the title says what it is about, the trace names files, the code shows names, and a third of the text
//! comes from the project's issue template. A one-line query is a title and nothing else.

mod blocks;
mod frames;
mod functions;
mod mentions;
mod messages;
mod paste;
mod paths;
mod template;

use self::blocks::{Block, Blocks};
pub(crate) use self::mentions::{Mention, MentionKind, OTHER_FILE, PathParts, Place};
use self::template::Template;

/// A single line with more words than this is pasted text, not a question.
const MAX_QUESTION_WORDS: usize = 40;

/// A query in parts. Missing parts are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// The first line; the whole of a one-line query.
    pub title: String,
    /// Sentences after the title, without text from a template.
    pub prose: String,
    /// Code blocks and the output of programs.
    pub code: String,
    /// Lines of stack traces, innermost first.
    pub trace: Vec<Frame>,
}

/// A line of a stack trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub line: String,
    /// Possible names of its function from the neighbouring lines: Go and Rust write the function on the line before
    /// the place.
    pub functions: Vec<String>,
}

impl Question {
    pub fn read(text: &str) -> Self {
        let text = paste::restored(text.trim());
        let (title, rest) = title_and_rest(&text);
        let mut question = Self { title: template::without_tag(title).to_owned(), ..Self::default() };
        let mut template = Template::default();
        let mut frames = Frames::default();
        let lines: Vec<(Block, &str)> = Blocks::of(rest).collect();
        for (place, (block, line)) in lines.iter().enumerate() {
            frames.pass(line);
            if !template.admits(*block, line) {
                continue;
            }
            let part = match block {
                Block::Prose => &mut question.prose,
                Block::Code => &mut question.code,
                Block::Trace => {
                    let before = place.checked_sub(1).map_or(title, |place| lines[place].1);
                    let after = lines.get(place + 1).map_or("", |(_, line)| line);
                    frames.add(line, before, after);
                    continue;
                }
            };
            part.push_str(line);
            part.push('\n');
        }
        question.trace = frames.innermost_first;
        question
    }

    /// The lines of the stack traces.
    pub fn trace_text(&self) -> String {
        let lines: Vec<&str> = self.trace.iter().map(|frame| frame.line.as_str()).collect();
        lines.join("\n")
    }

    /// Whether there is more than a title.
    pub fn is_report(&self) -> bool {
        !self.trace.is_empty() || [&self.prose, &self.code].iter().any(|part| !part.trim().is_empty())
    }

    /// The whole text without boilerplate. Title and prose come first, because an encoder reads only the beginning.
    pub fn text(&self) -> String {
        let trace = self.trace_text();
        let parts = [&self.title, &self.prose, &trace, &self.code];
        let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
        parts.join("\n")
    }

    /// The files and modules it mentions, without duplicates.
    pub fn mentions(&self) -> Vec<Mention> {
        mentions::of(self)
    }

    /// Its sentences, and the lines of its code and traces that mention errors.
    pub fn sayings(&self) -> String {
        messages::sayings(self)
    }
}

/// Frames in the order of their depth, which is not always the order of the lines.
#[derive(Default)]
struct Frames {
    innermost_first: Vec<Frame>,
    /// Where the next frame is inserted, unless the trace lists the most recent call last.
    next: usize,
}

impl Frames {
    /// The frames after "Caused by" are deeper than those before it.
    fn pass(&mut self, line: &str) {
        if line.trim_start().starts_with("Caused by") {
            self.next = 0;
        }
    }

    fn add(&mut self, line: &str, before: &str, after: &str) {
        let line = frames::frame_in(line).unwrap_or(line);
        let frame = Frame { line: line.to_owned(), functions: functions::beside(line, before, after) };
        let place = if frames::has_deeper_below(line) { 0 } else { self.next };
        self.innermost_first.insert(place, frame);
        self.next += 1;
    }
}

/// The first line and the rest. A long single line is split after its first sentence.
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
        assert_eq!(question.trace_text(), "at src/router.rs:12:5");
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
            assert!(question.text().len() <= 2 * paste::MAX_BYTES);
            assert!(question.mentions().len() < 150);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_without_harm(
            text in "(\\PC|\n|\u{a0}|\u{1b}\\[|│ |❯ |\\\\n|://|`{3}|<!--|-->|\\[x\\]|File \"|at | in |@|0x|:[0-9]{1,3}|\\.rs|[#*/\\\\()<>? ]){0,120}",
        ) {
            let question = Question::read(&text);
            let _ = (question.mentions(), question.sayings());
            let parts = [&question.title, &question.prose, &question.code, &question.trace_text()];
            let kept: usize = parts.iter().map(|part| part.len()).sum();
            prop_assert!(kept <= text.len() + 4 * text.lines().count() + 4);
        }
    }
}
