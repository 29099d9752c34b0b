//! Searching only what changed between two commits, or since one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use vectorcode_core::api::{ChangesRequest, Cursor, Hit, InDiff, SearchRequest, SearchResponse};
use vectorcode_core::{CancelToken, SilentProgress};

use super::Engine;
use super::at_commit::short;
use super::search::Findings;
use crate::compare::{ChangedCode, Comparing, Comparison};
use crate::error::EngineError;
use crate::search::{Depth, MatchedChunks, SearchKey};

impl Engine {
    /// Searches only the code that differs between two versions, in both of them.
    pub(super) fn search_in_diff(
        &self,
        revisions: &ChangesRequest,
        request: &SearchRequest,
        cancel: &CancelToken,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let at = |revision: &str| self.at(revision, &SilentProgress, cancel);
        let newer = revisions.commit.as_deref().map(at).transpose()?;
        let newer = newer.as_deref().unwrap_or(self);
        let comparison = newer.compare(revisions)?;
        let (before, after) = ChangedCode::of(&comparison.files);
        let (start, end) = (request.start(), request.end());
        // All changed code is a result, however far its meaning is from the query.
        let threshold = Some(request.threshold.unwrap_or(0.0));
        let whole = SearchRequest { in_diff: None, threshold, ..request.from_the_start() };
        let mut response = newer.search_changed(&whole, &after, cancel)?;
        response.hits.iter_mut().for_each(|hit| hit.diff = Some(InDiff::After { was: None }));
        if let Some(from) = comparison.from.filter(|_| !before.is_empty()) {
            let older = at(&from.to_string())?;
            add_older(&mut response, older.search_changed(&whole, &before, cancel)?, &comparison);
        }
        response.notes.insert(0, note(&comparison));
        response.next = (response.total.max(response.hits.len()) > end).then(|| Cursor::at(end));
        response.hits = response.hits.into_iter().take(end).skip(start).collect();
        Ok(SearchResponse { ranking: None, took_ms: started.elapsed().as_secs_f64() * 1000.0, ..response })
    }

    fn compare(&self, revisions: &ChangesRequest) -> Result<Comparison, EngineError> {
        let reader = self.reader()?;
        let (project, source) = (self.project(), self.file_source());
        Comparing { project, source, reader: &*reader }.compare(revisions)
    }

    fn search_changed(
        &self,
        request: &SearchRequest,
        changed: &ChangedCode,
        cancel: &CancelToken,
    ) -> Result<SearchResponse, EngineError> {
        let started = Instant::now();
        let definitions = self.artifact_definitions();
        let area = definitions.area(request.artifacts).ok_or(EngineError::NoArtifacts)?;
        let key = SearchKey { request: self.resolved(request)?, area, depth: Depth::Whole };
        let result = self.with_repair(|| {
            let (reader, settings) = (self.reader()?, self.settings());
            let mut matched = MatchedChunks::of_changed(&*reader, changed)?;
            if let Some(by_pattern) = self.matched_chunks(&*reader, &key.request, cancel)? {
                matched.keep(by_pattern);
            }
            self.rank(&*reader, &settings, &key, Some(&matched), cancel)?.page(&*reader, &key.request)
        })?;
        let findings = Findings { request: key.request, result: Arc::new(result), definitions };
        let mut response = self.respond(&findings, started)?;
        for hit in response.hits.iter_mut().filter(|hit| hit.matching_lines.is_empty()) {
            hit.matching_lines = changed.lines(&hit.path, hit.start_line, hit.end_line);
        }
        Ok(response)
    }
}

/// Adds the hits of the older version: attached to the newer hit that replaces them, or as hits of their own.
fn add_older(response: &mut SearchResponse, older: SearchResponse, comparison: &Comparison) {
    let renamed = comparison.files.iter().filter_map(|file| Some((file.old_path.as_deref()?, &*file.path)));
    let renamed: HashMap<&str, &str> = renamed.collect();
    let notes: HashSet<String> = response.notes.iter().cloned().collect();
    response.notes.extend(older.notes.into_iter().filter(|note| !notes.contains(note)));
    for mut hit in older.hits {
        let path = renamed.get(hit.path.as_str()).copied().unwrap_or(&hit.path);
        let successor = response.hits.iter_mut().find(|newer| {
            matches!(newer.diff, Some(InDiff::After { was: None }))
                && newer.path == path
                && newer.symbol.is_some()
                && newer.symbol == hit.symbol
        });
        if let Some(successor) = successor {
            successor.diff = Some(InDiff::After { was: Some(place(&hit)) });
        } else if !hit.matching_lines.is_empty() {
            hit.diff = Some(InDiff::Before);
            response.hits.push(hit);
            response.total += 1;
        }
    }
    response.hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    response.likely = response.hits.iter().filter(|hit| !hit.weak).count();
    response.weak = response.likely == 0 && !response.hits.is_empty();
}

fn place(hit: &Hit) -> String {
    format!("{}:{}-{}", hit.path, hit.start_line, hit.end_line)
}

fn note(comparison: &Comparison) -> String {
    let to = comparison.to.map_or_else(|| "the files on disk".to_owned(), short);
    match (comparison.from.map(short), comparison.files.len()) {
        (None, _) => format!("Everything up to {to}: it has no parent."),
        (Some(from), 0) => format!("No file differs between {from} and {to}."),
        (Some(from), files) => {
            let files =
                if files == 1 { "1 file differs".to_owned() } else { format!("{files} files differ") };
            format!("{files} between {from} and {to}. `git show {from}:PATH` prints a file as it was before.")
        }
    }
}
