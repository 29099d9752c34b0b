//! Extracts the title and the first paragraph of a README as plain text.
//!
//! A single line-based reader handles Markdown, reStructuredText and plain text. A Markdown parser would not be
//! enough: a README is often a mixture of these, with badges, logos and navigation in HTML before the first sentence.

/// A summary is truncated after this many characters, at the end of a word.
const MAX_SUMMARY: usize = 480;
/// A shorter paragraph is a slogan, a badge or a menu. A slogan is used only if nothing longer follows.
const MIN_PARAGRAPH: usize = 40;
/// How many paragraphs are searched for one that names the project.
const MAX_PARAGRAPHS: usize = 12;

pub(super) fn is_readme(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    !name.contains('/') && stem.eq_ignore_ascii_case("readme")
}

/// The title, and the paragraph that says what `project` is. News and notices often come before that paragraph, so
/// the first few are searched for it; if none qualifies, the first is used.
pub(super) fn first_words(text: &str, project: &str) -> (Option<String>, Option<String>) {
    let text = without_comments(text);
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.line(line);
        if reader.is_done() {
            break;
        }
    }
    reader.end_paragraph();
    let names = format!("{project} {}", reader.title.as_deref().unwrap_or_default());
    let defines = reader.paragraphs.iter().find(|text| says_what_it_is(text, &names));
    let summary = defines.or(reader.paragraphs.first()).or(reader.slogan.as_ref());
    (reader.title.clone(), summary.map(|summary| shortened(summary)))
}

/// Whether a paragraph begins like `Gin is a web framework` or `nvm allows you to`, with one of these names.
fn says_what_it_is(text: &str, names: &str) -> bool {
    let mut words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let first = words.next().unwrap_or_default();
    let is_name = names.split_whitespace().any(|name| name.len() > 1 && name.eq_ignore_ascii_case(first));
    is_name
        && match words.next() {
            Some("is") => matches!(words.next(), Some("a" | "an" | "the")),
            Some(verb) => {
                ["allows", "provides", "lets", "makes", "helps", "gives", "implements"].contains(&verb)
            }
            None => false,
        }
}

#[derive(Default)]
struct Reader {
    title: Option<String>,
    paragraphs: Vec<String>,
    slogan: Option<String>,
    paragraph: Vec<String>,
    /// Set inside a fenced block, a directive or the front matter.
    skipping: Option<Skip>,
    lines: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Skip {
    Fence,
    FrontMatter,
    Directive,
}

impl Reader {
    fn is_done(&self) -> bool {
        self.paragraphs.len() >= MAX_PARAGRAPHS
    }

    fn line(&mut self, line: &str) {
        self.lines += 1;
        let trimmed = line.trim();
        if self.is_skipped(line, trimmed) {
            return;
        }
        if is_underline(trimmed) {
            return self.underline();
        }
        let heading = trimmed.starts_with('#') || trimmed.to_ascii_lowercase().starts_with("<h1");
        if trimmed.is_empty() || heading || is_no_prose(trimmed) {
            self.end_paragraph();
            if heading && !trimmed.starts_with("##") && self.title.is_none() {
                self.title = Some(plain(trimmed.trim_matches('#'))).filter(|title| !title.is_empty());
            }
            return;
        }
        self.paragraph.push(trimmed.trim_start_matches('>').trim_start().to_owned());
    }

    /// Whether the line belongs to a block that contains no prose.
    fn is_skipped(&mut self, line: &str, trimmed: &str) -> bool {
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        match self.skipping {
            Some(Skip::Fence) if is_fence => self.skipping = None,
            Some(Skip::FrontMatter) if trimmed == "---" => self.skipping = None,
            Some(Skip::Directive) if !trimmed.is_empty() && !line.starts_with([' ', '\t']) => {
                self.skipping = None;
                return self.is_skipped(line, trimmed);
            }
            Some(_) => {}
            None if is_fence => self.skip(Skip::Fence),
            None if self.lines == 1 && trimmed == "---" => self.skip(Skip::FrontMatter),
            None if trimmed.starts_with(".. ") => self.skip(Skip::Directive),
            None => return false,
        }
        true
    }

    fn skip(&mut self, what: Skip) {
        self.end_paragraph();
        self.skipping = Some(what);
    }

    /// A line of `===` makes the line above it a heading.
    fn underline(&mut self) {
        if let [only] = self.paragraph.as_slice() {
            if self.title.is_none() {
                self.title = Some(plain(only)).filter(|title| !title.is_empty());
            }
            self.paragraph.clear();
        } else {
            self.end_paragraph();
        }
    }

    fn end_paragraph(&mut self) {
        let source = std::mem::take(&mut self.paragraph).join(" ");
        let text = plain(&source);
        let is_notice = ["note", "warning", "important"]
            .iter()
            .any(|word| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
        if text.split_whitespace().count() < 3 || is_notice || is_menu(&source, &text) {
            return;
        }
        if text.chars().count() < MIN_PARAGRAPH {
            self.slogan.get_or_insert(text);
        } else {
            self.paragraphs.push(text);
        }
    }
}

fn is_underline(line: &str) -> bool {
    let first = line.chars().next();
    line.len() >= 3 && first.is_some_and(|c| "=-~^\"*".contains(c) && line.chars().all(|other| other == c))
}

/// Whether a line is a list item, a table row, a link definition or an alert.
fn is_no_prose(line: &str) -> bool {
    let is_list = ["- ", "* ", "+ ", "| ", "|-", "[!", "> [!"].iter().any(|start| line.starts_with(start));
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_definition = line.starts_with('[') && line.contains("]: ");
    is_list || is_definition || number.len() < line.len() && number.starts_with(". ")
}

/// Whether a paragraph is a row of links, such as `Website | Documentation | Chat`.
fn is_menu(source: &str, text: &str) -> bool {
    let links = source.matches("](").count() + source.matches("<a ").count() + source.matches("`_").count();
    links >= 3 && text.split_whitespace().count() < links * 4
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept
}

/// Removes markup: tags, images, emphasis, and links except their text.
fn plain(text: &str) -> String {
    let text = without_tags(text);
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['[', '!']) {
        kept.push_str(&rest[..at]);
        let is_image = rest[at..].starts_with("![");
        let opening = at + usize::from(is_image);
        let found = rest[opening..].starts_with('[').then(|| link(&rest[opening..])).flatten();
        if let Some((label, length)) = found {
            if !is_image {
                kept.push_str(&plain(label));
            }
            rest = &rest[opening + length..];
        } else {
            kept.push_str(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
    }
    kept.push_str(rest);
    let unquoted = without_roles(&kept).replace("**", "").replace("__", "").replace(['`', '*'], "");
    let unquoted = unquoted.replace("&emsp;", " ").replace("&nbsp;", " ").replace("&amp;", "&");
    without_underlines(&unquoted.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Removes `_emphasis_` around whole words. An underscore inside a word or without a closing one belongs to a name.
fn without_underlines(text: &str) -> String {
    let at_start = text.strip_prefix('_').map(|rest| ("", rest));
    let Some((before, rest)) = at_start.or_else(|| text.split_once(" _")) else { return text.to_owned() };
    let is_end = |at: &usize| !rest[at + 1..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let Some(end) = rest.match_indices('_').map(|(at, _)| at).find(is_end).filter(|end| *end > 0) else {
        return text.to_owned();
    };
    let space = if at_start.is_some() { "" } else { " " };
    format!("{before}{space}{}{}", &rest[..end], without_underlines(&rest[end + 1..]))
}

/// The label of a Markdown link that starts here, and the length of the whole link.
fn link(text: &str) -> Option<(&str, usize)> {
    let mut depth = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })?;
    let after = &text[end + 1..];
    let closing = match after.chars().next() {
        Some('(') => after.find(')')? + 1,
        Some('[') => after.find(']')? + 1,
        _ => 0,
    };
    Some((&text[1..end], end + 1 + closing))
}

fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        kept.push_str(before);
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        if let Some((tag, rest_of_it)) = after.split_once('>').filter(|_| is_tag) {
            // `<https://example.org>` is a link whose text is its address. In reStructuredText it is the target of
            // the preceding words.
            if tag.contains("://") && !tag.contains(' ') && !rest_of_it.starts_with("`_") {
                kept.push_str(tag);
            }
            rest = rest_of_it;
        } else {
            kept.push('<');
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// reStructuredText: `` `text <address>`_ `` has already lost its address with the tags; `|badge|` and the link marks
/// are dropped.
fn without_roles(text: &str) -> String {
    let is_markup = |word: &&str| {
        let inner = word.trim_end_matches(['.', ',']);
        inner.len() > 2 && inner.starts_with('|') && inner.ends_with('|')
    };
    let words = text.split_whitespace().filter(|word| !is_markup(word));
    let word = |word: &str| word.replace("`__", "`").replace("`_", "`");
    words.map(word).collect::<Vec<_>>().join(" ")
}

fn shortened(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(MAX_SUMMARY) else { return text.to_owned() };
    let kept = &text[..cut];
    let end = kept.rfind(". ").map(|at| at + 1).filter(|at| *at > cut / 2);
    match end {
        Some(end) => kept[..end].to_owned(),
        None => format!("{}…", kept[..kept.rfind(' ').unwrap_or(cut)].trim_end_matches([',', ';'])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_words(text: &str, title: &str, summary: &str) {
        assert_eq!(first_words(text, "project"), (Some(title.to_owned()), Some(summary.to_owned())));
    }

    #[test]
    fn badges_logos_and_menus_are_passed_over() {
        assert_words(
            "# Gin Web Framework\n\n<img align=\"right\" src=\"logo.png\">\n\n[![Build](b.svg)](ci) [![Doc](d.svg)](doc)\n\n\
             Gin is a web framework written in [Go](https://go.dev/). It features a *Martini*-like API with\nmuch better \
             `performance`.\n\n## Start\n",
            "Gin Web Framework",
            "Gin is a web framework written in Go. It features a Martini-like API with much better performance.",
        );
        assert_words(
            "<h1 align=\"center\">\n\n# Shop\n\n</h1>\n[Docs](d) | [Chat](c) | [Blog](b)\n\n> Sells things to people, and \
             sends them by post.\n",
            "Shop",
            "Sells things to people, and sends them by post.",
        );
    }

    #[test]
    fn underscores_are_emphasis_only_around_words() {
        assert_words(
            "# Hono\n\nHono - _**means flame in Japanese**_ - is a _small_, fast web framework with on_error and _private names.\n",
            "Hono",
            "Hono - means flame in Japanese - is a small, fast web framework with on_error and _private names.",
        );
    }

    #[test]
    fn what_speaks_of_the_project_by_name_is_preferred() {
        assert_words(
            "# Gin Web Framework\n\n### News\n\nWe are excited to announce the release of a new version!\n\n## About\n\n**Gin** is a \
             web framework that is written in Go.\n",
            "Gin Web Framework",
            "Gin is a web framework that is written in Go.",
        );
    }

    #[test]
    fn restructured_text_is_read_too() {
        assert_words(
            "=====\nPillow\n=====\n\n.. image:: logo.svg\n   :alt: logo\n\n|build| |docs|\n\nPillow is the friendly fork of \
             `PIL <https://example.org>`_ by many contributors.\n\nMore\n----\n",
            "Pillow",
            "Pillow is the friendly fork of PIL by many contributors.",
        );
    }

    #[test]
    fn lists_code_front_matter_and_comments_are_no_paragraph() {
        assert_words(
            "---\ntitle: x\n---\n<!-- a\ncomment -->\n# Tool\n\n- one thing and another thing that it does\n\n```sh\ninstall \
             the tool with this command now\n```\n\n[link]: https://example.org\n\nFinds what was lost in the archives of a \
             year.\n",
            "Tool",
            "Finds what was lost in the archives of a year.",
        );
    }

    #[test]
    fn a_slogan_is_better_than_nothing() {
        assert_words("# A\n\nMakes tea in space.\n\n## License\n\nMIT\n", "A", "Makes tea in space.");
        assert_eq!(first_words("", ""), (None, None));
    }

    #[test]
    fn long_paragraphs_end_with_a_sentence_and_no_text_panics() {
        let long = format!("# L\n\n{}", "Word after word after word. ".repeat(60));
        let summary = first_words(&long, "l").1.unwrap();
        assert!(summary.len() <= MAX_SUMMARY && summary.ends_with("word."), "{summary}");
        for odd in ["[", "![", "[a](", "[[x]", "<", "< b", "<a", "`_", "|", "# ", "==="] {
            first_words(odd, odd);
            first_words(&format!("{odd}ä\n{odd}"), "");
        }
    }
}
