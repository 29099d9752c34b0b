//! The current text of an indexed file. Files that are not indexed are never shown.

use std::path::Path;

use vectorcode_core::api::{FileDefinition, FileRequest, FileResponse, Freshness};
use vectorcode_core::{Definition, ParsedFile, SkipReason};
use vectorcode_source::{Parsers, Scope};
use vectorcode_store::IndexReader;

use crate::error::EngineError;
use crate::time;

/// Reads the file if the index holds it and the project's rules still include it: a file that has since been ignored,
/// replaced by a link or renamed to a secret's name is not shown.
pub(crate) fn read(
    scope: &Scope,
    reader: &dyn IndexReader,
    request: &FileRequest,
) -> Result<FileResponse, EngineError> {
    let OpenFile { parsed, text, freshness } = open(scope, reader, &request.path)?;
    let (lines, shown) = shown_lines(&text, request);
    Ok(FileResponse {
        path: parsed.path,
        language: parsed.language,
        class: parsed.class,
        lines,
        start_line: shown.start,
        end_line: shown.end,
        content: shown.text.to_owned(),
        definitions: parsed.definitions.into_iter().map(definition).collect(),
        freshness,
    })
}

/// Why a path leads to no file of the index; `nearest` are the files that may have been meant.
pub(crate) fn missing(scope: &Scope, path: String, nearest: Vec<String>) -> EngineError {
    let place = Path::new(&path);
    if !scope.is_there(place) {
        return EngineError::UnknownFile { path, nearest };
    }
    match scope.classify(place) {
        // The folder is read: it has no such file. If the folder is not read, the path is ignored.
        Err(SkipReason::Unreadable) if scope.enters(place) => EngineError::UnknownFile { path, nearest },
        Err(SkipReason::Unreadable) => EngineError::LeftOut { path, reason: SkipReason::Ignored },
        Err(reason) => EngineError::LeftOut { path, reason },
        Ok(_) => EngineError::NotIndexed { path },
    }
}

/// A file that may be shown, parsed.
pub(crate) struct OpenFile {
    pub parsed: ParsedFile,
    pub text: String,
    pub freshness: Freshness,
}

pub(crate) fn open(scope: &Scope, reader: &dyn IndexReader, path: &str) -> Result<OpenFile, EngineError> {
    let not_indexed = || EngineError::NotIndexed { path: path.to_owned() };
    let refused = |_: SkipReason| {
        let is_there = scope.is_there(Path::new(path));
        if is_there { not_indexed() } else { EngineError::FileGone { path: path.to_owned() } }
    };
    let known = reader.file(path)?.ok_or_else(not_indexed)?;
    let found = scope.classify(Path::new(path)).map_err(refused)?;
    if found.path != path {
        return Err(not_indexed());
    }
    let read = scope.read(&found);
    scope.check_exhaustion()?;
    let content = read.map_err(refused)?;
    let parsed = Parsers::of(scope.root()).parse(path, found.language, &content.source)?;
    let freshness = if content.hash == known.hash {
        Freshness::Fresh
    } else {
        Freshness::Stale { modified_secs_ago: time::seconds_since(found.mtime_ns) }
    };
    Ok(OpenFile { parsed, text: content.source.text, freshness })
}

struct LineRange<'t> {
    start: u32,
    end: u32,
    text: &'t str,
}

/// The total number of lines, and the requested ones as far as they exist.
fn shown_lines<'t>(text: &'t str, request: &FileRequest) -> (u32, LineRange<'t>) {
    let mut ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    if !text.is_empty() && !text.ends_with('\n') {
        ends.push(text.len());
    }
    let lines = ends.len() as u32;
    let start = request.start_line.unwrap_or(1).clamp(1, lines.max(1));
    let end = request.end_line.unwrap_or(lines).clamp(start, lines.max(start));
    let end_of =
        |line: u32| if line == 0 { 0 } else { ends.get(line as usize - 1).copied().unwrap_or_default() };
    (lines, LineRange { start, end, text: &text[end_of(start - 1)..end_of(end)] })
}

fn definition(definition: Definition) -> FileDefinition {
    FileDefinition {
        name: definition.name,
        qualified: definition.qualified,
        kind: definition.kind,
        signature: definition.signature,
        start_line: definition.span.start_line,
        end_line: definition.span.end_line,
        name_line: definition.name_line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, start_line: Option<u32>, end_line: Option<u32>) -> (u32, u32, u32, String) {
        let (lines, shown) = shown_lines(text, &FileRequest { path: "a.rs".into(), start_line, end_line });
        (lines, shown.start, shown.end, shown.text.to_owned())
    }

    #[test]
    fn lines_are_cut_with_their_ends() {
        assert_eq!(shown("a\nb\nc", None, None), (3, 1, 3, "a\nb\nc".into()));
        assert_eq!(shown("a\nb\nc\n", Some(2), Some(2)), (3, 2, 2, "b\n".into()));
        assert_eq!(shown("a\nb\nc", Some(2), Some(9)), (3, 2, 3, "b\nc".into()));
    }

    #[test]
    fn lines_beyond_the_file_mean_its_last_one() {
        assert_eq!(shown("a\nb\n", Some(9), None), (2, 2, 2, "b\n".into()));
        assert_eq!(shown("a\nb\n", Some(2), Some(1)), (2, 2, 2, "b\n".into()));
        assert_eq!(shown("", Some(3), None), (0, 1, 1, String::new()));
    }
}
