//! Combines exact and semantic search: only chunks with a line that matches a pattern are ranked.
//!
//! An exact search of the disk finds the files with a match; the chunks within them are matched by their own text.
//! All of these become candidates, so that each can be found however low its meaning ranks it.

use std::collections::HashSet;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use vectorcode_core::Chunk;
use vectorcode_core::api::LinePatterns;
use vectorcode_store::{ChunkRow, IndexReader};

use crate::compare::ChangedCode;
use crate::error::EngineError;
use crate::search::exact::problem;

/// More chunks than this are not ranked: a pattern that matches so many says little, and a note reports it.
const MAX_CHUNKS: usize = 20_000;
/// Memory limit for a compiled pattern.
const MAX_PATTERN_BYTES: usize = 16 << 20;

/// The compiled patterns of a request.
#[derive(Debug)]
pub(crate) struct LineMatch {
    any: RegexMatcher,
    none: Option<RegexMatcher>,
}

/// The only chunks that a search may return.
#[derive(Debug, Default)]
pub(crate) struct MatchedChunks {
    pub rows: HashSet<ChunkRow>,
    /// Says that more chunks match than are ranked, or that none does.
    pub note: Option<String>,
}

impl LineMatch {
    /// `None` for a request without patterns.
    pub fn new(patterns: &LinePatterns) -> Result<Option<Self>, EngineError> {
        if patterns.is_empty() {
            return Ok(None);
        }
        let none = (!patterns.none.is_empty()).then(|| compiled(&patterns.none, patterns.ignore_case));
        Ok(Some(Self { any: compiled(&patterns.any, patterns.ignore_case)?, none: none.transpose()? }))
    }

    /// One pattern that matches whatever any of the patterns matches.
    pub fn pattern(patterns: &LinePatterns) -> String {
        joined(&patterns.any)
    }

    /// The lines of a text that match, numbered from `first`. Empty if a line matches an excluded pattern.
    pub fn lines(&self, text: &str, first: u32) -> Vec<u32> {
        let holds = |matcher: &RegexMatcher, line: &str| matcher.is_match(line.as_bytes()).unwrap_or(false);
        if self.none.as_ref().is_some_and(|none| text.lines().any(|line| holds(none, line))) {
            return Vec::new();
        }
        let matching = text.lines().zip(first..).filter(|(line, _)| holds(&self.any, line));
        matching.map(|(_, number)| number).collect()
    }

    /// The chunks of these files that match.
    pub fn chunks(&self, reader: &dyn IndexReader, files: &[String]) -> Result<MatchedChunks, EngineError> {
        let mut matched = MatchedChunks::default();
        for path in files {
            if matched.rows.len() >= MAX_CHUNKS {
                matched.note = Some(format!(
                    "The pattern matches in more than {MAX_CHUNKS} chunks, and only that many are ranked. Narrow it, or add a path."
                ));
                break;
            }
            matched.add(reader, path, |chunk| !self.lines(&chunk.content, 1).is_empty())?;
        }
        if matched.rows.is_empty() {
            matched.note = Some("No line of the files that were searched matches the pattern.".into());
        }
        Ok(matched)
    }
}

impl MatchedChunks {
    /// The chunks of the code that differs between two versions.
    pub fn of_changed(reader: &dyn IndexReader, changed: &ChangedCode) -> Result<Self, EngineError> {
        let mut matched = Self::default();
        for path in changed.files() {
            if matched.rows.len() >= MAX_CHUNKS {
                matched.note = Some(format!(
                    "More than {MAX_CHUNKS} chunks differ, and only that many are ranked. Compare nearer commits, or add a path."
                ));
                break;
            }
            matched.add(reader, path, |chunk| changed.is_in(path, &chunk.span))?;
        }
        Ok(matched)
    }

    fn add(
        &mut self,
        reader: &dyn IndexReader,
        path: &str,
        answers: impl Fn(&Chunk) -> bool,
    ) -> Result<(), EngineError> {
        let chunks = reader.chunks_of(path)?.into_iter().filter(|stored| answers(&stored.chunk));
        self.rows.extend(chunks.map(|stored| stored.row));
        Ok(())
    }

    /// Keeps only the chunks that are also in `others`.
    pub fn keep(&mut self, others: Self) {
        self.rows.retain(|row| others.rows.contains(row));
        self.note = others.note.or(self.note.take());
    }
}

fn joined(patterns: &[String]) -> String {
    match patterns {
        [one] => one.clone(),
        several => several.iter().map(|one| format!("(?:{one})")).collect::<Vec<_>>().join("|"),
    }
}

fn compiled(patterns: &[String], ignore_case: bool) -> Result<RegexMatcher, EngineError> {
    // Each pattern is compiled on its own first: a bracket left open in one must not be closed by the next.
    for pattern in patterns {
        build(pattern, ignore_case)?;
    }
    build(&joined(patterns), ignore_case)
}

fn build(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, EngineError> {
    let bad = |reason: String| EngineError::BadPattern { pattern: pattern.to_owned(), reason };
    if pattern.is_empty() {
        return Err(bad("it is empty".into()));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(ignore_case)
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build(pattern)
        .map_err(|error| bad(problem(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(any: &[&str], none: &[&str], text: &str) -> Vec<u32> {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        let patterns = LinePatterns { any: owned(any), none: owned(none), ignore_case: false };
        LineMatch::new(&patterns).unwrap().unwrap().lines(text, 10)
    }

    #[test]
    fn any_pattern_suffices_and_no_excluded_one_may_be_there() {
        let text = "async fn a() {\n    log();\n}\nfn b() {}";
        assert_eq!(lines(&["async fn"], &[], text), [10]);
        assert_eq!(lines(&["async", "^fn"], &[], text), [10, 13]);
        assert_eq!(lines(&["async"], &["log"], text), [0u32; 0]);
    }

    #[test]
    fn a_pattern_is_checked_for_itself() {
        let patterns = LinePatterns { any: vec!["(a".into(), "b)".into()], ..LinePatterns::default() };
        let error = LineMatch::new(&patterns).unwrap_err().to_string();
        assert_eq!(error, "The pattern \"(a\" cannot be used: unclosed group");
        assert!(LineMatch::new(&LinePatterns::default()).unwrap().is_none());
    }
}
