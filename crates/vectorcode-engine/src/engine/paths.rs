//! Translates paths in requests to paths of the index, and explains why a path filter matches nothing.

use std::collections::BTreeSet;
use std::path::Path;

use vectorcode_core::{EXCLUDE, PathFilter, is_glob};
use vectorcode_store::{ChunkFilter, SourceFile};

use super::Engine;
use crate::error::EngineError;
use crate::project::file::missing;
use crate::project::written_path::{by_ending, nearest};

/// At most this many entries of the project's root are listed.
const LISTED: usize = 12;

impl Engine {
    /// Path filters relative to the root. A filter that is neither a path nor the start of one is tried as the end of
    /// a file's path.
    pub(super) fn path_patterns(&self, written: &[String]) -> Result<Vec<String>, EngineError> {
        written.iter().map(|pattern| self.completed(self.project.relative_pattern(pattern))).collect()
    }

    /// The list of files is read only for a pattern that does not exist on disk.
    fn completed(&self, pattern: String) -> Result<String, EngineError> {
        let is_ending =
            !is_glob(&pattern) && !pattern.starts_with(EXCLUDE) && !self.file_source().has(&pattern);
        if !is_ending {
            return Ok(pattern);
        }
        let files = self.files()?;
        if paths(&files).any(|path| path.starts_with(&pattern)) {
            return Ok(pattern);
        }
        Ok(by_ending(paths(&files), &pattern)?.map_or(pattern, str::to_owned))
    }

    /// A file of the index by its path, or by a unique path suffix.
    pub(super) fn indexed_file(&self, written: &str) -> Result<String, EngineError> {
        let path = self.project.relative(Path::new(written))?;
        if self.reader()?.file(&path)?.is_some() {
            return Ok(path);
        }
        let files = self.files()?;
        if let Some(file) = by_ending(paths(&files), &path)? {
            return Ok(file.to_owned());
        }
        let nearest = nearest(paths(&files), &path);
        Err(missing(&self.scope()?, path, nearest))
    }

    /// A note that names the path filters that match no indexed file, and what may have been meant.
    pub(super) fn note_on_paths(&self, filters: &[String]) -> Result<Option<String>, EngineError> {
        let reader = self.reader()?;
        let mut unmatched: Vec<&str> = Vec::new();
        for filter in filters.iter().filter(|filter| !filter.starts_with(EXCLUDE)) {
            let paths = PathFilter::parse([filter]);
            if reader.count(&ChunkFilter { paths, ..ChunkFilter::default() })? == 0 {
                unmatched.push(filter);
            }
        }
        if unmatched.is_empty() {
            return Ok(None);
        }
        let files = reader.source_files()?;
        let near: Vec<String> = unmatched.iter().flat_map(|filter| nearest(paths(&files), filter)).collect();
        let there = if near.is_empty() {
            format!("at the root there are: {}", top_level(&files))
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        Ok(Some(format!("No indexed file matches the path `{}`; {there}", unmatched.join("`, `"))))
    }
}

fn paths(files: &[SourceFile]) -> impl Iterator<Item = &str> {
    files.iter().map(|file| file.path.as_str())
}

/// Folders first: they are what a filter usually names.
fn top_level(files: &[SourceFile]) -> String {
    let top = |path: &str| match path.split_once('/') {
        Some((folder, _)) => format!("{folder}/"),
        None => path.to_owned(),
    };
    let there: BTreeSet<(bool, String)> =
        paths(files).map(top).map(|name| (!name.ends_with('/'), name)).collect();
    let more = if there.len() > LISTED { ", ..." } else { "" };
    let there: Vec<String> = there.into_iter().take(LISTED).map(|(_, name)| name).collect();
    format!("{}{more}", there.join(", "))
}
