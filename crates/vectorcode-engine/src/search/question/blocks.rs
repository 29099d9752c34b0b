//! Splits Markdown text into lines, each with the kind of block that it belongs to. HTML comments are skipped.

use super::frames;

/// The kind of block that a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Prose,
    Code,
    Trace,
}

/// Iterates over the lines of a text.
pub(super) struct Blocks<'t> {
    lines: std::str::Lines<'t>,
    /// The characters that close the open code block.
    fence: Option<&'t str>,
    in_comment: bool,
    /// How many comments still end after this line; a comment that never ends is treated as text.
    closings_left: usize,
    /// The previous line was blank or indented code, so an indented line is code.
    may_indent: bool,
}

impl<'t> Blocks<'t> {
    pub fn of(text: &'t str) -> Self {
        let closings_left = text.matches("-->").count();
        Self { lines: text.lines(), fence: None, in_comment: false, closings_left, may_indent: true }
    }

    fn classify(&mut self, line: &'t str) -> Option<(Block, &'t str)> {
        let trimmed = line.trim();
        if let Some(fence) = self.fence {
            if trimmed.starts_with(fence) && trimmed.trim_start_matches(&fence[..1]).is_empty() {
                self.fence = None;
                return None;
            }
            return Some((code_or_trace(trimmed), line));
        }
        let line = self.outside_comment(line)?;
        let trimmed = line.trim();
        if let Some(fence) = opened_fence(trimmed) {
            self.fence = Some(fence);
            return None;
        }
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        let is_code = is_indented && self.may_indent && !is_list_item(trimmed);
        self.may_indent = trimmed.is_empty() || is_code;
        if trimmed.is_empty() || is_tag(trimmed) {
            return None;
        }
        let block = if frames::frame_in(trimmed).is_some() {
            Block::Trace
        } else if is_code {
            Block::Code
        } else {
            Block::Prose
        };
        Some((block, trimmed))
    }

    /// The part of a line outside `<!-- -->`; if there is text before and after a comment, the longer one.
    fn outside_comment(&mut self, line: &'t str) -> Option<&'t str> {
        let mut kept = "";
        let mut rest = line;
        loop {
            if self.in_comment {
                let (_, after) = rest.split_once("-->")?;
                self.closings_left -= 1;
                (rest, self.in_comment) = (after, false);
            }
            match rest.split_once("<!--") {
                Some((before, after)) if self.closings_left > 0 => {
                    kept = longer(kept, before);
                    (rest, self.in_comment) = (after, true);
                }
                _ => {
                    let last = longer(kept, rest);
                    let is_whole = last.len() == line.len();
                    self.closings_left -= rest.matches("-->").count().min(self.closings_left);
                    return (is_whole || !last.trim().is_empty()).then_some(last);
                }
            }
        }
    }
}

impl<'t> Iterator for Blocks<'t> {
    type Item = (Block, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.lines.next()?;
            if let Some(found) = self.classify(line) {
                return Some(found);
            }
        }
    }
}

fn longer<'t>(left: &'t str, right: &'t str) -> &'t str {
    if right.trim().len() > left.trim().len() { right } else { left }
}

fn code_or_trace(line: &str) -> Block {
    if frames::frame_in(line).is_some() { Block::Trace } else { Block::Code }
}

/// The fence that a line opens: three or more backticks or tildes.
fn opened_fence(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    // A line such as "```x```" is inline code.
    (length >= 3 && !line[length..].contains("```")).then(|| &line[..length])
}

fn is_list_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || (number.len() < line.len() && number.starts_with(". "))
}

/// Whether a line is only HTML tags or an image: `<details>`, `<summary>Logs</summary>`.
fn is_tag(line: &str) -> bool {
    const TAGS: [&str; 9] =
        ["<details", "</details", "<summary", "</summary", "<img", "<br", "<p>", "</p>", "!["];
    TAGS.iter().any(|tag| line.starts_with(tag)) && line.ends_with(['>', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(Block, &str)> {
        Blocks::of(text).collect()
    }

    #[test]
    fn fences_and_indentation_are_code() {
        let text = "prose\n```js\nlet a = 1;\n```\nmore\n\n    indented()\n\n- item\n    still the item\n~~~~\n```\n~~~~\n";
        let expected = [
            (Block::Prose, "prose"),
            (Block::Code, "let a = 1;"),
            (Block::Prose, "more"),
            (Block::Code, "indented()"),
            (Block::Prose, "- item"),
            (Block::Prose, "still the item"),
            (Block::Code, "```"),
        ];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn comments_are_left_out_unless_they_never_end() {
        assert_eq!(blocks("<!-- a\nb\nc -->\nkept <!-- d --> x"), [(Block::Prose, "kept")]);
        assert_eq!(blocks("kept\n<!-- never closed\nkept too").len(), 3);
        assert_eq!(blocks("```html\n<!-- code -->\n```"), [(Block::Code, "<!-- code -->")]);
    }

    #[test]
    fn frames_are_traces_wherever_they_are() {
        let text = "```\nTypeError: x\n    at run (/app/lib/run.js:3:9)\n```\nat org.a.B.c(B.java:8)";
        let kinds: Vec<Block> = blocks(text).into_iter().map(|(block, _)| block).collect();
        assert_eq!(kinds, [Block::Code, Block::Trace, Block::Trace]);
    }
}
