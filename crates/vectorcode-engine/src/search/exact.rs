//! Exact search: every line of the indexed files that contains a text or matches a regular expression.
//!
//! The files are read from disk and searched with ripgrep's searcher, so the result is complete and current even if
//! the index is not. The list of files comes from the index, so files it excludes (ignored, secret, binary) are not
//! searched either. Notebooks, files in another encoding and files with a secret in them are searched as they are
//! indexed: decoded, and with the secret masked.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{Searcher, SearcherBuilder};
use vectorcode_core::api::{ExactFile, ExactLine, ExactRequest, ExactResponse, PatternSyntax, TestFilter};
use vectorcode_core::{CancelToken, ContentClass};
use vectorcode_source::{Scope, SourceText, by_name};
use vectorcode_store::SourceFile;

use crate::error::EngineError;
use crate::project::FileSource;

/// Memory limit for a compiled pattern.
const MAX_PATTERN_BYTES: usize = 16 << 20;
/// Indexed files are far smaller than this.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// How many characters are shown before the match when a line is truncated.
const CHARS_BEFORE: usize = 60;

/// Everything that is needed to run an exact search.
pub(crate) struct ExactSearch<'a> {
    pub source: FileSource<'a>,
    pub scope: &'a Scope,
    pub request: &'a ExactRequest,
    pub cancel: &'a CancelToken,
}

/// The matches in one file.
pub(crate) struct FileMatches {
    /// Its position in the list of files.
    pub place: usize,
    total: u64,
    /// The numbers of the first matching lines.
    pub lines: Vec<u32>,
}

impl ExactSearch<'_> {
    /// Searches `files`, which the caller has already filtered.
    pub fn run(&self, mut files: Vec<SourceFile>) -> Result<ExactResponse, EngineError> {
        let started = Instant::now();
        files.sort_by(|one, other| (rank(one), &one.path).cmp(&(rank(other), &other.path)));
        let matcher = self.matcher(self.request.ignore_case)?;
        let (found, complete) = self.search_all(&matcher, &files)?;
        let mut response = self.respond(&matcher, &files, found);
        response.complete = complete;
        if !complete {
            let seconds = self.request.time_limit_ms as f64 / 1e3;
            response.notes.push(format!(
                "Stopped after {seconds} seconds: there may be more. Narrow the search with a path."
            ));
        }
        if response.total_lines == 0 && complete && !self.request.ignore_case {
            response.notes.extend(self.note_on_case(&files)?);
        }
        response.took_ms = started.elapsed().as_secs_f64() * 1e3;
        Ok(response)
    }

    /// The files that have a matching line. They are matched against the text as indexed, with secrets masked.
    pub fn matching_files(&self, mut files: Vec<SourceFile>) -> Result<Vec<String>, EngineError> {
        files.sort_by(|one, other| (rank(one), &one.path).cmp(&(rank(other), &other.path)));
        let (found, _) = self.search_all(&self.matcher(self.request.ignore_case)?, &files)?;
        Ok(found.into_iter().map(|matches| files[matches.place].path.clone()).collect())
    }

    /// The matches in each of `files`, and whether every file was searched.
    pub fn matches_by_file(&self, files: &[SourceFile]) -> Result<(Vec<FileMatches>, bool), EngineError> {
        self.search_all(&self.matcher(self.request.ignore_case)?, files)
    }

    fn matcher(&self, ignore_case: bool) -> Result<RegexMatcher, EngineError> {
        let bad = |reason: String| EngineError::BadPattern { pattern: self.request.pattern.clone(), reason };
        if self.request.pattern.is_empty() {
            return Err(EngineError::EmptyQuery);
        }
        if self.request.pattern.contains('\n') {
            return Err(bad("it has more than one line".into()));
        }
        RegexMatcherBuilder::new()
            .fixed_strings(self.request.syntax == PatternSyntax::Literal)
            .case_insensitive(ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES)
            .build(&self.request.pattern)
            .map_err(|error| bad(problem(&error)))
    }

    /// All matches in the order of `files`, and whether every file was searched.
    fn search_all(
        &self,
        matcher: &RegexMatcher,
        files: &[SourceFile],
    ) -> Result<(Vec<FileMatches>, bool), EngineError> {
        let deadline = Instant::now() + Duration::from_millis(self.request.time_limit_ms);
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let found: Mutex<Vec<FileMatches>> = Mutex::default();
        let work = || {
            let mut searcher = SearcherBuilder::new().line_number(true).build();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(place) else { return };
                if self.cancel.is_cancelled() || Instant::now() >= deadline {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
                if let Some(matches) = self.search_file(&mut searcher, matcher, place, file) {
                    found.lock().unwrap_or_else(PoisonError::into_inner).push(matches);
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If a thread cannot be started, the search takes longer.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        if self.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|matches| matches.place);
        Ok((found, !stopped.load(Ordering::Relaxed)))
    }

    fn search_file(
        &self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        place: usize,
        file: &SourceFile,
    ) -> Option<FileMatches> {
        let bytes = self.source.read(&file.path, MAX_FILE_BYTES).ok()?;
        let text = indexed_text(&file.language, bytes);
        let mut found = FileMatches { place, total: 0, lines: Vec::new() };
        let sink = Lossy(|line, _| {
            found.total += 1;
            if found.lines.len() < self.request.limit {
                found.lines.push(u32::try_from(line).unwrap_or(u32::MAX));
            }
            Ok(!self.cancel.is_cancelled())
        });
        if let Err(error) = searcher.search_slice(matcher, &text, sink) {
            tracing::debug!(%error, path = file.path, "not searched to its end");
        }
        (found.total > 0).then_some(found)
    }

    /// The response with matching lines up to the limit. A file that the rules no longer admit is left out.
    fn respond(
        &self,
        matcher: &RegexMatcher,
        files: &[SourceFile],
        found: Vec<FileMatches>,
    ) -> ExactResponse {
        let mut response = ExactResponse { complete: true, ..ExactResponse::default() };
        let mut left = self.request.limit;
        for matches in found {
            let path = &files[matches.place].path;
            if left > 0 {
                let Some(lines) = self.lines(matcher, path, &matches.lines[..matches.lines.len().min(left)])
                else {
                    continue;
                };
                left -= lines.len();
                response.files.push(ExactFile { path: path.clone(), total: matches.total, lines });
            }
            response.total_lines += matches.total;
            response.total_files += 1;
        }
        response
    }

    /// Lines of a file with secrets masked, as they are indexed.
    fn lines(&self, matcher: &RegexMatcher, path: &str, numbers: &[u32]) -> Option<Vec<ExactLine>> {
        let found = self.scope.classify(Path::new(path)).ok()?;
        let content = self.scope.read(&found).ok()?;
        let all: Vec<&str> = content.source.text.lines().collect();
        let line = |number: &u32| {
            let text = all.get((*number as usize).checked_sub(1)?)?;
            Some(exact_line(matcher, *number, text, self.request.max_line_chars))
        };
        Some(numbers.iter().filter_map(line).collect())
    }

    /// Called if nothing matched: a note on how many lines match when case is ignored.
    fn note_on_case(&self, files: &[SourceFile]) -> Result<Option<String>, EngineError> {
        let (found, _) = self.search_all(&self.matcher(true)?, files)?;
        let lines: u64 = found.iter().map(|matches| matches.total).sum();
        Ok((lines > 0).then(|| format!("{lines} lines match when case is ignored.")))
    }
}

/// The message of a pattern error without the marked-up pattern, which would show the brackets that the builder adds.
pub(crate) fn problem(error: &grep_regex::Error) -> String {
    let said = error.to_string();
    let last = said.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Code first, then tests, then the rest.
fn rank(file: &SourceFile) -> u8 {
    match file.class {
        ContentClass::Code if !file.is_test => 0,
        ContentClass::Code => 1,
        ContentClass::Docs | ContentClass::Config => 2,
    }
}

/// The bytes to search: those of the file, unless it is indexed in another form. Secrets are masked before the search
/// and not only in the output, because whether a pattern matches could reveal a secret character by character.
fn indexed_text(language: &str, bytes: Vec<u8>) -> Vec<u8> {
    match by_name(language) {
        Some(language) if !SourceText::is_verbatim(language, &bytes) => {
            SourceText::decode(language, bytes).text.into_bytes()
        }
        _ => bytes,
    }
}

/// A line, or the part of a long line around the first match.
fn exact_line(matcher: &RegexMatcher, line: u32, text: &str, max_chars: usize) -> ExactLine {
    use grep_matcher::Matcher;
    let at = matcher.find(text.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    let column = u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
    if text.chars().count() <= max_chars {
        return ExactLine { line, column, text: text.to_owned() };
    }
    let before = text.get(..at).map_or(0, |before| before.chars().count());
    let skipped = before.saturating_sub(CHARS_BEFORE);
    let part: String = text.chars().skip(skipped).take(max_chars).collect();
    let start = if skipped > 0 { "..." } else { "" };
    ExactLine { line, column, text: format!("{start}{part}...") }
}

/// Whether a file passes the filters of a request, apart from the path filter.
pub(crate) fn admits(request: &ExactRequest, languages: &[String], file: &SourceFile) -> bool {
    let is_of_language = languages.is_empty() || languages.contains(&file.language);
    let by_tests = match request.tests {
        TestFilter::Demote | TestFilter::Include => true,
        TestFilter::Exclude => !file.is_test,
        TestFilter::Only => file.is_test,
    };
    is_of_language && by_tests && request.class.admits(file.class)
}
