//! Extracts from a file that consists of parts in different languages.

use std::cmp::Reverse;
use std::ops::Range;

use vectorcode_core::{DefinitionKind, Import};

use super::{Entry, EntryRole, Extracted, extract, headings};
use crate::languages::{Language, Structure, Syntax, default_kernel};
use crate::lines::Lines;
use crate::parse::PartedText;
use crate::parts::{Part, PartKind, PartRole};

/// Everything extracted from all parts, in file order.
pub(crate) struct ExtractedParts {
    pub found: Extracted,
    /// Whether the parser gave up on a part.
    pub unparsed: bool,
}

pub(crate) fn extract_parts(lines: &Lines<'_>, parts: &[Part], wanted: &[String]) -> ExtractedParts {
    let mut text = PartedText::new(lines);
    for part in parts.iter().filter(|part| is_python_cell(part)) {
        part.ranges.iter().for_each(|range| text.hide_lines(range, is_magic));
    }
    let markdown: Vec<_> = parts
        .iter()
        .filter(|part| matches!(part.language.structure, Structure::Headings))
        .map(|part| lines.touched(&part.whole))
        .collect();
    let mut all = ExtractedParts { found: headings(lines, &markdown), unparsed: false };
    for part in parts {
        all.add(part, lines, &text, wanted);
    }
    all.found.sort();
    all
}

/// Notebook commands and shell commands are not Python.
fn is_magic(line: &str) -> bool {
    line.trim_start().starts_with(['%', '!', '?'])
}

fn is_python_cell(part: &Part) -> bool {
    part.role == PartRole::Item(PartKind::CodeCell) && part.language.name == default_kernel().name
}

impl ExtractedParts {
    fn add(&mut self, part: &Part, lines: &Lines<'_>, text: &PartedText<'_, '_>, wanted: &[String]) {
        let mut found = match part.language.structure {
            Structure::Tree(syntax) => self.extract_tree(part, syntax, lines, text, wanted),
            _ => Extracted::default(),
        };
        found.imports.extend(imports_of_text(part.language, lines, &part.whole));
        if let Some(path) = part.linked.clone().filter(|path| lines.text.get(path.clone()).is_some()) {
            found.imports.push(Import {
                specifier: lines.text[path.clone()].to_owned(),
                names: Vec::new(),
                line: lines.line_of(path.start) as u32 + 1,
                kind: "import".to_owned(),
            });
        }
        if let PartRole::Item(kind) = part.role {
            let item = item(kind.as_str(), part, &found, lines);
            found.outline.insert(0, item);
        }
        self.found.append(found);
    }

    fn extract_tree(
        &mut self,
        part: &Part,
        syntax: &Syntax,
        lines: &Lines<'_>,
        text: &PartedText<'_, '_>,
        wanted: &[String],
    ) -> Extracted {
        let Some(table) = syntax.table() else { return Extracted::default() };
        let read =
            text.with_tree(&part.ranges, table.grammar, |root| extract(root, lines, syntax, table, wanted));
        self.unparsed |= read.is_err();
        read.unwrap_or_default()
    }
}

/// The imports of a language without a grammar, if they can be found in its text.
pub(crate) fn imports_of_text(language: &Language, lines: &Lines<'_>, range: &Range<usize>) -> Vec<Import> {
    let Some(importer) = language.text_importer else { return Vec::new() };
    let Some(text) = lines.text.get(range.clone()) else { return Vec::new() };
    importer(text, lines.line_of(range.start) as u32 + 1)
}

/// The outline entry for a whole part. It is named after the function or class that makes up most of the part, if there is
/// one.
fn item(kind: &'static str, part: &Part, found: &Extracted, lines: &Lines<'_>) -> Entry {
    let extent = &part.whole;
    let kept = lines.text.get(extent.clone()).map_or(0, |inside| inside.trim_end().len());
    let is_most = |index: &usize| {
        let definition = &found.definitions[*index];
        let is_item = !matches!(
            definition.kind,
            DefinitionKind::Section
                | DefinitionKind::Variable
                | DefinitionKind::Constant
                | DefinitionKind::Field
        );
        is_item && definition.span.bytes().len() * 2 > kept
    };
    Entry {
        bytes: extent.start..extent.start + kept,
        kind,
        wrappers: [None; 2],
        definition: (0..found.definitions.len()).find(is_most).map(|index| index as u32),
        label: None,
        head: extent.start,
        body: None,
        role: EntryRole::Item,
        is_test: false,
    }
}

impl Extracted {
    /// Adds what was extracted from another part.
    fn append(&mut self, other: Self) {
        let shift = self.definitions.len() as u32;
        let moved = |index: Option<u32>| index.map(|index| index + shift);
        self.definitions.extend(other.definitions);
        self.imports.extend(other.imports);
        self.references.extend(other.references.into_iter().map(|mut reference| {
            reference.enclosing = moved(reference.enclosing);
            reference
        }));
        self.outline.extend(other.outline.into_iter().map(|mut entry| {
            entry.definition = moved(entry.definition);
            entry
        }));
    }

    /// Sorts everything into file order, with containers before their contents.
    fn sort(&mut self) {
        let mut order: Vec<u32> = (0..self.definitions.len() as u32).collect();
        order.sort_by_key(|index| {
            let span = self.definitions[*index as usize].span;
            (span.byte_start, Reverse(span.byte_end))
        });
        let mut places = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            places[*index as usize] = place as u32;
        }
        let moved = |index: &mut u32| *index = places[*index as usize];
        self.outline.iter_mut().filter_map(|entry| entry.definition.as_mut()).for_each(moved);
        self.references.iter_mut().filter_map(|reference| reference.enclosing.as_mut()).for_each(moved);
        self.outline.sort_by_key(|entry| (entry.bytes.start, Reverse(entry.bytes.end)));
        self.references.sort_by_key(|reference| reference.line);
        self.imports.sort_by_key(|import| import.line);
        let mut definitions: Vec<_> = self.definitions.drain(..).map(Some).collect();
        let sorted = order.iter().filter_map(|index| definitions[*index as usize].take());
        self.definitions = sorted.collect();
    }
}
