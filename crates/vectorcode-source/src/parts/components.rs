//! Single-file components: the script, template and style parts of Vue, Svelte and Astro files.
//!
//! The tags that divide a component are found by a separate scan, because no HTML grammar can parse a whole component:
//! scripts contain `<`, and templates contain code.

use std::ops::Range;

use super::{Part, PartKind, PartRole};
use crate::languages::{ComponentLayout, Language, PartLanguages, Structure, by_any_name, by_name};

/// The parts of a component, sorted by their start.
pub(super) fn parts(layout: ComponentLayout, text: &str) -> Vec<Part> {
    let languages = layout.part_languages();
    let mut parts: Vec<Part> = match layout {
        ComponentLayout::Blocks => blocks(text, 0, &["script", "template", "style"])
            .iter()
            .filter_map(|block| block.part(&languages))
            .collect(),
        ComponentLayout::Markup => around_blocks(text, 0, &languages),
        ComponentLayout::FrontMatter => {
            let front = front_matter(text);
            let end = front.as_ref().map_or(0, |front| front.end);
            let front = front.and_then(|front| part(text, front, languages.script, PartRole::Code));
            front.into_iter().chain(around_blocks(text, end, &languages)).collect()
        }
    };
    parts.sort_by_key(|part| part.whole.start);
    parts
}

/// The script and style blocks, and everything around them as markup.
fn around_blocks(text: &str, from: usize, languages: &PartLanguages) -> Vec<Part> {
    let blocks = blocks(text, from, &["script", "style"]);
    let mut parts: Vec<Part> = blocks.iter().filter_map(|block| block.part(languages)).collect();
    let mut ranges = Vec::new();
    let mut at = from;
    for block in &blocks {
        ranges.push(at..block.whole.start);
        at = block.whole.end;
    }
    ranges.push(at..text.len());
    ranges.retain(|range| !text[range.clone()].trim().is_empty());
    if let (Some(first), Some(last)) = (ranges.first(), ranges.last()) {
        let (whole, language) = (first.start..last.end, languages.markup);
        parts.push(Part { ranges, whole, language, role: PartRole::Code, linked: None });
    }
    parts
}

/// The code between the `---` lines at the start of an Astro file.
fn front_matter(text: &str) -> Option<Range<usize>> {
    const FENCE: &str = "---";
    let open = text.len() - text.trim_start().len();
    let start = open + text[open..].strip_prefix(FENCE).map(|_| FENCE.len())?;
    let end = text[start..].find("\n---").map_or(text.len(), |at| start + at + 1);
    Some(start..end)
}

/// `None` if the range is blank.
fn part(text: &str, range: Range<usize>, language: &'static Language, role: PartRole) -> Option<Part> {
    let is_blank = text.get(range.clone()).is_none_or(|inside| inside.trim().is_empty());
    (!is_blank).then(|| Part { ranges: vec![range.clone()], whole: range, language, role, linked: None })
}

/// An element of a component that contains one of its parts.
struct Block<'t> {
    text: &'t str,
    name: &'t str,
    attributes: Range<usize>,
    inside: Range<usize>,
    /// Includes the tags.
    whole: Range<usize>,
}

impl Block<'_> {
    fn part(&self, languages: &PartLanguages) -> Option<Part> {
        let (default, role) = match self.name {
            "script" => (languages.script, PartRole::Code),
            "template" => (languages.markup, PartRole::Item(PartKind::Template)),
            _ => (languages.style, PartRole::Item(PartKind::Style)),
        };
        let language = self.language().unwrap_or(default);
        let linked = self.attribute("src").filter(|path| !path.is_empty());
        // A template is parsed with its tags, which are markup too.
        let read = if self.name == "template" { &self.whole } else { &self.inside };
        let inner = part(self.text, read.clone(), language, role);
        // If it is empty, only the tag remains, which is not code.
        let tag = || part(self.text, self.whole.clone(), by_name("text")?, PartRole::Code);
        let part = inner.or_else(|| linked.as_ref().and_then(|_| tag()))?;
        Some(Part { whole: self.whole.clone(), linked, ..part })
    }

    /// The language given by an attribute: `lang="ts"`, or the data type of a script.
    fn language(&self) -> Option<&'static Language> {
        let value = |name: &str| self.attribute(name).and_then(|range| self.text.get(range));
        if value("type").is_some_and(|kind| kind.contains("json")) {
            return by_name("json");
        }
        let language = by_any_name(value("lang")?)?;
        // A part is never itself divided into parts.
        (!matches!(language.structure, Structure::Component(_) | Structure::Notebook)).then_some(language)
    }

    /// The position of an attribute's value, without quotes.
    fn attribute(&self, name: &str) -> Option<Range<usize>> {
        let attributes = self.text.get(self.attributes.clone())?;
        let (at, _) = attributes.match_indices(name).find(|(at, _)| {
            let before = attributes[..*at].chars().next_back();
            before.is_some_and(char::is_whitespace)
                && attributes[at + name.len()..].trim_start().starts_with('=')
        })?;
        let equals = at + name.len() + attributes[at + name.len()..].find('=')? + 1;
        let value = attributes[equals..].trim_start();
        let start = attributes.len() - value.len();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (start, end) = match quote {
            Some(quote) => (start + 1, value[1..].find(quote).map(|length| start + 1 + length)?),
            None => {
                (start, start + value.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(value.len()))
            }
        };
        Some(self.attributes.start + start..self.attributes.start + end)
    }
}

/// The elements with these names after `from`, outside of comments and of each other. A single pass: an element that is not
/// closed ends with the text.
fn blocks<'t>(text: &'t str, from: usize, names: &[&'t str]) -> Vec<Block<'t>> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some(open) = memchr::memchr(b'<', &text.as_bytes()[at..]).map(|offset| at + offset) {
        if text[open..].starts_with("<!--") {
            at = text[open..].find("-->").map_or(text.len(), |end| open + end + 3);
            continue;
        }
        at = open + 1;
        if let Some(name) = names.iter().find(|name| is_tag(&text[open + 1..], name)) {
            let block = block(text, open, name);
            at = block.whole.end;
            found.push(block);
        }
    }
    found
}

fn block<'t>(text: &'t str, open: usize, name: &'t str) -> Block<'t> {
    let attributes = open + 1 + name.len();
    let (tag_end, is_empty) = tag_end(text, attributes);
    let attributes = attributes..tag_end;
    if is_empty {
        return Block { text, name, attributes, inside: tag_end..tag_end, whole: open..tag_end };
    }
    // Only templates nest. Everything inside a script is code.
    let close = closing_tag(text, tag_end, name, name == "template");
    let end = memchr::memchr(b'>', &text.as_bytes()[close..]).map_or(text.len(), |at| close + at + 1);
    Block { text, name, attributes, inside: tag_end..close, whole: open..end }
}

/// The end of a start tag, after its `>`, and whether the element is empty.
fn tag_end(text: &str, from: usize) -> (usize, bool) {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match (quote, byte) {
            (None, b'>') => return (at + 1, text.as_bytes()[at - 1] == b'/'),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    (text.len(), true)
}

/// The start of an element's closing tag.
fn closing_tag(text: &str, from: usize, name: &str, nests: bool) -> usize {
    let mut depth = 0usize;
    let mut at = from;
    while let Some(open) = memchr::memchr(b'<', &text.as_bytes()[at..]).map(|offset| at + offset) {
        let tag = &text[open + 1..];
        at = open + 1;
        if tag.strip_prefix('/').is_some_and(|tag| is_tag(tag, name)) {
            if depth == 0 {
                return open;
            }
            depth -= 1;
        } else if nests && is_tag(tag, name) {
            let (end, is_empty) = tag_end(text, open + 1 + name.len());
            depth += usize::from(!is_empty);
            at = end;
        }
    }
    text.len()
}

/// Whether a tag has this name.
fn is_tag(tag: &str, name: &str) -> bool {
    tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && tag[name.len()..].starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(layout: ComponentLayout, text: &str) -> Vec<(&'static str, Vec<&str>)> {
        let show = |part: Part| {
            (part.language.name, part.ranges.into_iter().map(|range| text[range].trim()).collect())
        };
        parts(layout, text).into_iter().map(show).collect()
    }

    #[test]
    fn vue_has_blocks_whose_templates_nest() {
        let text = "<!-- <script>no</script> -->\n<template>\n<template v-if=\"a > b\"><p/></template>\n</template>\n\
                    <script setup lang=\"ts\">const a = '<b>'</script>\n<style lang=scss scoped>a { b {} }</style>\n";
        assert_eq!(
            shown(ComponentLayout::Blocks, text),
            [
                ("html", vec!["<template>\n<template v-if=\"a > b\"><p/></template>\n</template>"]),
                ("typescript", vec!["const a = '<b>'"]),
                ("scss", vec!["a { b {} }"]),
            ]
        );
    }

    #[test]
    fn svelte_is_markup_around_its_blocks() {
        let text = "<script>let a = 1</script>\n<h1>{a}</h1>\n<style>h1 {}</style>\n<p/>\n";
        assert_eq!(
            shown(ComponentLayout::Markup, text),
            [
                ("javascript", vec!["let a = 1"]),
                ("html", vec!["<h1>{a}</h1>", "<p/>"]),
                ("css", vec!["h1 {}"])
            ]
        );
    }

    #[test]
    fn astro_begins_with_code() {
        let text = "---\nimport A from './A.astro';\n---\n<A/>\n<script>run()</script>\n";
        assert_eq!(
            shown(ComponentLayout::FrontMatter, text),
            [
                ("typescript", vec!["import A from './A.astro';"]),
                ("html", vec!["---\n<A/>"]),
                ("typescript", vec!["run()"])
            ]
        );
    }

    #[test]
    fn a_script_may_be_in_another_file() {
        let text = "<script lang=\"ts\" src=\"./menu.ts\"></script>\n<script src='x.js' />";
        let parts = parts(ComponentLayout::Blocks, text);
        let linked = parts.into_iter().filter_map(|part| part.linked).map(|range| &text[range]);
        assert_eq!(linked.collect::<Vec<_>>(), ["./menu.ts", "x.js"]);
    }

    #[test]
    fn what_is_not_closed_ends_with_the_text() {
        for text in ["<script>a", "<script", "<script lang=\"", "<template><template>", "---\na", "<!--", "<"]
        {
            for layout in [ComponentLayout::Blocks, ComponentLayout::Markup, ComponentLayout::FrontMatter] {
                parts(layout, text);
            }
        }
    }
}
