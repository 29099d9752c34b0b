//! How hits read: their syntax, and where the words of the question stand in them.

use std::collections::HashMap;
use std::ops::Range;

use vectorcode_core::api::{Hit, SearchTarget};
use vectorcode_core::{Links, Markup, Token, read_bounded_regular_file};

use super::query::Query;
use super::words::WordMatcher;
use crate::{Engine, Project};

/// A larger file is not worth parsing for the sake of a few lines; those are then read on their own.
const MAX_FILE_BYTES: u64 = 512 * 1024;

impl Engine {
    /// How the hits of a search read, one for each, in their order.
    pub fn markup(&self, target: &SearchTarget, hits: &[Hit]) -> Vec<Markup> {
        markup(self.project(), target, hits)
    }
}

fn markup(project: &Project, target: &SearchTarget, hits: &[Hit]) -> Vec<Markup> {
    let query = match target {
        SearchTarget::Query(text) => Query::parse(text),
        SearchTarget::Snippet(_) | SearchTarget::Location { .. } => Query::default(),
    };
    let words = WordMatcher::new(&query.words);
    let mut files = Files { project, read: HashMap::new() };
    hits.iter()
        .map(|hit| Markup { tokens: files.tokens(hit), matches: words.places_in(&hit.content) })
        .collect()
}

/// How a text reads by the language of its path.
pub fn syntax(path: &str, text: &str) -> Markup {
    Markup { tokens: tokens(path, text), matches: Vec::new() }
}

fn tokens(path: &str, text: &str) -> Vec<Token> {
    vectorcode_source::by_path(path)
        .map_or_else(Vec::new, |language| vectorcode_source::highlight(language, text))
}

/// The files that hits come from, each parsed once: a method on its own does not parse as it does in its class.
struct Files<'p> {
    project: &'p Project,
    read: HashMap<String, Option<Painted>>,
}

struct Painted {
    text: String,
    tokens: Vec<Token>,
}

impl Files<'_> {
    fn tokens(&mut self, hit: &Hit) -> Vec<Token> {
        let whole =
            self.read.entry(hit.path.clone()).or_insert_with(|| Painted::read(self.project, &hit.path));
        let place = whole.as_ref().and_then(|file| Some((file, file.place_of(hit)?)));
        match place {
            Some((file, place)) => cut(&file.tokens, &place),
            None => tokens(&hit.path, &hit.content),
        }
    }
}

impl Painted {
    fn read(project: &Project, path: &str) -> Option<Self> {
        let absolute = project.absolute(path);
        let bytes = read_bounded_regular_file(&absolute, MAX_FILE_BYTES, Links::Follow).ok()?;
        let text = vectorcode_source::decode(&bytes);
        Some(Self { tokens: tokens(path, &text), text })
    }

    /// Where the hit's text stands, if the file still has it there. The first line may begin after its indent.
    fn place_of(&self, hit: &Hit) -> Option<Range<usize>> {
        let mut line_starts = std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1));
        let line = line_starts.nth(hit.start_line.checked_sub(1)? as usize)?;
        let rest = &self.text[line..];
        let first_line = rest.find('\n').unwrap_or(rest.len());
        let within = hit.content.lines().next().and_then(|first| rest[..first_line].find(first))?;
        let start = line + within;
        self.text[start..].starts_with(&hit.content).then(|| start..start + hit.content.len())
    }
}

/// The tokens inside a range, counted from its start.
fn cut(tokens: &[Token], range: &Range<usize>) -> Vec<Token> {
    let first = tokens.partition_point(|token| token.end <= range.start);
    tokens[first..]
        .iter()
        .take_while(|token| token.start < range.end)
        .map(|token| Token {
            start: token.start.saturating_sub(range.start),
            end: token.end.min(range.end) - range.start,
            class: token.class,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use vectorcode_core::api::Freshness;
    use vectorcode_core::{ContentClass, TokenClass};

    use super::*;

    const FILE: &str =
        "<?php\nclass Gateway {\n    public function retryPayment() {\n        return 1;\n    }\n}\n";

    fn hit(content: &str, start_line: u32) -> Hit {
        Hit {
            project: None,
            artifact: None,
            path: "gateway.php".into(),
            start_line,
            end_line: start_line,
            symbol: None,
            kind: "method_declaration".into(),
            language: "php".into(),
            class: ContentClass::Code,
            parent_context: None,
            content: content.into(),
            score: 1.0,
            freshness: Freshness::Fresh,
            signals: Vec::new(),
            neighbours: None,
        }
    }

    fn words(query: &str, hit: &Hit) -> (Vec<(String, TokenClass)>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("gateway.php"), FILE).unwrap();
        let project = Project::at(dir.path()).unwrap();
        let markup =
            markup(&project, &SearchTarget::Query(query.into()), std::slice::from_ref(hit)).remove(0);
        let word = |range: Range<usize>| hit.content[range].to_owned();
        (
            markup.tokens.iter().map(|token| (word(token.start..token.end), token.class)).collect(),
            markup.matches.into_iter().map(word).collect(),
        )
    }

    #[test]
    fn a_hit_reads_as_it_does_in_its_file() {
        let method = hit("public function retryPayment() {\n        return 1;\n    }", 3);
        let (tokens, matches) = words("how payments are retrying", &method);
        let expected = [
            ("public", TokenClass::Keyword),
            ("function", TokenClass::Keyword),
            ("retryPayment", TokenClass::Function),
            ("return", TokenClass::Keyword),
            ("1", TokenClass::Number),
        ];
        assert_eq!(tokens, expected.map(|(word, class)| (word.to_owned(), class)));
        assert_eq!(matches, ["retry", "Payment"]);
    }

    #[test]
    fn a_hit_that_its_file_no_longer_has_is_read_alone() {
        let (tokens, matches) = words("gone", &hit("<?php\necho 'gone';", 40));
        assert!(tokens.contains(&("'gone'".into(), TokenClass::String)), "{tokens:?}");
        assert_eq!(matches, ["gone"]);
    }
}
