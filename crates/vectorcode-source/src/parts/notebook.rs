//! Jupyter notebooks: the sources of their cells, without the JSON around them.
//!
//! A notebook is converted to a text with as many lines as its file. The line of each string of a cell's source contains that
//! string, decoded; every other line (metadata, outputs, attachments) is blank. So a line number means the same line on disk,
//! and the text can be compared with the file by decoding the file again.
//!
//! Nearly all notebooks have at most one source line per line of the file. If a file has several on one line, as when it was
//! written without line breaks, they share a line of the text, separated by [`LINE_BREAK`].

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Part, PartKind, PartRole};
use crate::languages::{Language, Structure, by_any_name, by_name, by_path, default_kernel};
use crate::lines::Lines;

/// Represents a line break in a source if the file has no separate line for what follows.
const LINE_BREAK: char = '⏎';
/// A decoded notebook.
#[derive(Debug)]
pub(crate) struct Notebook {
    /// Has as many lines as the file.
    pub text: String,
    /// One part for each cell that is not blank.
    pub cells: Vec<Part>,
    /// Whether several source lines share a line of the file. Such sources cannot be parsed.
    pub is_dense: bool,
}

impl Notebook {
    /// Returns `None` for a text that is not the JSON of a notebook.
    pub fn read(json: &str) -> Option<Self> {
        let file: NotebookFile<'_> = serde_json::from_str(json).ok()?;
        let kernel = file.kernel_language().and_then(by_any_name).unwrap_or_else(default_kernel);
        let file_cells = file.into_cells()?;
        let view = View::of(json, &file_cells);
        let cells = file_cells.iter().zip(&view.cells);
        let cells = cells.filter_map(|(cell, range)| cell.part(&view.text, range.clone(), kernel)).collect();
        Some(Self { text: view.text, cells, is_dense: view.is_dense })
    }
}

/// The parts of a notebook that are parsed. The rest, such as outputs, is skipped.
#[derive(Deserialize)]
struct NotebookFile<'t> {
    #[serde(borrow)]
    cells: Option<Vec<Cell<'t>>>,
    /// Where version 3 of the format has its cells.
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'t>>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Worksheet<'t> {
    #[serde(borrow)]
    cells: Vec<Cell<'t>>,
}

#[derive(Deserialize)]
struct Cell<'t> {
    #[serde(default, rename = "cell_type")]
    kind: Value,
    #[serde(default)]
    language: Value,
    #[serde(default)]
    metadata: Value,
    /// A string or a list of strings, kept raw, because its position in the file decides which line it goes to. Version 3 of
    /// the format calls it `input`.
    #[serde(borrow, alias = "input")]
    source: Option<&'t RawValue>,
}

impl<'t> NotebookFile<'t> {
    fn kernel_language(&self) -> Option<&str> {
        let names = ["/kernelspec/language", "/language_info/name"];
        names.iter().find_map(|name| self.metadata.pointer(name)?.as_str())
    }

    /// `None` for JSON that has no list of cells.
    fn into_cells(self) -> Option<Vec<Cell<'t>>> {
        match self.cells {
            Some(cells) => Some(cells),
            None if self.worksheets.is_empty() => None,
            None => Some(self.worksheets.into_iter().flat_map(|sheet| sheet.cells).collect()),
        }
    }
}

impl<'t> Cell<'t> {
    /// The strings of the source, with their quotes.
    fn source_strings(&self) -> Vec<&'t str> {
        let Some(source) = self.source else { return Vec::new() };
        let strings: Vec<&RawValue> = serde_json::from_str(source.get()).unwrap_or_else(|_| vec![source]);
        strings.into_iter().map(RawValue::get).filter(|string| string.starts_with('"')).collect()
    }

    fn part(&self, text: &str, range: Range<usize>, kernel: &'static Language) -> Option<Part> {
        let source = &text[range.clone()];
        if source.trim().is_empty() {
            return None;
        }
        let (language, role) = match self.kind.as_str() {
            Some("markdown" | "heading") => (by_name("markdown"), PartRole::Code),
            Some("code") => {
                (Some(self.code_language(source).unwrap_or(kernel)), PartRole::Item(PartKind::CodeCell))
            }
            _ => (by_name("text"), PartRole::Item(PartKind::RawCell)),
        };
        let language = language.filter(|language| !has_parts(language)).or_else(|| by_name("text"))?;
        Some(Part { ranges: vec![range.clone()], whole: range, language, role, linked: None })
    }

    /// The language of this cell alone: from its metadata, or from a magic command on its first line such as `%%bash` or
    /// `%%writefile train.py`.
    fn code_language(&self, source: &str) -> Option<&'static Language> {
        let named = self.language.as_str().or_else(|| self.metadata.pointer("/vscode/languageId")?.as_str());
        let magic = || {
            let mut words = source.trim_start().strip_prefix("%%")?.lines().next()?.split_whitespace();
            match words.next()? {
                "writefile" | "file" => by_path(words.last()?),
                name => by_any_name(name),
            }
        };
        named.and_then(by_any_name).or_else(magic)
    }
}

/// Whether files of a language are themselves divided. Parts are not divided again.
fn has_parts(language: &Language) -> bool {
    matches!(language.structure, Structure::Component(_) | Structure::Notebook)
}

/// The text that is built from the sources, and the range of each cell in it.
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
            // The strings are slices of the file.
            let start = |string: &str| string.as_ptr().addr() - json.as_ptr().addr();
            let strings = cell.source_strings().into_iter();
            view.add_cell(strings.map(|string| (lines.line_of(start(string)), string)));
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
            self.add(&unescaped(string));
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

    /// Adds a string of a source. Only its final line break corresponds to a line of the file.
    fn add(&mut self, source: &str) {
        let line = source.strip_suffix('\n').unwrap_or(source);
        self.is_dense |= line.contains('\n');
        let shown = line.chars().filter(|c| *c != '\r').map(|c| if c == '\n' { LINE_BREAK } else { c });
        self.text.extend(shown);
    }
}

/// The value of a JSON string. A string with half of a surrogate pair has no value, and is kept as written.
fn unescaped(string: &str) -> String {
    serde_json::from_str(string).unwrap_or_else(|_| string.trim_matches('"').to_owned())
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
    }

    #[test]
    fn half_of_a_surrogate_pair_is_shown_as_it_is_written() {
        let json = r#"{"cells": [{"cell_type": "code", "source": ["a = '\ud83d'\n", "b", null, 3]}]}"#;
        assert_eq!(Notebook::read(json).unwrap().text, r"a = '\ud83d'\n⏎b");
    }
}
