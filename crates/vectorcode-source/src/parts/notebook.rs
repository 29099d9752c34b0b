//! Jupyter notebooks: the sources of their cells, without the JSON around them.
//!
//! A notebook is shown as a text with as many lines as its file, in which the line of each string of a cell's source
//! holds that string, decoded, and every other line (metadata, outputs, attachments) is blank. So a line number means the
//! same line on disk, and what is shown can be compared with the file by decoding it again.
//!
//! Nearly all notebooks have one line of source on each line of the file. Where a file has several, as one that was
//! written without line breaks, they share a line of the text, with [`LINE_BREAK`] between them.

use std::ops::Range;

use super::{Part, PartKind, PartRole};
use crate::languages::{Language, Structure, by_any_name, by_name, by_path, default_kernel};
use crate::lines::Lines;

/// Stands for a line break in a source that has no line of the file for its next line.
const LINE_BREAK: char = '⏎';
/// Deeper JSON is not a notebook.
const MAX_DEPTH: usize = 100;

/// A decoded notebook.
#[derive(Debug)]
pub(crate) struct Notebook {
    /// As many lines as the file.
    pub text: String,
    /// One for each cell that is not blank.
    pub cells: Vec<Part>,
    /// Whether lines of source share a line of the file. Such sources cannot be parsed.
    pub is_dense: bool,
}

impl Notebook {
    /// Returns `None` for a text that is not the JSON of a notebook.
    pub fn read(json: &str) -> Option<Self> {
        let mut reader = Reader::default();
        scan(json, &mut reader)?;
        let kernel = reader.kernel_language.and_then(by_any_name).unwrap_or_else(default_kernel);
        let view = View::of(json, &reader.cells);
        let cells = reader.cells.iter().zip(&view.cells);
        let parts = cells.filter_map(|(cell, range)| cell.part(&view.text, range.clone(), kernel)).collect();
        reader.has_cells.then_some(Self { text: view.text, cells: parts, is_dense: view.is_dense })
    }
}

/// A cell as it is in the file.
#[derive(Debug, Default)]
struct Cell<'t> {
    kind: &'t str,
    language: Option<&'t str>,
    /// The strings of its source, with their quotes.
    source: Vec<Range<usize>>,
}

impl Cell<'_> {
    fn part(&self, text: &str, range: Range<usize>, kernel: &'static Language) -> Option<Part> {
        let source = &text[range.clone()];
        if source.trim().is_empty() {
            return None;
        }
        let (language, role) = match self.kind {
            "markdown" | "heading" => (by_name("markdown"), PartRole::Code),
            "code" => {
                (Some(self.code_language(source).unwrap_or(kernel)), PartRole::Item(PartKind::CodeCell))
            }
            _ => (by_name("text"), PartRole::Item(PartKind::RawCell)),
        };
        let language = language.filter(|language| !has_parts(language)).or_else(|| by_name("text"))?;
        Some(Part { ranges: vec![range.clone()], whole: range, language, role, linked: None })
    }

    /// The language of this cell alone: by its metadata, or by a magic command on its first line such as `%%bash` or
    /// `%%writefile train.py`.
    fn code_language(&self, source: &str) -> Option<&'static Language> {
        let magic = || {
            let mut words = source.trim_start().strip_prefix("%%")?.lines().next()?.split_whitespace();
            match words.next()? {
                "writefile" | "file" => by_path(words.last()?),
                name => by_any_name(name),
            }
        };
        self.language.and_then(by_any_name).or_else(magic)
    }
}

/// Parts are not divided again.
fn has_parts(language: &Language) -> bool {
    matches!(language.structure, Structure::Component(_) | Structure::Notebook)
}

/// Collects what a notebook says of its cells.
#[derive(Debug, Default)]
struct Reader<'t> {
    cells: Vec<Cell<'t>>,
    has_cells: bool,
    kernel_language: Option<&'t str>,
}

impl<'t> Reader<'t> {
    /// An object or array opens at this path.
    fn open(&mut self, path: &[&str]) {
        match cell_path(path) {
            ["cells"] => self.has_cells = true,
            ["cells", ELEMENT] => self.cells.push(Cell::default()),
            _ => {}
        }
    }

    /// A string is at this path. `range` is with its quotes.
    fn string(&mut self, path: &[&str], value: &'t str, range: Range<usize>) {
        if let ["metadata", "kernelspec", "language"] | ["metadata", "language_info", "name"] = path {
            self.kernel_language = Some(value);
        }
        let ["cells", ELEMENT, inside @ ..] = cell_path(path) else { return };
        let Some(cell) = self.cells.last_mut() else { return };
        match inside {
            ["cell_type"] => cell.kind = value,
            ["language"] | ["metadata", "vscode", "languageId"] => cell.language = Some(value),
            // Version 3 of the format calls it `input`.
            ["source" | "input"] | ["source" | "input", ELEMENT] => cell.source.push(range),
            _ => {}
        }
    }
}

/// Version 3 of the format has cells in worksheets.
fn cell_path<'p, 't>(path: &'p [&'t str]) -> &'p [&'t str] {
    path.strip_prefix(&["worksheets", ELEMENT]).unwrap_or(path)
}

/// The elements of an array in a path.
const ELEMENT: &str = "[]";

/// Reads JSON without building it. A loop and not a recursion, and lenient about commas: what is read is looked up by
/// its path and nothing else. Returns `None` for text that is not JSON.
fn scan<'t>(json: &'t str, reader: &mut Reader<'t>) -> Option<()> {
    let bytes = json.as_bytes();
    // For each open object its current key, for each open array `ELEMENT`.
    let mut path: Vec<&'t str> = Vec::new();
    let mut is_value = true;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' if path.len() < MAX_DEPTH => {
                reader.open(&path);
                is_value = *byte == b'[';
                path.push(if is_value { ELEMENT } else { "" });
            }
            b'}' | b']' => {
                let is_array = path.pop()? == ELEMENT;
                if is_array != (*byte == b']') || (path.is_empty() && !is_blank(&json[at + 1..])) {
                    return None;
                }
                is_value = true;
            }
            b'"' => {
                let range = at..string_end(bytes, at)?;
                let value = &json[range.start + 1..range.end - 1];
                at = range.end - 1;
                if is_value {
                    reader.string(&path, value, range);
                } else {
                    // `[]` as a key would be taken for an array.
                    *path.last_mut()? = if value == ELEMENT { "" } else { value };
                }
            }
            b':' => is_value = true,
            b',' => is_value = path.last() == Some(&ELEMENT),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.') => {}
            _ => return None,
        }
        at += 1;
    }
    path.is_empty().then_some(())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The end of the string whose quote is at `start`, after its closing quote.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The text that is made of the sources, and where each cell is in it.
#[derive(Default)]
struct View {
    text: String,
    /// Number of line breaks in `text`.
    line: usize,
    cells: Vec<Range<usize>>,
    is_dense: bool,
}

impl View {
    fn of(json: &str, cells: &[Cell<'_>]) -> Self {
        let lines = Lines::new(json);
        let mut view = Self::default();
        for cell in cells {
            let strings = cell.source.iter().map(|range| (lines.line_of(range.start), &json[range.clone()]));
            view.add_cell(strings);
        }
        view.go_to(json.matches('\n').count());
        view
    }

    fn add_cell<'t>(&mut self, strings: impl Iterator<Item = (usize, &'t str)>) {
        let mut start = None;
        for (line, string) in strings {
            self.go_to(line);
            let continues = !self.text.is_empty() && !self.text.ends_with('\n');
            if continues {
                self.is_dense = true;
                self.text.push(LINE_BREAK);
            }
            start = start.or(Some(self.text.len()));
            self.add(&unescaped(&string[1..string.len() - 1]));
        }
        let end = self.text.len();
        self.cells.push(start.unwrap_or(end)..end);
    }

    fn go_to(&mut self, line: usize) {
        for _ in self.line..line {
            self.text.push('\n');
        }
        self.line = self.line.max(line);
    }

    /// Adds a string of a source, of which only the last line break has a line of the file.
    fn add(&mut self, source: &str) {
        let line = source.strip_suffix('\n').unwrap_or(source);
        self.is_dense |= line.contains('\n');
        let shown = line.chars().filter(|c| *c != '\r').map(|c| if c == '\n' { LINE_BREAK } else { c });
        self.text.extend(shown);
    }
}

/// The value of a JSON string, given without its quotes. What is no valid escape becomes `U+FFFD`.
fn unescaped(string: &str) -> String {
    let mut out = String::with_capacity(string.len());
    let mut rest = string;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let (value, length) = match escape.as_bytes().first() {
            Some(b'n') => ('\n', 1),
            Some(b't') => ('\t', 1),
            Some(b'r') => ('\r', 1),
            Some(b'b' | b'f') => (' ', 1),
            Some(b'u') => unicode_escape(escape),
            Some(byte @ (b'"' | b'\\' | b'/')) => (char::from(*byte), 1),
            _ => (char::REPLACEMENT_CHARACTER, 0),
        };
        out.push(value);
        rest = &escape[length..];
    }
    out.push_str(rest);
    out
}

/// The character of `u00e9`, or of a pair such as `ud83d\ude00`, and the length of the escape.
fn unicode_escape(escape: &str) -> (char, usize) {
    let unit = |at: usize| u32::from_str_radix(escape.get(at..at + 4)?, 16).ok();
    let Some(first) = unit(1) else { return (char::REPLACEMENT_CHARACTER, 1) };
    let is_pair = (0xD800..0xDC00).contains(&first) && escape.get(5..7) == Some("\\u");
    let second = unit(7).filter(|second| is_pair && (0xDC00..0xE000).contains(second));
    match second {
        Some(second) => {
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 11)
        }
        None => (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(notebook: &Notebook) -> Vec<(&'static str, &str)> {
        let shown = |cell: &Part| (cell.language.name, &notebook.text[cell.whole.clone()]);
        notebook.cells.iter().map(shown).collect()
    }

    #[test]
    fn sources_are_on_the_lines_of_the_file_and_outputs_are_left_out() {
        let json = r##"{
 "cells": [
  {"cell_type": "markdown", "source": [
    "# Title\n",
    "some *text*"
  ]},
  {"cell_type": "code",
   "outputs": [{"text": ["out\n"], "data": {"image/png": "aGVsbG8="}}],
   "source": [
    "print(\"\u00e9 \ud83d\ude00\")\n",
    "x = 1\n"
   ]}
 ],
 "metadata": {"kernelspec": {"language": "python"}}
}"##;
        let notebook = Notebook::read(json).unwrap();
        assert_eq!(notebook.text.matches('\n').count(), json.matches('\n').count());
        assert_eq!(notebook.text.lines().nth(3), Some("# Title"));
        assert_eq!(notebook.text.lines().nth(9), Some("print(\"é 😀\")"));
        assert_eq!(
            cells(&notebook),
            [("markdown", "# Title\nsome *text*"), ("python", "print(\"é 😀\")\nx = 1")]
        );
        assert!(!notebook.is_dense);
    }

    #[test]
    fn a_notebook_on_one_line_has_its_cells_on_one_line() {
        let json =
            r#"{"cells":[{"source":"a = 1\nb = 2","cell_type":"code"},{"cell_type":"raw","source":["x"]}]}"#;
        let notebook = Notebook::read(json).unwrap();
        assert!(notebook.is_dense);
        assert_eq!(notebook.text, "a = 1⏎b = 2⏎x");
        assert_eq!(cells(&notebook), [("python", "a = 1⏎b = 2"), ("text", "x")]);
    }

    #[test]
    fn the_language_is_that_of_the_kernel_unless_the_cell_says_otherwise() {
        let json = r#"{"metadata": {"language_info": {"name": "R"}}, "cells": [
          {"cell_type": "code", "source": ["f <- 1"]},
          {"cell_type": "code", "source": ["%%bash\n"]},
          {"cell_type": "code", "source": ["%%writefile src/train.py\n"]},
          {"cell_type": "code", "metadata": {"vscode": {"languageId": "javascript"}}, "source": ["x"]}]}"#;
        let notebook = Notebook::read(json).unwrap();
        let languages: Vec<_> = notebook.cells.iter().map(|cell| cell.language.name).collect();
        assert_eq!(languages, ["r", "bash", "python", "javascript"]);
    }

    #[test]
    fn worksheets_of_version_3_are_read() {
        let json = r#"{"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1"], "language": "python"}]}]}"#;
        assert_eq!(cells(&Notebook::read(json).unwrap()), [("python", "x = 1")]);
    }

    #[test]
    fn other_text_is_no_notebook() {
        let deep = "[".repeat(100_000);
        for json in
            ["", "{", "{}", "[]", "{\"cells\": [}", "{\"cells\": \"", "<html>", &deep, "{\"cells\": []} x"]
        {
            assert!(Notebook::read(json).is_none(), "{}", &json[..json.len().min(40)]);
        }
        assert!(Notebook::read("{\"cells\": []}").is_some());
        assert_eq!(unescaped("a\\"), "a\u{fffd}");
        assert_eq!(unescaped("\\ud83d \\u12"), "\u{fffd} \u{fffd}12");
    }
}
