//! The outline of a Markdown file. Each heading is one entry, which ends at the next heading of any level.

use std::ops::Range;

use vectorcode_core::{Definition, DefinitionKind};

use super::{Entry, EntryRole, Extracted};
use crate::lines::Lines;

/// Separator between the headings of a qualified name.
const SEPARATOR: &str = " > ";

/// Extracts the headings of a text.
pub(crate) fn headings<'t>(lines: &Lines<'t>) -> Extracted<'t> {
    let found = find(lines);
    let mut extracted = Extracted::default();
    let mut path: Vec<(usize, &str)> = Vec::new();
    let first = found.first().map_or(lines.count(), |heading| heading.line);
    extracted.outline.extend(lines.trim(0..first).map(|before| entry(lines, before, None)));
    for (index, heading) in found.iter().enumerate() {
        let end = found.get(index + 1).map_or(lines.count(), |next| next.line);
        path.truncate(path.iter().take_while(|(level, _)| *level < heading.level).count());
        path.push((heading.level, heading.title));
        let section = lines.trim(heading.line..end).unwrap_or(heading.line..end);
        let entry = entry(lines, section, Some(index as u32));
        extracted.definitions.push(Definition {
            name: heading.title.to_owned(),
            qualified: path.iter().map(|(_, title)| *title).collect::<Vec<_>>().join(SEPARATOR),
            kind: DefinitionKind::Section,
            signature: lines.line(heading.line).trim().to_owned(),
            span: lines.span(&entry.bytes),
            name_line: heading.line as u32 + 1,
        });
        extracted.outline.push(entry);
    }
    extracted
}

fn entry<'t>(lines: &Lines<'t>, section: Range<usize>, definition: Option<u32>) -> Entry<'t> {
    let start = lines.start(section.start);
    Entry {
        bytes: start..start + lines.len(&section),
        kind: "section",
        definition,
        label: None,
        head: start,
        body: None,
        role: EntryRole::Item,
        is_test: false,
    }
}

struct Heading<'t> {
    line: usize,
    level: usize,
    title: &'t str,
}

/// Finds all headings outside code fences and front matter.
fn find<'t>(lines: &Lines<'t>) -> Vec<Heading<'t>> {
    let mut headings: Vec<Heading<'t>> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in front_matter_end(lines)..lines.count() {
        let content = lines.line(line).trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| content.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => headings.extend(heading(lines, line, content)),
            _ => {}
        }
    }
    headings
}

/// The line after the `---` block at the start of the file, or 0 without one.
fn front_matter_end(lines: &Lines<'_>) -> usize {
    if lines.count() == 0 || lines.line(0).trim_end() != "---" {
        return 0;
    }
    (1..lines.count()).find(|line| lines.line(*line).trim_end() == "---").map_or(0, |line| line + 1)
}

/// Parses `# Title`, or a title underlined with `===` or `---` on the next line.
fn heading<'t>(lines: &Lines<'t>, line: usize, content: &'t str) -> Option<Heading<'t>> {
    let hashes = content.len() - content.trim_start_matches('#').len();
    if hashes > 0 {
        let title = content[hashes..].trim_end_matches('#').trim();
        let is_heading = hashes <= 6 && content[hashes..].starts_with([' ', '\t']) && !title.is_empty();
        return is_heading.then_some(Heading { line, level: hashes, title });
    }
    let next = if line + 1 < lines.count() { lines.line(line + 1).trim() } else { "" };
    let underlined = |mark: char| next.len() >= 3 && next.chars().all(|c| c == mark);
    let is_text = content.starts_with(char::is_alphanumeric) && (line == 0 || lines.is_blank(line - 1));
    match () {
        () if is_text && underlined('=') => Some(Heading { line, level: 1, title: content }),
        () if is_text && underlined('-') => Some(Heading { line, level: 2, title: content }),
        () => None,
    }
}
