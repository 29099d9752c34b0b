//! Checks whether a hit still matches its file. Every hit is compared with the disk before it is returned.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::time::SystemTime;

use vectorcode_core::api::Freshness;
use vectorcode_core::{Links, Span, is_resource_exhausted, open_regular_file};
use vectorcode_source::{SourceText, by_name};

use crate::error::EngineError;
use crate::project::{FileSource, Project};

/// A span that was compared with its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Checked {
    pub start_line: u32,
    pub end_line: u32,
    pub freshness: Freshness,
    /// The file no longer exists.
    pub gone: bool,
}

/// Indexed files are far smaller. A file that has grown beyond this size counts as changed, whatever it contains.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Compares spans with the disk. A file is read whole only if a span is not at its old position. No file stays open.
#[derive(Debug)]
pub(crate) struct Disk<'p> {
    source: FileSource<'p>,
    read: HashMap<String, WholeFile>,
}

impl<'p> Disk<'p> {
    pub fn new(source: FileSource<'p>) -> Self {
        Self { source, read: HashMap::new() }
    }

    /// Looks for `content` at `span` of the file, then anywhere in it. `language` decides how the file is decoded.
    /// Fails if the system is out of file descriptors, which says nothing about the file.
    pub fn check(
        &mut self,
        path: &str,
        language: &str,
        span: Span,
        content: &str,
    ) -> Result<Checked, EngineError> {
        let at = |start_line, end_line, freshness| Checked { start_line, end_line, freshness, gone: false };
        // The content of a commit never changes.
        let FileSource::Disk(project) = self.source else {
            return Ok(at(span.start_line, span.end_line, Freshness::Fresh));
        };
        let mut file = open(project, path)?;
        if file.as_mut().is_some_and(|file| holds(file, span.byte_start, content)) {
            return Ok(at(span.start_line, span.end_line, Freshness::Fresh));
        }
        let Some(whole) = file.and_then(|file| self.whole(path, file, language)) else {
            let freshness = Freshness::Stale { modified_secs_ago: 0 };
            return Ok(Checked { gone: true, ..at(span.start_line, span.end_line, freshness) });
        };
        let Some(start) = nearest_occurrence(&whole.text, content, span.byte_start as usize) else {
            let freshness = Freshness::Stale { modified_secs_ago: whole.modified_secs_ago };
            return Ok(at(span.start_line, span.end_line, freshness));
        };
        let start_line = line_of(&whole.text, start);
        let freshness = if start == span.byte_start as usize { Freshness::Fresh } else { Freshness::Moved };
        Ok(at(start_line, start_line + (span.end_line - span.start_line), freshness))
    }

    /// Whether the file still exists.
    pub fn has(&self, path: &str) -> bool {
        self.source.has(path)
    }

    /// The text of the file as it would be indexed now. `None` if it cannot be read.
    fn whole(&mut self, path: &str, mut file: File, language: &str) -> Option<&WholeFile> {
        match self.read.entry(path.to_owned()) {
            Entry::Occupied(read) => Some(read.into_mut()),
            Entry::Vacant(place) => Some(place.insert(WholeFile::read(&mut file, language).ok()?)),
        }
    }
}

/// `None` for a file that no longer exists.
fn open(project: &Project, path: &str) -> Result<Option<File>, EngineError> {
    let absolute = project.absolute(path);
    match open_regular_file(&absolute, Links::Refuse) {
        Err(error) if is_resource_exhausted(&error) => Err(EngineError::io("open", absolute)(error)),
        opened => Ok(opened.ok()),
    }
}

/// Whether the bytes at the position equal `content`, as in nearly every unchanged file. In other encodings and in
/// notebooks they differ, and the whole file is decoded instead.
fn holds(file: &mut File, byte_start: u32, content: &str) -> bool {
    let mut there = vec![0; content.len()];
    let read = file.seek(SeekFrom::Start(byte_start.into())).and_then(|_| file.read_exact(&mut there));
    read.is_ok() && (there == content.as_bytes() || is_same_but_for_masks(&there, content.as_bytes()))
}

#[derive(Debug)]
struct WholeFile {
    text: String,
    modified_secs_ago: u64,
}

/// In the index each byte of a secret is replaced by `*`; the file has the secret itself.
fn is_same_but_for_masks(there: &[u8], content: &[u8]) -> bool {
    // As long as the shortest key.
    const MASKED: &[u8] = b"****************";
    memchr::memmem::find(content, MASKED).is_some()
        && there.iter().zip(content).all(|(there, indexed)| there == indexed || *indexed == b'*')
}

impl WholeFile {
    fn read(file: &mut File, language: &str) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.by_ref().take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        let modified = file.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = modified.and_then(|modified| SystemTime::now().duration_since(modified).ok());
        let text = match by_name(language) {
            Some(language) => SourceText::decode(language, bytes).text,
            None => String::from_utf8_lossy(&bytes).into_owned(),
        };
        Ok(Self { text, modified_secs_ago: age.map_or(0, |age| age.as_secs()) })
    }
}

/// The start of the occurrence of `content` that is nearest to its old position.
fn nearest_occurrence(text: &str, content: &str, was: usize) -> Option<usize> {
    if content.trim().is_empty() {
        return None;
    }
    text.match_indices(content).map(|(start, _)| start).min_by_key(|start| start.abs_diff(was))
}

fn line_of(text: &str, byte: usize) -> u32 {
    1 + text[..byte].matches('\n').count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span { start_line: 2, end_line: 3, byte_start: 4, byte_end: 12 };

    fn check(text: Option<&str>) -> Checked {
        check_bytes(text.map(str::as_bytes), "two\nthr\n")
    }

    fn check_bytes(bytes: Option<&[u8]>, content: &str) -> Checked {
        let dir = tempfile::tempdir().unwrap();
        if let Some(bytes) = bytes {
            std::fs::write(dir.path().join("a.rs"), bytes).unwrap();
        }
        let project = Project::at(dir.path()).unwrap();
        Disk::new(FileSource::Disk(&project)).check("a.rs", "rust", SPAN, content).unwrap()
    }

    #[test]
    fn a_file_in_another_encoding_is_fresh_too() {
        let utf_16: Vec<u8> = "\u{feff}one\ntwo\nthr\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(check_bytes(Some(&utf_16), "two\nthr\n").freshness, Freshness::Fresh);
        assert_eq!(check_bytes(Some(b"one\ntw\xe9\nthr\n"), "twé\nthr\n").freshness, Freshness::Fresh);
        assert_eq!(
            check_bytes(Some(b"\xef\xbb\xbfone\ntwo\nthr\n"), "two\nthr\n").freshness,
            Freshness::Fresh
        );
        assert!(matches!(
            check_bytes(Some(b"one\ntw\xe8\nthr\n"), "twé\nthr\n").freshness,
            Freshness::Stale { .. }
        ));
    }

    #[test]
    fn an_unchanged_span_is_fresh_whatever_follows_it() {
        let checked = check(Some("one\ntwo\nthr\nfour\n"));
        assert_eq!((checked.freshness, checked.start_line, checked.end_line), (Freshness::Fresh, 2, 3));
    }

    #[test]
    fn a_span_that_moved_gets_its_present_lines() {
        let checked = check(Some("zero\nzero\none\ntwo\nthr\n"));
        assert_eq!((checked.freshness, checked.start_line, checked.end_line), (Freshness::Moved, 4, 5));
    }

    #[test]
    fn a_span_that_changed_is_stale() {
        assert!(matches!(check(Some("one\n2\n3\n")).freshness, Freshness::Stale { .. }));
    }

    #[test]
    fn a_span_of_a_deleted_file_is_stale_and_gone() {
        let checked = check(None);
        assert!(matches!(checked.freshness, Freshness::Stale { .. }) && checked.gone);
    }
}
