//! Highlighting of hits: their syntax, and where the words of the query occur in them.
//!
//! A hit is highlighted as a part of its file, because a method on its own does not parse as it does in its class.
//! The cost of this is parsing whole files, so a highlighted file is kept while it is unchanged: the next page, the
//! next search of a user who refines a query, and a second hit in the same file need no second parse.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use vectorcode_core::api::{Hit, SearchTarget};
use vectorcode_core::{Markup, Token};
use vectorcode_source::{Language, Parsers, SourceText, by_name, by_path};

use super::query::QueryWord;
use super::translate::content_words_of;
use super::words::WordMatcher;
use crate::project::{FileSource, FileVersion, Project};

/// Larger files take too long to parse for a few lines; their hits are highlighted on their own.
const MAX_FILE_BYTES: u64 = 512 * 1024;
/// Memory limit for all cached files, text and tokens: some hundred files of usual size.
const MAX_CACHE_BYTES: usize = 8 << 20;

/// The markup of hits: one entry per hit, in order.
pub(crate) fn markup(
    project: &Project,
    source: FileSource<'_>,
    highlights: &HighlightCache,
    target: &SearchTarget,
    hits: &[Hit],
) -> Vec<Markup> {
    let marked = matches(target, hits).into_iter().zip(hits);
    marked.map(|(marked, hit)| Markup { tokens: highlights.tokens(project, source, hit), ..marked }).collect()
}

/// Where the words of the query occur in each hit: one entry per hit, in order.
pub(crate) fn matches(target: &SearchTarget, hits: &[Hit]) -> Vec<Markup> {
    let words = words_of(target);
    let matcher = WordMatcher::new(&words);
    let ranges = hits.iter().map(|hit| matcher.ranges_in(&hit.content));
    ranges.map(|matches| Markup { tokens: Vec::new(), matches }).collect()
}

/// The words to mark. Code given as an example has none: nearly every line would be marked.
fn words_of(target: &SearchTarget) -> Vec<QueryWord> {
    match target {
        SearchTarget::Query(text) => content_words_of(text),
        SearchTarget::Snippet(_) | SearchTarget::Location { .. } => Vec::new(),
    }
}

/// The markup of a text in the language of its path.
pub fn syntax(project: &Project, path: &str, text: &str) -> Markup {
    Markup {
        tokens: by_path(path).map_or_else(Vec::new, |language| tokens(project, language, text)),
        matches: Vec::new(),
    }
}

fn tokens(project: &Project, language: &Language, text: &str) -> Vec<Token> {
    highlighted(project, language, &SourceText::new(language, text.to_owned()))
}

/// If highlighting fails, the text is shown without colours.
fn highlighted(project: &Project, language: &Language, source: &SourceText) -> Vec<Token> {
    Parsers::of(project.root()).highlight(language, source).unwrap_or_default()
}

/// Recently highlighted files, each valid while its time and size stay the same.
#[derive(Debug, Default)]
pub(crate) struct HighlightCache {
    /// Least recently used first.
    files: Mutex<VecDeque<Arc<HighlightedFile>>>,
}

#[derive(Debug)]
struct HighlightedFile {
    path: String,
    /// `None` for a file of a commit, which never changes.
    version: Option<FileVersion>,
    text: String,
    tokens: Vec<Token>,
}

impl HighlightCache {
    /// The tokens of a hit: from its file if the file still contains the hit's text, otherwise from that text alone.
    fn tokens(&self, project: &Project, source: FileSource<'_>, hit: &Hit) -> Vec<Token> {
        // By the language name in the index: a script recognised by its first line has no extension.
        let Some(language) = by_name(&hit.language) else { return Vec::new() };
        let file = self.file(project, source, &hit.path, language);
        let range = file.as_ref().and_then(|file| Some((file, file.range_of(hit)?)));
        match range {
            Some((file, range)) => cut(&file.tokens, &range),
            None => tokens(project, language, &hit.content),
        }
    }

    fn file(
        &self,
        project: &Project,
        source: FileSource<'_>,
        path: &str,
        language: &Language,
    ) -> Option<Arc<HighlightedFile>> {
        let version = match source {
            FileSource::Disk(project) => {
                Some(FileVersion::of(&project.absolute(path)).filter(|it| it.bytes <= MAX_FILE_BYTES)?)
            }
            FileSource::Commit(_) => None,
        };
        if let Some(known) = self.take(path).filter(|known| known.version == version) {
            self.lock().push_back(known.clone());
            return Some(known);
        }
        // Parsed without holding the lock, so that other searches are not blocked.
        let bytes = source.read(path, MAX_FILE_BYTES).ok()?;
        let source = SourceText::decode(language, bytes);
        let tokens = highlighted(project, language, &source);
        let file = Arc::new(HighlightedFile { path: path.to_owned(), version, text: source.text, tokens });
        self.keep(file.clone());
        Some(file)
    }

    fn take(&self, path: &str) -> Option<Arc<HighlightedFile>> {
        let mut files = self.lock();
        let position = files.iter().position(|file| file.path == path)?;
        files.remove(position)
    }

    fn keep(&self, file: Arc<HighlightedFile>) {
        let mut files = self.lock();
        // Another thread may have parsed the same file meanwhile.
        files.retain(|known| known.path != file.path);
        files.push_back(file);
        let mut bytes: usize = files.iter().map(|file| file.memory()).sum();
        while bytes > MAX_CACHE_BYTES
            && let Some(oldest) = files.pop_front()
        {
            bytes -= oldest.memory();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<HighlightedFile>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HighlightedFile {
    fn memory(&self) -> usize {
        self.text.len() + size_of_val(self.tokens.as_slice())
    }

    /// The byte range of the hit's text, if the file still has it at those lines. The first line may start after its
    /// indentation.
    fn range_of(&self, hit: &Hit) -> Option<Range<usize>> {
        let mut line_starts = std::iter::once(0).chain(self.text.match_indices('\n').map(|(at, _)| at + 1));
        let line = line_starts.nth(hit.start_line.checked_sub(1)? as usize)?;
        let rest = &self.text[line..];
        let first_line = rest.find('\n').unwrap_or(rest.len());
        let within = hit.content.lines().next().and_then(|first| rest[..first_line].find(first))?;
        let start = line + within;
        self.text[start..].starts_with(&hit.content).then(|| start..start + hit.content.len())
    }
}

/// The tokens inside a range, relative to its start.
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
    use std::time::SystemTime;

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
            is_test: false,
            parent_context: None,
            content: content.into(),
            score: 1.0,
            weak: false,
            freshness: Freshness::Fresh,
            also_in: Vec::new(),
            matching_lines: Vec::new(),
            signals: Vec::new(),
            neighbours: None,
            diff: None,
        }
    }

    fn words(query: &str, hit: &Hit) -> (Vec<(String, TokenClass)>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("gateway.php"), FILE).unwrap();
        let project = Project::at(dir.path()).unwrap();
        let target = SearchTarget::Query(query.into());
        let highlights = HighlightCache::default();
        let markup =
            markup(&project, FileSource::Disk(&project), &highlights, &target, std::slice::from_ref(hit))
                .remove(0);
        let word = |range: Range<usize>| hit.content[range].to_owned();
        (
            markup.tokens.iter().map(|token| (word(token.start..token.end), token.class)).collect(),
            markup.matches.into_iter().map(word).collect(),
        )
    }

    #[test]
    fn a_hit_is_highlighted_as_a_part_of_its_file() {
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
    fn a_hit_that_its_file_no_longer_has_is_highlighted_alone() {
        let (tokens, matches) = words("gone", &hit("<?php\necho 'gone';", 40));
        assert!(tokens.contains(&("'gone'".into(), TokenClass::String)), "{tokens:?}");
        assert_eq!(matches, ["gone"]);
    }

    #[test]
    fn an_unchanged_file_is_parsed_once_and_a_changed_one_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gateway.php");
        std::fs::write(&path, FILE).unwrap();
        let project = Project::at(dir.path()).unwrap();
        let highlights = HighlightCache::default();
        let first = highlights
            .file(&project, FileSource::Disk(&project), "gateway.php", by_name("php").unwrap())
            .unwrap();
        assert!(Arc::ptr_eq(
            &first,
            &highlights
                .file(&project, FileSource::Disk(&project), "gateway.php", by_name("php").unwrap())
                .unwrap()
        ));
        std::fs::write(&path, "<?php\necho 'changed';\n").unwrap();
        let second = highlights
            .file(&project, FileSource::Disk(&project), "gateway.php", by_name("php").unwrap())
            .unwrap();
        assert_eq!(second.text, "<?php\necho 'changed';\n");
        assert_eq!(highlights.lock().len(), 1, "the old version is gone");
    }

    #[test]
    fn the_cache_is_bounded_and_drops_the_least_recently_used_file() {
        let highlights = HighlightCache::default();
        let file = |number: usize| HighlightedFile {
            path: number.to_string(),
            version: Some(FileVersion { modified: SystemTime::UNIX_EPOCH, bytes: 0 }),
            text: "x".repeat(MAX_CACHE_BYTES / 4),
            tokens: Vec::new(),
        };
        (0..6).for_each(|number| highlights.keep(Arc::new(file(number))));
        let kept: Vec<String> = highlights.lock().iter().map(|file| file.path.clone()).collect();
        assert_eq!(kept, ["2", "3", "4", "5"]);
    }
}
