//! The outline of a Markdown file. Each heading is one entry, which ends at the next heading of any level.

use std::borrow::Cow;
use std::ops::Range;

use vectorcode_core::{Definition, DefinitionKind};

use super::{Entry, EntryRole, Extracted};
use crate::lines::Lines;

/// Separator between the headings of a qualified name.
const SEPARATOR: &str = " > ";

/// Extracts the headings of a text. `parts` are the line ranges that are Markdown. A section ends with its part, but headings
/// nest across parts: the cells of a notebook are one document.
pub(crate) fn headings(lines: &Lines<'_>, parts: &[Range<usize>]) -> Extracted {
    let mut extracted = Extracted::default();
    let mut path: Vec<(usize, Cow<'_, str>)> = Vec::new();
    for part in parts {
        let found = find(lines, part);
        let first = found.first().map_or(part.end, |heading| heading.line);
        extracted.outline.extend(lines.trim(part.start..first).map(|before| entry(lines, before, None)));
        for (index, heading) in found.iter().enumerate() {
            let end = found.get(index + 1).map_or(part.end, |next| next.line);
            path.truncate(path.iter().take_while(|(level, _)| *level < heading.level).count());
            path.push((heading.level, shown(heading.title)));
            add_section(&mut extracted, lines, heading.line..end, &path);
        }
    }
    extracted
}

/// Adds the section whose heading is on its first line; `path` ends with that heading.
fn add_section(
    extracted: &mut Extracted,
    lines: &Lines<'_>,
    section: Range<usize>,
    path: &[(usize, Cow<'_, str>)],
) {
    let Some((_, title)) = path.last() else { return };
    let line = section.start;
    let section = lines.trim(section.clone()).unwrap_or(section);
    let entry = entry(lines, section, Some(extracted.definitions.len() as u32));
    extracted.definitions.push(Definition {
        name: title.to_string(),
        qualified: path.iter().map(|(_, title)| &**title).collect::<Vec<_>>().join(SEPARATOR),
        kind: DefinitionKind::Section,
        signature: lines.line(line).trim().to_owned(),
        span: lines.span(&entry.bytes),
        name_line: line as u32 + 1,
    });
    extracted.outline.push(entry);
}

fn entry(lines: &Lines<'_>, section: Range<usize>, definition: Option<u32>) -> Entry {
    let start = lines.start(section.start);
    Entry {
        bytes: start..start + lines.len(&section),
        kind: "section",
        wrappers: [None; 2],
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

/// HTML elements that people use in headings. Anything else, such as the `<T>` of `Vec<T>`, is text.
const ELEMENTS: [&str; 16] = [
    "a", "b", "br", "center", "code", "div", "em", "i", "img", "kbd", "p", "picture", "span", "strong",
    "sub", "sup",
];

/// A title as it is displayed: without HTML tags and images, and with links reduced to their text. A title that consists of
/// nothing else is kept as written, because a section needs a name.
fn shown(title: &str) -> Cow<'_, str> {
    if !title.contains(['<', '[']) {
        return Cow::Borrowed(title);
    }
    let text = [tag, image, link].into_iter().fold(title.to_owned(), |text, mark| without(&text, mark));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { Cow::Borrowed(title) } else { Cow::Owned(text) }
}

/// Recognises markup at the start of a text. Returns the part that is displayed, and where the markup ends.
type Mark = fn(&str) -> Option<(&str, usize)>;

/// Replaces all markup by the part that is displayed.
fn without(text: &str, mark: Mark) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(next) = rest.chars().next() {
        let (shown, end) = mark(rest).unwrap_or((&rest[..next.len_utf8()], next.len_utf8()));
        kept.push_str(shown);
        rest = &rest[end..];
    }
    kept
}

fn tag(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix('<')?;
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric())?];
    ELEMENTS.contains(&name).then(|| text.find('>')).flatten().map(|end| ("", end + 1))
}

fn image(text: &str) -> Option<(&str, usize)> {
    link(text.strip_prefix('!')?).map(|(_, end)| ("", end + 1))
}

fn link(text: &str) -> Option<(&str, usize)> {
    let (label, target) = text.strip_prefix('[')?.split_once("](")?;
    Some((label, text.len() - target.len() + target.find(')')? + 1))
}

/// Finds all headings outside code fences and front matter.
fn find<'t>(lines: &Lines<'t>, part: &Range<usize>) -> Vec<Heading<'t>> {
    let mut headings: Vec<Heading<'t>> = Vec::new();
    let mut fence: Option<&str> = None;
    let start = if part.start == 0 { front_matter_end(lines) } else { part.start };
    for line in start..part.end {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_what_a_reader_sees() {
        for (written, seen) in [
            ("Usage", "Usage"),
            (r#"<img src="logo.png" width="200"> My Project"#, "My Project"),
            (r#"<a name="x"></a>Install [the tool](https://x.y/z) now"#, "Install the tool now"),
            ("Parser [![build](b.svg)](https://ci) ![](c.svg)", "Parser"),
            ("`Vec<T>` and [brackets] < 3 < 4", "`Vec<T>` and [brackets] < 3 < 4"),
            (r#"<img src="a.png">"#, r#"<img src="a.png">"#),
            ("Ünïcode <b>größer</b>", "Ünïcode größer"),
        ] {
            assert_eq!(shown(written), seen);
        }
    }
}
